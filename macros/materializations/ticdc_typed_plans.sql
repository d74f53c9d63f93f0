{% materialization ticdc_typed_plans, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {%- do ticdc.begin_model(load_cached_relation(target), "plan") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set answer, state, storing, making = ticdc.answer_of(sql), ticdc.state(), [], [] -%}
    {%- set found = run_query("show schemas").rows | map(attribute=0) if answer.names else [] -%}
    {%- set schemas = found | map("replace", "`", "") | map("lower") | list -%}
    {%- set existing = ticdc.existing_relations(answer, schemas) -%}
    {#- stores what the run adds to histories, or tells of them that they are not -#}
    {%- for table in answer.tables if table.history and table.history.since is not none -%}
        {%- do storing.append(table) -%}
    {%- endfor -%}
    {%- do ticdc.make_relations(storing | map(attribute="storing") | list, existing) -%}
    {%- for table in storing if table.storing.problem -%}
        {#- slow, and not wrong -#}
        {%- do state.models.pop(table.history.name, none) -%}
        {%- do answer.storages.remove(table.storing.relation) if table.storing.relation in answer.storages -%}
        {%- do table.update(dict(table.unstored, unstored_for=[table.storing.problem])) -%}
    {%- endfor -%}
    {%- if storing -%}
        {%- do ticdc.note_storages(answer.tables | map(attribute="history")) -%}
        {%- do ticdc.settle(target, {"made": true}) -%}
        {#- views that read a storage have no other rows -#}
        {%- do ticdc.publish() if answer.is_published -%}
    {%- endif -%}
    {#- a run that goes on after this one was killed has to know what may be read -#}
    {%- set pending = answer.tables | selectattr("is_pending") | list -%}
    {%- do ticdc.add_plans(target, pending, is_pending=true) if pending or load_cached_relation(target) is none -%}
    {#- in a schema that is refused Spark refuses each relation -#}
    {%- for schema, statement in answer.schemas.items() if schema not in schemas -%}
        {%- do making.append({"place": 0, "statements": [statement]}) -%}
    {%- endfor -%}
    {%- do ticdc.tried_statements(making) -%}
    {%- do ticdc.typed_context().decided.update({"answer": answer, "existing": existing, "made": []}) -%}

    {% call noop_statement("main", "OK") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
