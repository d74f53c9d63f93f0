{% macro bounds_as_of(tso) %}
    select
        feed,
        case
            when {{ tso }} < bounds.first_commit_ts
                then raise_error('ticdc: feed ' || feed || ' begins at commit ' || bounds.first_commit_ts || ', got ' || {{ tso }})
            when {{ tso }} > bounds.complete_through_ts
                then raise_error(
                    'ticdc: feed ' || feed || ' is complete through commit ' || bounds.complete_through_ts || ', got ' || {{ tso }}
                )
            else {{ tso }}
        end as as_of_ts
    from {{ ticdc.ref("int_ticdc__publication") }}
    lateral view explode(feed_bounds) exploded as feed, bounds
{% endmacro %}
