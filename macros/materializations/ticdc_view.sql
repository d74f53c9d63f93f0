{% materialization ticdc_view, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="view") -%}
    {%- set docs = config.persist_column_docs() -%}
    {%- set fingerprint = local_md5(sql) -%}
    {#- of the text that the view was made by; what dbt asked of all relations as it began saves a question for each -#}
    {%- set noted = modules.re.search("ticdc[.]fingerprint=([0-9a-f]+)", existing.information or "") if existing -%}
    {%- set asks = existing and not noted and ticdc.is_built(existing) -%}
    {%- set told = run_query("show tblproperties " ~ existing).rows if asks else [] -%}
    {%- set told = told | selectattr(0, "equalto", "ticdc.fingerprint") | map(attribute=1) | first -%}
    {%- set known = noted.group(1) if noted else told -%}
    {%- do ticdc.begin_model(existing) -%}
    {{ run_hooks(pre_hooks) }}

    {#- it may be made unready: not what `alter view` takes comments from, nor what the run before left so, which may
        fail again -#}
    {%- set columns = model.columns.values() | selectattr("data_type") | list -%}
    {%- if columns and (known or not existing) and not docs -%}
        {%- do ticdc.memory().setdefault("views", {}).update({this | string: {"sql": sql, "columns": columns}}) -%}
    {%- endif -%}
    {%- if existing is not none and existing.is_view and not ticdc.is_refresh() and known == fingerprint -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- elif existing is not none and existing.is_view and not docs -%}
        {#- `create or replace` would drop it first, and readers would miss it; until it ends it is of no text -#}
        {%- set mark = "alter view " ~ target ~ " set tblproperties ('ticdc.fingerprint' = '" -%}
        {%- do run_query(mark ~ "')") -%}
        {%- call statement("main") -%}
            alter view {{ target }} as
            {{ sql }}
        {%- endcall -%}
        {%- do run_query(mark ~ fingerprint ~ "')") -%}
    {%- else -%}
        {%- do adapter.drop_relation(existing) if existing is not none and not existing.is_view -%}
        {%- call statement("main") -%}
            create or replace view {{ target }}
            {%- if docs %} (
            {{ get_persist_docs_column_list(model.columns, get_columns_in_query(sql)) }}
            )
            {%- endif %}
            {{ comment_clause() }}
            tblproperties ('ticdc.fingerprint' = '{{ fingerprint }}')
            as
            {{ sql }}
        {%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_last_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
