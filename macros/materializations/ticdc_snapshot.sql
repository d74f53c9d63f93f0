{% materialization ticdc_snapshot, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="table") -%}
    {%- set settled = {"fingerprint": local_md5(sql ~ config.get("file_format", ""))} -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing) -%}
    {%- if ticdc.has_rows() and ticdc.settled() == settled -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- else -%}
        {%- set existing = ticdc.fitting_table(existing, sql) -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, sql) }}{%- endcall -%}
        {%- do ticdc.add_batch(target, is_anew=true) -%}
        {%- do ticdc.settle(target, settled) -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
