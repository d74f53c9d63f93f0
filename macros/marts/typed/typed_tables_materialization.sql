{% materialization ticdc_typed_tables, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set latest = ref("int_ticdc__latest") -%}
    {%- set state = ticdc.settled(latest) -%}
    {%- set known = ticdc.known_typed_tables(target) -%}
    {%- set rows = run_query(sql).rows | sort(attribute="feed,schema_name,table_name", case_sensitive=true) -%}
    {%- set tables = ticdc.typed_tables(rows, known, latest, state) -%}
    {%- do ticdc.check_typed_relations(tables) -%}
    {%- for schema in tables | map(attribute="schema") | unique | sort -%}
        {%- do run_query("create schema if not exists " ~ ticdc.identifier(schema)) -%}
    {%- endfor -%}
    {%- for table in tables if table.is_stored -%}
        {%- do ticdc.fill_typed_table(table, latest) -%}
    {%- endfor -%}
    {%- for table in tables -%}
        {%- for name, statement in table.statements.items() if statement != table.known.get("statements", {}).get(name) -%}
            {%- do run_query(statement) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if load_cached_relation(target) is none or tables | rejectattr("is_known") | list or tables | length != known | length -%}
        {%- do ticdc.remember_typed_tables(target, tables) -%}
        {%- do ticdc.drop_stale_typed_tables(tables, known, state) -%}
    {%- endif -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
