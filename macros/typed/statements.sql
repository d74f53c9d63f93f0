{# Runs blocks of statements, some dozens a script, and gives the places of those that Spark refused. Views `bases`,
   each with its `sql` and `columns`, have no rows meanwhile: Spark resolves all that a view reads wherever another one
   is made upon it, and of one that is not ready there is nothing to resolve. Where it takes long, it says how far it
   is, once in ten seconds. #}
{% macro tried_statements(blocks, bases={}) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set scripts, refused, before, after, done, told = [], [], [], [], [], [ticdc.seconds()] %}
    {% for base, view in bases.items() %}
        {% set altering = "alter view " ~ base ~ " as " %}
        {% set noting = "alter view " ~ base ~ " set tblproperties ('ticdc.fingerprint' = '" %}
        {# without fingerprint, the next run makes it anew #}
        {% do before.extend([noting ~ "')", altering ~ ticdc.unready_rows(view.columns)]) %}
        {% do after.extend([altering ~ view.sql, noting ~ local_md5(view.sql) ~ "')"]) %}
    {% endfor %}
    {% for block in blocks %}
        {% set script -%}
        begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' {{ block.place }}';
        {{- ticdc.executed(block.statements) }} end;
        {%- endset %}
        {% do scripts.append(script) %}
    {% endfor %}
    {% for some in ticdc.short_lists(scripts, 100 if bases else 30) %}
        {% set script -%}
        begin declare ticdc_refused string default 'refused:';
        {{- ticdc.executed(before) }} {{ some | join(" ") }}
        {{- ticdc.executed(after) }} select ticdc_refused; end
        {%- endset %}
        {% do refused.extend(run_query(script).rows[0][0].split()[1:] | map("int")) %}
        {% do done.extend(some) %}
        {% if not loop.last and ticdc.seconds() - told[-1] >= 10 %}
            {% do told.append(ticdc.seconds()) %}
            {% do log("ticdc: " ~ model.name ~ ": " ~ done | length ~ " of " ~ scripts | length, info=true) %}
        {% endif %}
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}

{# The seconds since 1970. #}
{% macro seconds() %}
    {% do return(modules.datetime.datetime.now(modules.pytz.utc).timestamp()) %}
{% endmacro %}

{# Statements as a script runs them: what cannot be parsed would else fail the whole script. #}
{% macro executed(statements) -%}
    {%- for statement in statements %} execute immediate {{ ticdc.text_literal(statement) }};{% endfor %}
{%- endmacro %}

{# A query that fails, with these columns. #}
{% macro unready_rows(columns) %}
    select
        {% for column in columns -%}
        cast(null as {{ column.data_type }}) as {{ ticdc.identifier(column.name) }}{{ "," if not loop.last }}
        {% endfor -%}
    where
        cast(
            raise_error(
                'ticdc: typed tables are made for the first time. If no run does that now, one was stopped: '
                || 'build the package'
            ) as boolean
        )
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
