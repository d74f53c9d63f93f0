{% macro leases() %}
    {% set schema = "`" ~ graph.nodes["model.ticdc.int_ticdc__changes"].schema ~ "`" %}
    {% set numbers, found = [], {"relations": {}, "newest": {}, "schema": schema} %}
    {% for row in run_query("show tables in " ~ schema ~ " like 'ticdc__lease_*'").rows %}
        {% set number = row[1].rpartition("_")[2] %}
        {% if number.isdigit() %}{% do numbers.append(number | int) %}{% endif %}
    {% endfor %}
    {% for number in numbers | sort %}
        {% do found.relations.update({number: schema ~ ".ticdc__lease_" ~ number}) %}
    {% endfor %}
    {% if numbers %}
        {% for row in run_query("show tblproperties " ~ found.relations[numbers | max]).rows if row[0] == "ticdc.lease" %}
            {% do found.newest.update(fromjson("".encode().fromhex(row[1]).decode()), number=numbers | max) %}
        {% endfor %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}
