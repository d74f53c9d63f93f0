{% macro expected_instead(got, kind) %}
    {% if kind is not string %}
        {% do return(none if got in kind else kind | join(", ")) %}
    {% elif kind == "time zone" %}
        {% do return(none if got is string and got in modules.pytz.all_timezones_set else "names of the IANA time zone database, such as UTC or Asia/Shanghai") %}
    {% elif kind == "pattern" %}
        {% set rest = (got | string).replace("{schema}", "").replace("{feed}", "").replace("{target}", "") %}
        {% set is_pattern = got is string and got and modules.re.fullmatch("[A-Za-z0-9_]*", rest) %}
        {% do return(none if is_pattern else "letters, digits, _, {schema}, {feed} and {target}") %}
    {% elif kind == "schemas" %}
        {% set is_place = got is string and got and ("://" not in got or got.lower().startswith(("http://", "https://"))) %}
        {% do return(none if is_place else "the http or https URL of a schema registry, a JSON file, or a relation") %}
    {% endif %}
    {% do return(none if got is string and got else "a text") %}
{% endmacro %}
