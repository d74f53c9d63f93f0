{% materialization ticdc_typed_relations, adapter="spark" %}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {#- one that is built without the plans has nothing decided, and the next run decides it -#}
    {%- set typed, kind, changes = ticdc.typed_context().decided, config.require("kind"), [] -%}
    {%- if typed -%}
        {%- for table in typed.answer.tables -%}
            {%- do changes.extend(table.changes | selectattr("kind", "equalto", kind)) -%}
        {%- endfor -%}
        {%- do ticdc.make_relations(changes, typed.existing, typed.answer.stubs.get(kind)) -%}
        {%- do typed.made.append(kind) -%}
    {%- endif -%}

    {% call noop_statement("main", "OK" if changes else "NOTHING NEW") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_last_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
