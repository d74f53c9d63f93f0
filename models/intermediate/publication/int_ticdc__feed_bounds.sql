select
    feed,
    bounds.first_commit_ts,
    bounds.complete_through_ts
from {{ ref("int_ticdc__publication") }}
    lateral view explode(feed_bounds) exploded as feed, bounds
