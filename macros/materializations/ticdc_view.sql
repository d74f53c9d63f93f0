{% materialization ticdc_view, adapter="spark" %}
    {%- set existing, target = load_cached_relation(this), this.incorporate(type="view") -%}
    {%- set fingerprint, known = local_md5(sql), ticdc.fingerprint(existing) if existing else none -%}
    {%- do ticdc.begin_model() -%}
    {{ run_hooks(pre_hooks) }}

    {%- do ticdc.check_own(existing) -%}
    {#- it may be made unready: not what `alter view` takes comments from, nor what the run before left so, which may fail again -#}
    {%- set columns = model.columns.values() | selectattr("data_type") | list -%}
    {%- if columns and (known or not existing) and not config.persist_column_docs() -%}
        {%- do ticdc.memory().setdefault("views", {}).update({this | string: {"sql": sql, "columns": columns}}) -%}
    {%- endif -%}
    {%- if existing is none or not existing.is_view or ticdc.is_refresh() or known != fingerprint -%}
        {%- if existing is not none and not existing.is_view -%}
            {%- do adapter.drop_relation(existing) -%}
            {%- set existing = none -%}
        {%- endif -%}
        {%- call statement("main") -%}
            {{ ticdc.create_own_view(existing, target, fingerprint, sql) }}
        {%- endcall -%}
        {%- if existing is not none -%}
            {%- do run_query("alter view " ~ target ~ " set tblproperties ('ticdc.fingerprint' = '" ~ fingerprint ~ "')") -%}
        {%- endif -%}
    {%- else -%}
        {%- call noop_statement("main", "UNCHANGED") -%}{%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {%- do ticdc.end_model() -%}
    {{ return({"relations": [target]}) }}
{% endmaterialization %}
