{% macro bounds_as_of(tso, feed_bounds) %}
    select
        feed,
        case
            when {{ tso }} < first_commit_ts
                then raise_error('ticdc: feed ' || feed || ' begins at commit ' || first_commit_ts || ', got ' || {{ tso }})
            when {{ tso }} > complete_through_ts
                then raise_error(
                    'ticdc: feed ' || feed || ' is complete through commit ' || complete_through_ts || ', got ' || {{ tso }}
                )
            else {{ tso }}
        end as as_of_ts
    from {{ feed_bounds }}
{% endmacro %}
