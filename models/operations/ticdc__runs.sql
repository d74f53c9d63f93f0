select * except (batch_id) from {{ ref("int_ticdc__runs") }}
