{% materialization ticdc_append, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="table") -%}
    {%- set had_rows, before, taken = ticdc.has_rows(), ticdc.settled(), ticdc.taken(sql) -%}
    {%- set replaces = config.get("replaces", false) -%}
    {#- of a model in steps, each reads what those before it wrote -#}
    {%- set queries = taken.query.split("-- the next step\n") if config.get("in_steps") else [taken.query] -%}
    {%- do ticdc.begin_model(existing, none if replaces else "run_id") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set existing = ticdc.fitting_table(existing, queries[0]) -%}
    {%- if replaces -%}
        {%- set fingerprint = local_md5(taken.query ~ config.get("file_format", "")) -%}
        {%- set settled = dict(taken.settles or {}, fingerprint=fingerprint) -%}
        {%- set is_idle = before == settled or (taken.is_idle and before.fingerprint == fingerprint) -%}
    {%- else -%}
        {%- set new = {"run_id": ticdc.run_id() | int} -%}
        {%- set settled = taken.settles or (before if taken.is_idle and had_rows else new) -%}
        {%- set is_idle = taken.is_idle -%}
    {%- endif -%}
    {%- if is_idle and had_rows -%}
        {%- call noop_statement("main", "NOTHING NEW") -%}{%- endcall -%}
    {%- else -%}
        {%- call statement("main") -%}{{ ticdc.batch_statement(existing, target, queries[0]) }}{%- endcall -%}
        {%- for query in queries[1:] -%}{%- do run_query(ticdc.batch_statement(target, target, query)) -%}{%- endfor -%}
        {%- set is_rebuild = replaces or taken.is_rebuild or not had_rows -%}
        {%- do ticdc.add_batch(target, is_rebuild=is_rebuild, rebuilt=taken.rebuilt) -%}
        {%- do ticdc[config.get("notes")](target, settled) if config.get("notes") -%}
        {%- do ticdc.compact_batches(target) if config.get("merges", true) -%}
    {%- endif -%}
    {%- do ticdc.note_facts(target) -%}
    {%- do ticdc.settle(target, settled, saves=had_rows or replaces or not taken.is_idle) -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
