{% macro rounds_of_moments(moments) %}
    {% set rounds = [] %}
    {% set seen = {} %}
    {% for feed, commit_ts, moved_tables, gives_columns in moments if fromjson(moved_tables) %}
        {% set before = [] %}
        {% for table in fromjson(moved_tables) %}
            {% do before.append(seen.get((feed, table), 0)) %}
        {% endfor %}
        {% set number = before | max %}
        {% if number == rounds | length %}{% do rounds.append([]) %}{% endif %}
        {% do rounds[number].append((feed, commit_ts)) %}
        {% for table in fromjson(moved_tables) %}
            {% do seen.update({(feed, table): number + 1}) %}
        {% endfor %}
    {% endfor %}
    {% do return(rounds) %}
{% endmacro %}
