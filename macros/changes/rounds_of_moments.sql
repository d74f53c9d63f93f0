{% macro rounds_of_moments(moments) %}
    {% set rounds = [] %}
    {% set seen = {} %}
    {% for moment in moments if fromjson(moment.moved_tables) %}
        {% set before = [] %}
        {% for table in fromjson(moment.moved_tables) %}
            {% do before.append(seen.get((moment.feed, table), 0)) %}
        {% endfor %}
        {% set number = before | max %}
        {% if number == rounds | length %}{% do rounds.append([]) %}{% endif %}
        {% do rounds[number].append((moment.feed, moment.commit_ts | int)) %}
        {% for table in fromjson(moment.moved_tables) %}
            {% do seen.update({(moment.feed, table): number + 1}) %}
        {% endfor %}
    {% endfor %}
    {% do return(rounds) %}
{% endmacro %}
