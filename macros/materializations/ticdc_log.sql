{% materialization ticdc_log, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="table") -%}
    {%- do ticdc.begin_model(existing, "run_id") -%}
    {{ run_hooks(pre_hooks) }}

    {%- if existing is none -%}
        {%- call statement("main") -%}{{ create_table_as(false, target, sql) }}{%- endcall -%}
    {%- else -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
