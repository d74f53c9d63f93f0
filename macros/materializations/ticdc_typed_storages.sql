{% materialization ticdc_typed_storages, adapter="spark" %}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- set blocks, stored, taken = [], [], ticdc.taken(sql) -%}
    {%- set tables = [] if taken.is_idle else ticdc.answer_of(taken.query).tables -%}
    {%- for table in tables -%}
        {%- set statements = (table.history.statements if table.history else []) + table.statements -%}
        {%- do blocks.append({"place": loop.index0, "statements": statements}) -%}
    {%- endfor -%}
    {%- set refused = ticdc.tried_statements(blocks | selectattr("statements")) -%}
    {#- what is refused here, or not known, `int_ticdc__typed_plans` makes anew, and tells of -#}
    {%- for table in tables -%}
        {%- do stored.extend([table.stored_rows, table.history]) if loop.index0 not in refused -%}
    {%- endfor -%}
    {%- do ticdc.note_storages(stored) -%}
    {%- set outdated = ticdc.outdated_storages(ticdc.state()) -%}
    {%- for name in outdated -%}{%- do ticdc.state().models.pop(name) -%}{%- endfor -%}
    {%- if tables or outdated -%}
        {%- do ticdc.settle(this, {"made": true}) -%}
    {%- else -%}
        {%- do ticdc.note_built(this) -%}
    {%- endif -%}

    {% call noop_statement("main", "OK" if blocks | selectattr("statements") | list else "NOTHING NEW") %}{% endcall %}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
