{% test complete_within(model, minutes) %}
{% if minutes is boolean or minutes is not number or minutes <= 0 %}
    {% do exceptions.raise_compiler_error(
        "ticdc: minutes of the test complete_within must be one of the numbers above 0, such as 15. Got: " ~ minutes | tojson
    ) %}
{% endif %}
select
    feed,
    max(complete_through_ts) as complete_through_ts
from {{ model }}
group by feed
having
    max(complete_through_ts) is null
    or unix_millis(current_timestamp()) - shiftright(max(complete_through_ts), 18) > {{ minutes }} * 60000
{% endtest %}
