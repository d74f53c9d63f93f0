{% materialization ticdc_typed_plans, adapter="spark" %}
    {%- set target = this.incorporate(type="table") -%}
    {%- do ticdc.begin_model(load_cached_relation(target), "plan") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set answer = ticdc.answer_of(sql) -%}
    {%- set found = run_query("show schemas").rows | map(attribute=0) if answer.names else [] -%}
    {%- set schemas = found | map("replace", "`", "") | map("lower") | list -%}
    {%- set existing = ticdc.existing_relations(answer, schemas) -%}
    {%- do ticdc.store_histories(target, answer, existing) -%}
    {#- a run that goes on after this one was killed has to know what may be read -#}
    {%- set pending = answer.tables | selectattr("is_pending") | list -%}
    {%- do ticdc.add_plans(target, pending, is_pending=true) if pending or load_cached_relation(target) is none -%}
    {#- in a schema that is refused Spark refuses each relation -#}
    {%- set making = [] -%}
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
