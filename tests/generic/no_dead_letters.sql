{% test no_dead_letters(model, at_most=0, share=none) %}
{% if at_most is boolean or at_most is not integer or at_most < 0 %}
    {% do exceptions.raise_compiler_error(
        "ticdc: at_most of the test no_dead_letters must be one of 0, 1, 2, … Got: " ~ at_most | tojson
    ) %}
{% endif %}
{% if share is not none and (share is boolean or share is not number or share < 0 or share > 1) %}
    {% do exceptions.raise_compiler_error(
        "ticdc: share of the test no_dead_letters must be a number from 0 to 1, such as 0.001. Got: " ~ share | tojson
    ) %}
{% endif %}
{{ config(fail_calc="coalesce(sum(messages), 0)") }}
with

dead_letters as (

    select
        feed,
        error_code,
        count(*) as messages
    from {{ model }}
    group by feed, error_code

),

allowed as (

    {% if share is none -%}
    select {{ at_most }} as messages
    {%- else -%}
    select greatest({{ at_most }}, {{ share }} * coalesce(sum(messages), 0)) as messages
    from {{ ref("ticdc", "ticdc__accounting") }}
    {%- endif %}

)

select *
from dead_letters
where (select sum(messages) from dead_letters) > (select messages from allowed)
{% endtest %}
