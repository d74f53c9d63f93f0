{# Runs blocks of statements, some dozens a script, and gives the places of those that Spark refused. With a `stub`, as
   `typed/relations.py` has them, each script begins and ends with what that says. Where it takes long, it says how far
   it is, once in ten seconds. #}
{% macro tried_statements(blocks, stub=none) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set scripts, refused, done, told = [], [], [], [modules.datetime.datetime.now()] %}
    {% for block in blocks %}
        {# executed, as what cannot be parsed would else fail the whole script #}
        {% set script -%}
        begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' {{ block.place }}';
        {%- for statement in block.statements %} execute immediate {{ ticdc.text_literal(statement) }};{% endfor %} end;
        {%- endset %}
        {% do scripts.append(script) %}
    {% endfor %}
    {% for some in ticdc.short_lists(scripts, 100 if stub else 30) %}
        {% set script -%}
        begin declare ticdc_refused string default 'refused:'; {{ stub.before if stub }} {{ some | join(" ") }}
        {{ stub.after if stub }} select ticdc_refused; end
        {%- endset %}
        {% do refused.extend(run_query(script).rows[0][0].split()[1:] | map("int")) %}
        {% do done.extend(some) %}
        {% set now = modules.datetime.datetime.now() %}
        {% if not loop.last and (now - told[-1]).total_seconds() >= 10 %}
            {% do told.append(now) %}
            {% do log("ticdc: " ~ model.name ~ ": " ~ done | length ~ " of " ~ scripts | length, info=true) %}
        {% endif %}
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}

{# Splits texts into lists: Spark reads a statement of some megabytes slowly, and servers refuse it. #}
{% macro short_lists(texts, most_texts=none) %}
    {% set lists, length = [], [0] %}
    {% for text in texts %}
        {% if not lists or length[-1] + text | length > 300000 or lists[-1] | length == most_texts %}
            {% do lists.append([]) %}
            {% do length.append(0) %}
        {% endif %}
        {% do lists[-1].append(text) %}
        {% do length.append(length[-1] + text | length) %}
    {% endfor %}
    {% do return(lists) %}
{% endmacro %}
