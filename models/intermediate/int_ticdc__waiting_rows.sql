select *
from {{ ref("int_ticdc__events") }}
where kind = 'row' and not is_resolved and claim_check is null

union all

select
    * except (protocol),
    protocol
from {{ ref("int_ticdc__claim_checks") }}
where kind = 'row' and not is_resolved
