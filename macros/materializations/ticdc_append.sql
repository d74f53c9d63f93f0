{% materialization ticdc_append, adapter="spark" %}
    {%- set existing = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type="table") -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing, "run_id") -%}
    {%- if existing is none or existing.is_view or should_full_refresh() -%}
        {%- if existing is not none -%}{%- do adapter.drop_relation(existing) -%}{%- endif -%}
        {%- call statement("main") -%}{{ create_table_as(false, target_relation, sql) }}{%- endcall -%}
    {%- elif sql.endswith("where false") -%}
        {%- call noop_statement("main", "NOTHING NEW") -%}{%- endcall -%}
    {%- else -%}
        {%- call statement("main") -%}insert into {{ target_relation }} by name {{ sql }}{%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}
