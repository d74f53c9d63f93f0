{# The statement that writes rows as a batch, that of this run unless one is named. The rows of each file are sorted
   where the model's config names columns in `sorted_by`. #}
{% macro batch_statement(existing, target, sql, batch_id=none) %}
    {%- set batch -%}
    select
        *,
        {{ batch_id or ticdc.run_id() }} as batch_id
    from (
    {{ sql }}
    )
    {% if config.get("sorted_by") -%}
    sort by {{ config.get("sorted_by") | join(", ") }}
    {%- endif %}
    {%- endset -%}
    {%- if existing is none -%}
    {{ create_table_as(false, target, batch) }}
    {%- else -%}
    insert into {{ target }} by name {{ batch }}
    {%- endif -%}
{% endmacro %}

{# Gives the table that is there, where it may be written to: none where another version of the package made it and no
   row of it counts, as it is dropped then. Raises an error where that would lose rows, and tells how to make it
   anew. #}
{% macro fitting_table(existing, sql) %}
    {% if existing is none %}{% do return(none) %}{% endif %}
    {% set anew = "Rename or drop it: its rows are made anew from the source then" %}
    {% set problem = "ticdc: " ~ existing ~ " was made by another version of the package" %}
    {% if ticdc.has_rows() %}
        {% set missing = ticdc.missing_columns(existing, model.columns) %}
        {% set remedy = anew if config.get("is_kept") else "Build all models of the package once with --full-refresh" %}
        {% if missing %}
            {% set missing = missing | join(", ") %}
            {% do exceptions.raise_compiler_error(problem ~ ": it has no column " ~ missing ~ ". " ~ remedy) %}
        {% endif %}
        {% do return(existing) %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(existing) | map(attribute="name") | sort %}
    {% set wanted = (get_columns_in_query("select * from (\n" ~ sql ~ "\n)") + ["batch_id"]) | sort %}
    {% if existing.is_table and columns == wanted %}{% do return(existing) %}{% endif %}
    {% if config.get("is_kept") %}
        {% do exceptions.raise_compiler_error(
            problem ~ ", as its columns tell: " ~ columns | join(", ") ~ "; expected " ~ wanted | join(", ") ~ ". "
            ~ anew
        ) %}
    {% endif %}
    {% if existing.is_table and config.get("location_root") %}
        {% do exceptions.raise_compiler_error(
            problem ~ ", and Spark leaves its files where +location_root has them, " ~ config.get("location_root")
            ~ ": drop it and remove them: its rows are made anew then"
        ) %}
    {% endif %}
    {% do adapter.drop_relation(existing) %}
    {% do return(none) %}
{% endmacro %}

{# Gives those of some columns that a relation has not, as dbt noted it when it began; none where it did not. #}
{% macro missing_columns(relation, columns) %}
    {# what dbt asked of all relations as it began saves a question for each #}
    {% set noted = modules.re.findall("(?m)^ [|]-- (.*?): ", relation.information or "") %}
    {% do return(columns | reject("in", noted) | list if noted else []) %}
{% endmacro %}

{# Raises an error where a relation stands in the place of a model that the package did not make: it bears no property
   of the package, and lacks the column by which older versions' ones are known. #}
{% macro check_own(existing, column=none) %}
    {% if existing is none %}{% do return(none) %}{% endif %}
    {% set information = existing.information or "" %}
    {% set is_marked = modules.re.search("(?m)^Table Properties: .*ticdc[.]", information) %}
    {% if is_marked or (column and " |-- " ~ column ~ ": " in information) %}{% do return(none) %}{% endif %}
    {% for row in run_query("show tblproperties " ~ existing).rows if row[0].startswith("ticdc.") %}
        {% do return(none) %}
    {% endfor %}
    {% do exceptions.raise_compiler_error(
        "ticdc: " ~ existing ~ " is there already, and this package did not make it. Rename or drop it, or give the"
        ~ " models of the package another schema (+schema below models: ticdc in dbt_project.yml)"
    ) %}
{% endmacro %}
