{% materialization ticdc_carried_rows, adapter="spark" %}
    {%- set target, existing, had_rows = this.incorporate(type="table"), load_cached_relation(this), ticdc.has_rows() -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing, "run_id") -%}
    {%- do ticdc.check_columns(existing) -%}
    {%- set settled, changes = ticdc.settled(), ticdc.settled(ref("int_ticdc__changes")) -%}
    {%- set through, redriven = dict(changes.bounds), ticdc.redriven_feeds(settled, changes) -%}
    {%- set built_again = [] -%}
    {%- if ticdc.fitting_table(existing, sql) is none -%}
        {%- do run_query(ticdc.batch_statement(none, target, sql)) -%}
    {%- else -%}
        {%- do built_again.extend(ticdc.feeds_built_again(settled, changes)) -%}
    {%- endif -%}
    {#- what was there before, as this run's own batch hides it -#}
    {%- set known = ticdc.rows_of(target) if built_again else "" -%}
    {%- for feed in redriven -%}{%- do settled.bounds.pop(feed, none) -%}{%- endfor -%}
    {%- set catalogue = ref("int_ticdc__catalogue") -%}
    {%- set of = {"catalogue": ticdc.batches(catalogue), "through": through} -%}
    {%- set found = [] if settled.get("of") == of and not redriven else ticdc.asked(ticdc.ddl_passes(settled, through), [catalogue]) -%}
    {%- set ddl = fromjson(found[0][0]) if found else {"passes": [], "gives_columns": false, "last_commits": {}} -%}
    {%- if ddl.last_commits or redriven or not had_rows -%}
        {%- do ticdc.add_batch(target, is_anew=not had_rows, rebuilt=redriven) -%}
        {%- for ddl_commits in ddl.passes -%}
            {%- do run_query(ticdc.batch_statement(target, target, ticdc.rows_of_ddl_commits(target, ddl_commits, known))) -%}
        {%- endfor -%}
        {%- if ddl.gives_columns -%}
            {%- do run_query(ticdc.batch_statement(target, target, ticdc.rows_with_new_columns(target, settled, through))) -%}
        {%- endif -%}
        {%- do settled.bounds.update(ddl.last_commits) -%}
        {%- do settled.bounds.update(through) -%}
        {%- do ticdc.merge_batches(target) -%}
        {%- do ticdc.settle(target, {"run_id": ticdc.run_id() | int, "bounds": settled.bounds, "redriven": changes.get("redriven", {}), "of": of}) -%}
    {%- elif settled.get("of") != of -%}
        {%- do ticdc.settle(target, dict(settled, of=of)) -%}
    {%- else -%}
        {%- do ticdc.note_built(target) -%}
    {%- endif -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
