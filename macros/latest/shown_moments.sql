{% macro shown_moments() %}
    {% set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds %}
    {% set moments = dict.fromkeys(bounds, 0) %}
    {% if execute and bounds %}
        {% for row in ticdc.asked(
            "select feed, max(moment_ts) from (select feed, explode(array(valid_from_ts, valid_to_ts)) as moment_ts from "
            ~ ticdc.rows_of(ref("int_ticdc__table_versions")) ~ ") where moment_ts <= " ~ ticdc.shown_through("feed", bounds) ~ " group by feed",
            [ref("int_ticdc__table_versions")]
        ) if row[0] in bounds %}
            {% do moments.update({row[0]: row[1]}) %}
        {% endfor %}
    {% endif %}
    {% do return(moments) %}
{% endmacro %}
