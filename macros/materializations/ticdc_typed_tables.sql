{% materialization ticdc_typed_tables, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(load_cached_relation(target), "plan") -%}
    {%- set answer = fromjson(run_query(sql).rows[0][0]) -%}
    {%- set tables = answer.tables -%}
    {%- do ticdc.choose_histories(tables) -%}
    {%- set schemas = ticdc.schemas_there() if answer.names else [] -%}
    {%- set standing = ticdc.standing_relations(answer, schemas) -%}
    {%- do ticdc.store_histories(target, answer, standing, schemas) -%}
    {#- a run that goes on after this one was killed has to know what may be read -#}
    {%- set pending = tables | selectattr("is_pending") | list -%}
    {%- do ticdc.remember_typed_tables(target, pending, is_pending=true) if pending -%}
    {%- do ticdc.make_typed_relations(tables, standing, schemas) -%}
    {%- do ticdc.note_storages(tables | map(attribute="stored_rows")) -%}
    {%- do ticdc.note_storages(tables | map(attribute="history")) -%}
    {%- do ticdc.remember_typed_tables(target, tables + answer.gone) -%}
    {%- do ticdc.drop_stale_relations(answer, standing) -%}
    {%- do ticdc.settle(target, {"made": true}) -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
