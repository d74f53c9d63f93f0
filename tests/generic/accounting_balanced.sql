{% test accounting_balanced(model) %}
select *
from {{ model }}
where balanced is not true
{% endtest %}
