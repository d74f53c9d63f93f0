{% materialization ticdc_typed_tables, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(load_cached_relation(target), "plan") -%}
    {%- set latest = ref("int_ticdc__latest") -%}
    {%- set known = ticdc.known_typed_tables(target) -%}
    {%- set rows = run_query(sql).rows | sort(attribute="feed,schema_name,table_name", case_sensitive=true) -%}
    {%- set tables = ticdc.typed_tables(rows, known, latest) -%}
    {%- set stored = ticdc.store_histories(target, tables, known) -%}
    {%- set changed = ticdc.changed_relations(tables, latest) -%}
    {%- set stale = ticdc.stale_relations(tables, known) -%}
    {%- set schemas = ticdc.schemas_there() if changed or stale else [] -%}
    {%- set standing = ticdc.standing_relations(changed + stale, schemas, known) -%}
    {#- a run that goes on after this one was killed has to know what may be read -#}
    {%- do ticdc.remember_typed_tables(target, stored, known, is_pending=true) if stored -%}
    {%- do ticdc.make_typed_relations(changed, standing, schemas) -%}
    {%- do ticdc.note_storages(tables) -%}
    {%- do ticdc.remember_typed_tables(target, tables, known) -%}
    {%- do ticdc.drop_stale_relations(tables, stale, standing) -%}
    {%- do ticdc.settle(target, {"made": true}) -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
