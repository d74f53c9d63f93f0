{% materialization ticdc_relation, adapter="spark" %}
    {%- set kind = config.get("relation", "view") -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set target_relation = this.incorporate(type=kind) -%}
    {%- set fingerprint = local_md5(sql ~ config.get("file_format", "")) -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing) -%}
    {%- if existing is none or existing.type != kind or should_full_refresh() or ticdc.fingerprint(existing) != fingerprint -%}
        {%- if existing is not none and (existing.type != kind or kind == "table") -%}
            {%- do adapter.drop_relation(existing) -%}
        {%- endif -%}
        {%- call statement("main") -%}
            {%- if kind == "view" -%}
                {{ ticdc.create_own_view(target_relation, fingerprint, sql) }}
            {%- else -%}
                {{ create_table_as(false, target_relation, sql) }}
            {%- endif -%}
        {%- endcall -%}
        {%- if kind == "table" -%}
            {%- do run_query("alter table " ~ this ~ " set tblproperties ('ticdc.fingerprint' = '" ~ fingerprint ~ "')") -%}
        {%- endif -%}
    {%- else -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}
