{% macro source_problems(found) %}
    {% set expected = {
        "topic": ["string"],
        "partition": ["int", "bigint", "smallint", "tinyint"],
        "offset": ["bigint", "int"],
        "timestamp": ["timestamp", "timestamp_ntz"],
        "key": ["binary"],
        "value": ["binary"],
    } %}
    {% set problems = [] %}
    {% for name, types in expected.items() %}
        {% set type = found.get(name, "no such column") %}
        {% if modules.re.sub("^(var)?char[(].*", "string", type) not in types %}
            {% do problems.append(name ~ ": got " ~ type ~ ", expected " ~ types[0]) %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
