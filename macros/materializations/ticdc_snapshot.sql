{% materialization ticdc_snapshot, adapter="spark" %}
    {%- set existing, target, before = load_cached_relation(this), this.incorporate(type="table"), ticdc.settled() -%}
    {%- set taken = ticdc.taken(sql) -%}
    {%- set fingerprint = local_md5(taken.query ~ config.get("file_format", "")) -%}
    {%- set settled = dict(taken.settles or {}, fingerprint=fingerprint) -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing) -%}
    {%- set existing = ticdc.fitting_table(existing, taken.query) -%}
    {%- set is_as_before = before == settled or (taken.is_idle and before.fingerprint == fingerprint) -%}
    {%- if ticdc.has_rows() and is_as_before -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- else -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, taken.query) }}{%- endcall -%}
        {%- do ticdc.add_batch(target, is_anew=true) -%}
    {%- endif -%}
    {%- do ticdc.settle(target, settled) -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
