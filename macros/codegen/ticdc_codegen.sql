{% macro ticdc_codegen(feed, history=false) %}
    {% set relations, models, feeds = {}, [], {} %}
    {% for name in ["int_ticdc__publication", "int_ticdc__table_states", "int_ticdc__typed_tables"] %}
        {% do relations.update({name: ref("ticdc", name) | string}) %}
    {% endfor %}
    {% set request = ticdc.json_literal({"feed": feed, "history": history, "relations": relations}) %}
    {% set query = run_query("select ticdc_codegen_query(" ~ request ~ ")").rows[0][0] %}
    {% for of_feed, of_table in run_query(query).rows %}
        {% do feeds.update({of_feed: true}) %}
        {% do models.extend(fromjson(of_table)) if of_table %}
    {% endfor %}
    {% if feed not in feeds %}
        {% do exceptions.raise_compiler_error(
            "ticdc: feed " ~ tojson(feed) ~ " has no typed tables; feeds that have: "
            ~ (feeds | sort | join(", ") or "none")
        ) %}
    {% endif %}
    {% for model in models | sort(attribute="name") %}
        {% do print("-- " ~ model.name ~ ".sql\n" ~ model.sql) %}
        {% do print("# " ~ model.name ~ ".yml\n" ~ toyaml(model.yml)) %}
    {% endfor %}
{% endmacro %}
