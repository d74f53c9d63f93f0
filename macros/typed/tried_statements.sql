{% macro tried_statements(blocks, bases=[]) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set scripts, refused, before, after = [], [], [], [] %}
    {% for base in bases %}
        {% do before.extend(ticdc.base_statements(base, is_ready=false)) %}
        {% do after.extend(ticdc.base_statements(base, is_ready=true)) %}
    {% endfor %}
    {% for block in blocks %}
        {% set script -%}
        begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' {{ block.place }}';
        {#- what cannot be parsed would else fail the whole script #}
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
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}
