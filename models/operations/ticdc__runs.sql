select
    run_id,
    kind,
    started_at,
    ended_at,
    state,
    who,
    messages,
    changes,
    publication,
    written_tables,
    unfinished_models,
    plan
from {{ ref("int_ticdc__runs") }}
