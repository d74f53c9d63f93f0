{% materialization ticdc_carried_rows, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set existing = load_cached_relation(target) -%}
    {%- do ticdc.check_own(existing, "run_id") -%}
    {%- if existing is none or should_full_refresh() -%}
        {%- if existing is not none -%}{%- do adapter.drop_relation(existing) -%}{%- endif -%}
        {%- do run_query(
            "create table " ~ target ~ " using " ~ config.get("file_format", "parquet") ~ tblproperties_clause() ~ " partitioned by (feed, run_id) as " ~ sql
        ) -%}
    {%- endif -%}
    {%- set settled = {"run_id": 0, "bounds": {}} if existing is none or should_full_refresh() else ticdc.settled(target) -%}
    {%- set changes = ticdc.settled(ref("int_ticdc__changes")) -%}
    {%- set through = dict(changes.bounds) -%}
    {%- set redriven = ticdc.redriven_feeds(settled, changes) -%}
    {%- for feed in redriven -%}{%- do settled.bounds.pop(feed, none) -%}{%- endfor -%}
    {%- set moments = run_query(ticdc.ddl_moments(settled, through)).rows -%}
    {%- if moments | length or redriven -%}
        {%- for feed in redriven -%}
            {%- do ticdc.drop_partition(target, "feed", feed) -%}
        {%- endfor -%}
        {#- what a run left that ended before it was settled -#}
        {%- for row in run_query("select distinct run_id from " ~ target ~ " where run_id > " ~ settled.run_id).rows -%}
            {%- do ticdc.drop_partition(target, "run_id", row[0]) -%}
        {%- endfor -%}
        {%- for round in ticdc.rounds_of_moments(moments) -%}
            {%- do run_query("insert into " ~ target ~ " " ~ ticdc.rows_of_moments(target, round)) -%}
        {%- endfor -%}
        {%- if moments | selectattr("gives_columns") | list -%}
            {%- do run_query("insert into " ~ target ~ " " ~ ticdc.rows_with_new_columns(target, settled, through)) -%}
        {%- endif -%}
        {%- for moment in moments if moment.feed not in through -%}
            {%- do settled.bounds.update({moment.feed: moment.commit_ts | int}) -%}
        {%- endfor -%}
        {%- do settled.bounds.update(through) -%}
        {%- do ticdc.settle({"run_id": ticdc.run_id() | int, "bounds": settled.bounds, "redriven": changes.get("redriven", {})}) -%}
    {%- endif -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
