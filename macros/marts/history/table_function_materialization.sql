{% materialization ticdc_table_function, adapter="spark" %}
    {%- set target = this.incorporate(type="view") -%}
    {{ run_hooks(pre_hooks) }}
    {% call statement("main") -%}
        create or replace function {{ this }}({{ config.require("arguments") }}) returns table return
        {{ sql }}
    {%- endcall %}
    {{ run_hooks(post_hooks) }}
    {{ return({"relations": []}) }}
{% endmaterialization %}
