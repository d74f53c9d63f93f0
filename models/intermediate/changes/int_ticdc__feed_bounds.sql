{%- set settled = ticdc.settled(ref("int_ticdc__changes")) -%}
{%- for feed, first_commit_ts in settled.get("first_commits", {}).items() %}
select
    {{ ticdc.text_literal(feed) }} as feed,
    cast({{ first_commit_ts }} as bigint) as first_commit_ts,
    cast({{ settled.bounds.get(feed, "null") }} as bigint) as complete_through_ts
{%- if not loop.last %}
union all
{%- endif %}
{%- else %}
select
    cast(null as string) as feed,
    cast(null as bigint) as first_commit_ts,
    cast(null as bigint) as complete_through_ts
where false
{%- endfor %}
