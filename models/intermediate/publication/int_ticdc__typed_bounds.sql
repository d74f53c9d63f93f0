select
    feed,
    first_commit_ts,
    complete_through_ts
from {{ ref("int_ticdc__feed_bounds") }}
