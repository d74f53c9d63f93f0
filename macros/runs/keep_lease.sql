{% macro keep_lease(force=false) %}
    {% set lease, now = ticdc.memory().get("lease"), modules.datetime.datetime.now(modules.pytz.utc).timestamp() %}
    {% set seconds = var("ticdc__lease_minutes", 60) * 60 %}
    {% if lease and (force or now > lease.renewed + seconds / 4) %}
        {% set newest = ticdc.leases().newest %}
        {# numbers begin anew where somebody released all leases #}
        {% if newest.get("number") != lease.number or newest.who != lease.who %}
            {% do exceptions.raise_compiler_error(
                "ticdc: the lease of this run ended, and " ~ newest.get("who", "somebody") ~ " took or released it: this run stops"
                ~ " (ticdc__lease_minutes, " ~ seconds // 60 ~ ", must be longer than the longest statement)"
            ) %}
        {% endif %}
        {% do lease.update({"renewed": now, "until": now + seconds}) %}
        {% do run_query("alter table " ~ lease.relation ~ " set " ~ ticdc.lease_property(lease)) %}
    {% endif %}
{% endmacro %}
