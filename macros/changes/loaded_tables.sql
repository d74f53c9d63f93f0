{% macro loaded_tables(loads) %}
    {% set tables = {} %}
    {% set found = {} %}
    {% set of_loads = [] %}
    {% for load in loads %}
        {% do of_loads.append(
            "(feed = " ~ ticdc.text_literal(load.feed) ~ " and schema_key = " ~ ticdc.text_literal(load.schema | lower)
            ~ " and table_key = " ~ ticdc.text_literal(load.table | lower) ~ " and valid_from_ts = " ~ load.commit_ts ~ ")"
        ) %}
    {% endfor %}
    {% set versions = ref("int_ticdc__table_versions") %}
    {% for row in (ticdc.asked(
        "select feed, schema_key, table_key, valid_from_ts, md5(to_json(struct(table_id, table_incarnation, columns))), contains(columns, '\"key\":') from "
        ~ ticdc.rows_of(versions) ~ " where " ~ of_loads | join(" or "),
        [versions]
    ) if of_loads else []) %}
        {% do found.update({(row[0], row[1], row[2], row[3]): {"fingerprint": row[4], "has_key": row[5]}}) %}
    {% endfor %}
    {% for load in loads %}
        {% do tables.update({load.id: found.get((load.feed, load.schema | lower, load.table | lower, load.commit_ts), {})}) %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
