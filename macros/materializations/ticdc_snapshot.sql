{% materialization ticdc_snapshot, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="table") -%}
    {%- set memory, name, before = ticdc.memory(), this | string, ticdc.settled() -%}
    {%- set is_idle = memory.get("nothing_new", {}).pop(name, false) -%}
    {%- set made_of = memory.get("to_settle", {}).pop(name, {}) -%}
    {%- set settled = dict(made_of, fingerprint=local_md5(sql ~ config.get("file_format", ""))) -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing) -%}
    {%- do ticdc.check_columns(existing) -%}
    {%- if ticdc.has_rows() and (before == settled or (is_idle and before.fingerprint == settled.fingerprint)) -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- else -%}
        {%- set existing = ticdc.fitting_table(existing, sql) -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, sql) }}{%- endcall -%}
        {%- do ticdc.add_batch(target, is_anew=true) -%}
    {%- endif -%}
    {%- do ticdc.settle(target, settled) -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
