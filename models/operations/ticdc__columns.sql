with

versions as (

    select
        * except (columns),
        from_json(
            columns,
            'array<struct<column_id: int, name: string, type: string, key: int, nullable: boolean, '
            || 'default: string, default_expression: string, generated: string, auto_increment: boolean, '
            || 'collation: string>>',
            map('mode', 'FAILFAST')
        ) as columns
    from {{ ticdc.published_rows(ref("int_ticdc__catalogue")) }} as catalogue
    where record = 'version'

)

select
    feed,
    schema_name,
    table_name,
    table_id,
    table_incarnation,
    valid_from_ts,
    valid_to_ts,
    place + 1 as ordinal_position,
    each.name as column_name,
    each.column_id,
    each.type as column_type,
    each.key as key_position,
    each.nullable as is_nullable,
    coalesce(each.default, each.default_expression) as column_default,
    each.generated,
    each.auto_increment as is_auto_increment,
    each.collation,
    origin
from versions
    lateral view posexplode(columns) exploded as place, each
