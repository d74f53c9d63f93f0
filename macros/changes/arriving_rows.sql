{% macro arriving_rows(settled, progress) %}
    {% set rows = ref("int_ticdc__rows") %}
    {% set arriving = {"first_commit_ts": 0, "first_commits": {}, "has_bags": false, "first_bag_commit_ts": 0, "updated": [], "is_exact": true, "waits_for_cells": [false]} %}
    {% if settled != progress %}
        {% set first_bag_commits, waits_for_cells = [], {} %}
        {% for row in ticdc.rows_if_built(rows, ticdc.arrivals_by_feed(settled, progress, rows)) %}
            {% do arriving.first_commits.update({row.feed: row.first_commit_ts | int}) %}
            {% if row.some_are_updates %}{% do arriving.updated.append(row.feed) %}{% endif %}
            {% if row.some_are_inexact %}{% do arriving.update({"is_exact": false}) %}{% endif %}
            {% if row.some_are_whole %}{% do waits_for_cells.update({false: true}) %}{% endif %}
            {% if row.some_wait_for_cells %}{% do waits_for_cells.update({true: true}) %}{% endif %}
            {% if row.first_keyless_commit_ts is not none %}{% do first_bag_commits.append(row.first_keyless_commit_ts | int) %}{% endif %}
        {% endfor %}
        {% do arriving.update({
            "first_commit_ts": arriving.first_commits.values() | min | default(0),
            "has_bags": first_bag_commits | length > 0,
            "first_bag_commit_ts": first_bag_commits | min | default(0),
            "waits_for_cells": waits_for_cells | list or [false],
        }) %}
    {% endif %}
    {% do return(arriving) %}
{% endmacro %}
