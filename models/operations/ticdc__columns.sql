with

versions as (

    select * from {{ ref("int_ticdc__catalogue") }}
    where record = 'version'

)

select
    feed,
    schema_name,
    table_name,
    table_id,
    incarnation as table_incarnation,
    valid_from_ts,
    valid_to_ts,
    place + 1 as ordinal_position,
    column.name as column_name,
    column.column_id,
    column.type as column_type,
    column.key as key_position,
    column.nullable as is_nullable,
    coalesce(column.default, column.default_expression) as column_default,
    column.generated,
    column.auto_increment as is_auto_increment,
    column.collation,
    origin
from versions
lateral view posexplode(columns) exploded as place, column
