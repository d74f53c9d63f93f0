{% materialization ticdc_typed_relations, adapter="spark" %}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}
    {%- set changed = ticdc.make_typed_relations(config.require("kind")) -%}

    {% call noop_statement("main", "OK" if changed else "NOTHING NEW") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_last_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
