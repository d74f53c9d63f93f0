{% macro as_of_commit(feed, tso) -%}
    {%- set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds -%}
    {%- set firsts = ticdc.first_commits() -%}
    {%- if not firsts -%}
    {{ tso }}
    {%- else -%}
    case {{ feed }}
        {%- for name, first in firsts.items() %}
        when {{ ticdc.text_literal(name) }} then
            case
                when {{ tso }} < {{ first }}
                    then raise_error('ticdc: feed {{ name }} begins at commit {{ first }}, got ' || {{ tso }})
                {%- if name in bounds %}
                when {{ tso }} > {{ bounds[name] }}
                    then raise_error(
                        'ticdc: feed {{ name }} is complete through commit {{ bounds[name] }}, got ' || {{ tso }}
                    )
                {%- endif %}
                else {{ tso }}
            end
        {%- endfor %}
        else {{ tso }}
    end
    {%- endif -%}
{%- endmacro %}
