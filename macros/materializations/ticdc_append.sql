{% materialization ticdc_append, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="table") -%}
    {%- set had_rows, taken = ticdc.has_rows(), ticdc.taken(sql) -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing, "run_id") -%}
    {%- set existing = ticdc.fitting_table(existing, taken.query) -%}
    {%- set is_idle = taken.is_idle and had_rows -%}
    {%- set settled = taken.settles or (ticdc.settled() if is_idle else {"run_id": ticdc.run_id() | int}) -%}
    {%- if is_idle -%}
        {%- call noop_statement("main", "NOTHING NEW") -%}{%- endcall -%}
    {%- else -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, taken.query) }}{%- endcall -%}
        {%- do ticdc.add_batch(target, is_anew=not had_rows or taken.is_anew, rebuilt=taken.rebuilt) -%}
        {%- do ticdc[config.get("notes")](target, settled) if config.get("notes") -%}
        {%- do ticdc.merge_batches(target) if config.get("merges", true) -%}
    {%- endif -%}
    {%- do ticdc.settle(target, settled) -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
