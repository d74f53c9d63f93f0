{% materialization ticdc_carried_rows, adapter="spark" %}
    {%- set target, existing = this.incorporate(type="table"), load_cached_relation(this) -%}
    {%- set had_rows, run_id = ticdc.has_rows(), ticdc.run_id() | int -%}
    {%- do ticdc.begin_model(existing, "run_id") -%}
    {{ run_hooks(pre_hooks) }}
    {%- set settled, changes = ticdc.settled(), ticdc.settled(ref("int_ticdc__changes")) -%}
    {#- what this table alone made anew stays noted for those that follow it -#}
    {%- set noted, causes = changes.setdefault("redriven", {}), settled.get("causes", {}) -%}
    {%- for feed, rebuilt_by in settled.get("redriven", {}).items() -%}
        {%- do noted.update({feed: [rebuilt_by, noted.get(feed, 0)] | max}) -%}
    {%- endfor -%}
    {%- set through, redriven = dict(changes.bounds), ticdc.feeds_to_rebuild(settled, changes) -%}
    {%- set inputs = [ref("int_ticdc__catalogue"), ref("int_ticdc__changes")] -%}
    {%- set is_there = ticdc.fitting_table(existing, sql) is not none -%}
    {%- do run_query(ticdc.batch_statement(none, target, sql)) if not is_there -%}
    {%- set of = {"catalogue": ticdc.batches(inputs[0]), "changes": ticdc.batches(inputs[1]), "through": through} -%}
    {%- set ddl = {"passes": [], "gives_columns": false, "last_commits": {}, "late": [], "causes": {}} -%}
    {%- for feed in redriven -%}{%- do settled.bounds.pop(feed, none) -%}{%- endfor -%}
    {%- if settled.get("of") != of or redriven -%}
        {%- do ddl.update(fromjson(run_query(ticdc.ddl_passes(settled, through)).rows[0][0])) -%}
    {%- endif -%}
    {%- if ddl.causes -%}
        {#- what came late changes what was carried after it -#}
        {%- for feed, cause in ddl.causes.items() -%}
            {%- do redriven.append(feed) or settled.bounds.pop(feed, none) -%}
            {%- do causes.update({feed: {"kind": cause[0], "run_id": run_id, "commit_ts": cause[1]}}) -%}
        {%- endfor -%}
        {%- do noted.update(dict.fromkeys(ddl.causes, run_id)) -%}
        {%- do ddl.update(fromjson(run_query(ticdc.ddl_passes(settled, through)).rows[0][0])) -%}
    {%- endif -%}
    {#- what was there before, as this run's own batch hides it -#}
    {%- set known = ticdc.rows_of(target) if is_there and ticdc.rebuilt_feeds(settled, changes) else "" -%}
    {%- if ddl.last_commits or redriven or not had_rows -%}
        {%- do ticdc.add_batch(target, is_rebuild=not had_rows, rebuilt=redriven) -%}
        {%- for ddl_commits in ddl.passes -%}
            {%- set rows = ticdc.rows_of_ddl_commits(target, ddl_commits, known) -%}
            {%- do run_query(ticdc.batch_statement(target, target, rows)) -%}
        {%- endfor -%}
        {%- if ddl.gives_columns -%}
            {%- set rows = ticdc.rows_with_new_columns(target, settled, through, ddl.late) -%}
            {%- do run_query(ticdc.batch_statement(target, target, rows)) -%}
        {%- endif -%}
        {#- a bound that comes after DDL that is carried may lie before it -#}
        {%- for feed, commit_ts in (ddl.last_commits.items() | list) + (through.items() | list) -%}
            {%- do settled.bounds.update({feed: [commit_ts, settled.bounds.get(feed, 0)] | max}) -%}
        {%- endfor -%}
        {%- do ticdc.compact_batches(target) -%}
        {%- set settled = {"bounds": settled.bounds, "redriven": noted, "causes": causes, "of": of} -%}
        {%- do ticdc.settle(target, dict(settled, run_id=run_id)) -%}
    {%- elif settled.get("of") != of -%}
        {%- do ticdc.settle(target, dict(settled, of=of, run_id=run_id)) -%}
    {%- else -%}
        {%- do ticdc.note_built(target) -%}
    {%- endif -%}
    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
