{% macro check_publication() %}
    {# a run whose lease ended may be followed by one that began from the same publication #}
    {% set found, expected = ticdc.saved_states()["publication"].number, ticdc.memory().published_number %}
    {% if found != expected %}
        {% do exceptions.raise_compiler_error(
            "ticdc: another run published while this one built: it began from publication " ~ expected ~ ", and now there is " ~ found
            ~ ". What it wrote is not shown, and the next run does its part again"
        ) %}
    {% endif %}
    {% set unbuilt = ticdc.state().get("unbuilt") %}
    {% if unbuilt %}
        {% do exceptions.raise_compiler_error(
            "ticdc: readers would see half of what changed, as these tables were not built since others that they are made of: "
            ~ unbuilt | sort | join(", ") ~ ". Build " ~ unbuilt | sort | join(", ") ~ ", or all of the package, before int_ticdc__publication"
        ) %}
    {% endif %}
    {% set outdated = ticdc.outdated_storages(ticdc.state()) %}
    {% if outdated %}
        {% do exceptions.raise_compiler_error(
            "ticdc: what this run changed of these stored tables is not in them, and would not be seen: " ~ outdated | join(", ")
            ~ ". Build int_ticdc__typed_storages, or all of the package, before int_ticdc__publication"
        ) %}
    {% endif %}
{% endmacro %}
