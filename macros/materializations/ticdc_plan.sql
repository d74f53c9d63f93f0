{% materialization ticdc_plan, adapter="spark" %}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- set taken = ticdc.taken(sql) -%}
    {%- if taken.is_idle -%}
        {%- do ticdc.note_built(this) -%}
    {%- else -%}
        {%- set noted = dict(taken.settles, planned_by=ticdc.run_id() | int) -%}
        {#- some answers need no question -#}
        {%- set answer = noted.pop("answer", none) or fromjson(run_query(taken.query).rows[0][0]) -%}
        {#- the model that follows it saves both -#}
        {%- do ticdc.settle(this, dict(answer, **noted), saves=false) -%}
    {%- endif -%}

    {%- call noop_statement("main", "NOTHING NEW" if taken.is_idle else "OK") -%}{%- endcall -%}
    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": []}) }}
{% endmaterialization %}
