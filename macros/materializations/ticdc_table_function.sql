{% materialization ticdc_table_function, adapter="spark" %}
    {%- set target = this.incorporate(type="view") -%}
    {%- set mark = "ticdc.fingerprint=" ~ local_md5(sql) -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- set place, name = ticdc.identifier(this.schema), this.identifier | lower -%}
    {%- set there = run_query("show user functions in " ~ place ~ " like " ~ ticdc.text_literal(name)).rows -%}
    {%- set describing = "describe function extended " ~ place ~ "." ~ ticdc.identifier(name) -%}
    {%- set described = run_query(describing).rows | map(attribute=0) | join if there | length else "" -%}
    {#- before functions had a comment, the text of this one named the models that it reads -#}
    {%- if described and "ticdc.fingerprint=" not in described and "int_ticdc__" not in described -%}
        {%- do exceptions.raise_compiler_error(
            "ticdc: the function " ~ this ~ " is there already, and this package did not make it: rename or drop it"
        ) -%}
    {%- elif mark in described -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- else -%}
        {% call statement("main") -%}
            create or replace function {{ this }}({{ config.require("arguments") }}) returns table comment '{{ mark }}'
            return
            {{ sql }}
        {%- endcall %}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_last_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
