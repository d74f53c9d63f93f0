{% test no_dead_letters(model, at_most=0) %}
{% if at_most is boolean or at_most is not integer or at_most < 0 %}
    {% do exceptions.raise_compiler_error(
        "ticdc: at_most of the test no_dead_letters must be one of 0, 1, 2, … Got: " ~ at_most | tojson
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

)

select *
from dead_letters
where (select sum(messages) from dead_letters) > {{ at_most }}
{% endtest %}
