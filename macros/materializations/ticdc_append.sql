{% materialization ticdc_append, adapter="spark" %}
    {%- set existing, target, had_rows = load_cached_relation(this), this.incorporate(type="table"), ticdc.has_rows() -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing, "run_id") -%}
    {%- do ticdc.check_columns(existing) -%}
    {%- set memory, name = ticdc.memory(), this | string -%}
    {%- set is_idle = memory.get("nothing_new", {}).pop(name, false) and had_rows -%}
    {%- set settled = memory.get("to_settle", {}).pop(name, none) or (ticdc.settled() if is_idle else {"run_id": ticdc.run_id() | int}) -%}
    {%- if is_idle -%}
        {%- call noop_statement("main", "NOTHING NEW") -%}{%- endcall -%}
    {%- else -%}
        {%- set existing = ticdc.fitting_table(existing, sql) -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, sql) }}{%- endcall -%}
        {%- set rebuilt = ticdc.redriven_feeds(ticdc.settled(), settled) if this.identifier in ticdc.models_by_feed() else [] -%}
        {%- do ticdc.add_batch(target, is_anew=not had_rows or memory.get("made_anew", {}).pop(name, false), rebuilt=rebuilt) -%}
        {%- do ticdc[config.get("notes")](target, settled) if config.get("notes") -%}
        {%- if config.get("merges", true) -%}{%- do ticdc.merge_batches(target) -%}{%- endif -%}
    {%- endif -%}
    {%- do ticdc.settle(target, settled) -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
