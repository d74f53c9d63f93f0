{% materialization ticdc_plan, adapter="spark" %}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- set taken = ticdc.taken(sql) -%}
    {%- if taken.is_idle -%}
        {%- do ticdc.note_built(this) -%}
    {%- else -%}
        {%- do ticdc.settle(this, dict(taken.settles, planned_by=ticdc.run_id() | int)) -%}
    {%- endif -%}

    {%- call noop_statement("main", "NOTHING NEW" if taken.is_idle else "OK") -%}{%- endcall -%}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
