{% macro sql_type(mysql_type, observed) %}
    {% set word = modules.re.match("[a-z]*", mysql_type | lower).group() %}
    {% set unsigned = " unsigned" in mysql_type | lower %}
    {% set lengths = modules.re.findall("[0-9]+", mysql_type.split(")")[0]) if word in ["decimal", "bit"] else [] %}
    {% set integers = {
        "tinyint": ["tinyint", "smallint"],
        "smallint": ["smallint", "int"],
        "mediumint": ["int", "int"],
        "int": ["int", "bigint"],
        "bigint": ["bigint", "decimal(20,0)"],
    } %}
    {% set others = {
        "float": "float",
        "double": "double",
        "date": "date",
        "datetime": "timestamp_ntz",
        "timestamp": "timestamp",
        "year": "int",
        "set": "array<string>",
        "vector": "array<float>",
    } %}
    {% if word in integers %}
        {% do return(integers[word][1 if unsigned else 0]) %}
    {% elif word == "decimal" %}
        {% do return(ticdc.decimal_type(lengths, observed or [0, 0])) %}
    {% elif word == "bit" %}
        {% set digits = (observed or [0])[0] %}
        {% do return("decimal(20,0)" if lengths == ["64"] or (not lengths and digits > 18) else "bigint") %}
    {% elif word.endswith("binary") or word.endswith("blob") %}
        {% do return("binary") %}
    {% endif %}
    {% do return(others.get(word, "string")) %}
{% endmacro %}
