{% materialization ticdc_typed_storages, adapter="spark" %}
    {%- do ticdc.keep_lease() -%}
    {%- do ticdc.use_timestamp_type("TIMESTAMP_LTZ") -%}
    {{ run_hooks(pre_hooks) }}

    {%- set latest, blocks = ref("int_ticdc__latest"), [] -%}
    {%- set tables = ticdc.tables_to_store(ticdc.relation_of("int_ticdc__typed_plans"), sql) -%}
    {%- for table in tables -%}
        {%- set statements = ticdc.history_statements(table) + ticdc.typed_storage(table, latest) -%}
        {%- if statements -%}{%- do blocks.append({"place": loop.index0, "statements": statements}) -%}{%- endif -%}
    {%- endfor -%}
    {%- set refused = ticdc.tried_statements(blocks) -%}
    {%- set stored = [] -%}
    {#- what is refused here, or not known, `int_ticdc__typed_plans` makes anew, and tells of -#}
    {%- for table in tables -%}{%- do stored.append(table) if loop.index0 not in refused -%}{%- endfor -%}
    {%- do ticdc.note_storages(stored) -%}
    {%- set outdated = ticdc.outdated_storages() -%}
    {%- for name in outdated -%}{%- do ticdc.state().models.pop(name) -%}{%- endfor -%}
    {%- if tables or outdated -%}{%- do ticdc.settle(this, {"made": true}) -%}{%- endif -%}

    {% call noop_statement("main", "OK" if blocks else "NOTHING NEW") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.use_timestamp_type() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
