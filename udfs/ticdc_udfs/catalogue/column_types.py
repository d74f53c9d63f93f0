"""A column's type and default, as DDL text and `information_schema` tell them.

Values are canonical text (design of the changelog: the text of TiDB's `CAST(column AS CHAR)`).
"""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sqlglot import TokenType

from ticdc_udfs.catalogue.casts import BITS, Type, cast, type_of
from ticdc_udfs.contract import values
from ticdc_udfs.contract.schemas import labelled_type

Literal = tuple[TokenType, str]
"""A literal's kind and its text without quotes."""
BYTES = frozenset({TokenType.HEX_STRING, TokenType.BIT_STRING})
"""The kinds of literals whose text is that of bytes."""

_SYNONYMS = {
    "int1": "tinyint",
    "int2": "smallint",
    "int3": "mediumint",
    "middleint": "mediumint",
    "int4": "int",
    "integer": "int",
    "int8": "bigint",
    "dec": "decimal",
    "numeric": "decimal",
    "fixed": "decimal",
    "float4": "float",
    "float8": "double",
    "real": "double",
    "character": "char",
    "nchar": "char",
    "nvarchar": "varchar",
    "varcharacter": "varchar",
}
_WIDTHS = {
    "tinyint": ("4", "3"),
    "smallint": ("6", "5"),
    "mediumint": ("9", "8"),
    "int": ("11", "10"),
    "bigint": ("20", "20"),
}
_FIXED_PARAMETERS = {"bit": ("1",), "char": ("1",), "binary": ("1",), "year": ("4",), "decimal": ("10", "0")}
_BINARY_TWINS = {
    "char": "binary",
    "varchar": "varbinary",
    "tinytext": "tinyblob",
    "text": "blob",
    "mediumtext": "mediumblob",
    "longtext": "longblob",
}
_BYTES_PER_CHARACTER = {"utf8mb4": 4, "utf8": 3, "utf8mb3": 3, "gbk": 2, "gb18030": 4}
_MOST_OF_VARCHAR = 65_535
_LENGTHS = (("tiny", 255), ("", 65_535), ("medium", 16_777_215))
_SIZED = re.compile(r"(text|blob|varchar|varbinary)\((\d+)\)", re.ASCII)
KNOWN_TYPES = frozenset(
    {*_SYNONYMS, *_WIDTHS, *_FIXED_PARAMETERS, *_BINARY_TWINS, *_BINARY_TWINS.values()}
    | {"float", "double", "date", "datetime", "timestamp", "time", "json", "enum", "set", "vector"}
    | {"bool", "boolean", "serial", "long", "national", "geometry", "point", "linestring", "polygon"}
)

_DEFAULT_COLLATIONS = {"gbk": "gbk_chinese_ci", "gb18030": "gb18030_chinese_ci", "binary": "binary"}
_ENCODINGS = frozenset({"gbk", "gb18030"})
_FRACTION = re.compile(r"\((\d)\)")
_ANY_CASE = "utf8mb4_general_ci"
_TEXT = type_of("longtext")
_NOW = re.compile(r"(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)(?:\(([1-6]?)0?\))?", re.IGNORECASE)
_MOMENTS = {
    "datetime": "%Y-%m-%d %H:%M:%S",
    "timestamp": "%Y-%m-%d %H:%M:%S",
    "date": "%Y-%m-%d",
    "time": "%H:%M:%S",
}


def type_text(word: str, parameters: tuple[str, ...], *, unsigned: bool = False, charset: str | None = None) -> str:
    """The type as `information_schema.columns.COLUMN_TYPE` has it: `int(11)`, `decimal(10,0)`, `enum('a','b')`.

    `word` is the type's first word in lower case, `parameters` what stood in its parentheses (labels without quotes),
    `charset` the column's own character set. ZEROFILL, which makes a type unsigned, is not shown there. What the
    character set of the table makes of it is `stored_type`.
    """
    word = _SYNONYMS.get(word, word)
    if word in ("enum", "set"):
        return labelled_type(word, [label.rstrip(" ") for label in parameters])
    if charset == "binary":
        word = binary_type(word)
    if word == "float" and len(parameters) == 1:
        word, parameters = ("float" if int(parameters[0]) <= 24 else "double"), ()
    if word in _WIDTHS:
        parameters = parameters or (_WIDTHS[word][unsigned],)
    elif word == "decimal" and set(parameters) == {"0"}:
        parameters = ()
    elif word == "decimal" and len(parameters) == 1:
        parameters = (parameters[0], "0")
    elif word in ("datetime", "timestamp", "time") and parameters == ("0",):
        parameters = ()
    parameters = parameters or _FIXED_PARAMETERS.get(word, ())
    return word + (f"({','.join(parameters)})" if parameters else "") + (" unsigned" if unsigned else "")


def binary_type(column_type: str) -> str:
    """The type that TiDB makes of a text type whose character set is `binary`; others stay."""
    word, parenthesis, rest = column_type.partition("(")
    return _BINARY_TWINS.get(word, word) + parenthesis + rest


def stored_type(column_type: str, charset: str) -> str:
    """The type that TiDB makes of one in a character set: in `binary`, texts are bytes.

    TEXT(n), BLOB(n) and a VARCHAR of more bytes than one can have become the smallest type that holds n characters.
    """
    if charset == "binary":
        column_type = binary_type(column_type)
    sized = _SIZED.fullmatch(column_type)
    if sized is None:
        return column_type
    word, of_text = sized[1], sized[1] in ("text", "varchar")
    size = int(sized[2]) * (_BYTES_PER_CHARACTER.get(charset, 1) if of_text else 1)
    if word.startswith("var") and size <= _MOST_OF_VARCHAR:
        return column_type
    prefix = next((prefix for prefix, most in _LENGTHS if size <= most), "long")
    return prefix + ("text" if of_text else "blob")


def is_zoned(column_type: str, default: str) -> bool:
    """Whether TiDB read a constant default in the time zone of the session: a TIMESTAMP, but for the zero date."""
    return values.base_type(column_type) == "timestamp" and not default.startswith("0000")


def is_text(column_type: str) -> bool:
    """Whether values of the type have a collation."""
    base = values.base_type(column_type)
    return base.endswith("text") or base in ("char", "varchar", "enum", "set")


def default_collation(charset: str) -> str:
    """The collation of a character set where none is named, as TiDB has it."""
    return _DEFAULT_COLLATIONS.get(charset, f"{charset}_bin")


class Default(NamedTuple):
    """A DEFAULT clause: canonical text, or the text of an expression, or neither (NULL, or no clause)."""

    text: str | None = None
    expression: str | None = None


def default_of(column_type: str, literal: Literal) -> Default:
    """The canonical text of a constant default, a TIMESTAMP's as if the time zone of the session were UTC.

    A literal whose value the session decides, such as a DATETIME with an offset, counts as an expression.
    """
    kind, text = literal
    try:
        return Default(_constant(type_of(column_type, _ANY_CASE), kind, text))
    except (ValueError, ArithmeticError):
        return Default(expression="'" + text.replace("'", "''") + "'" if kind is TokenType.STRING else text)


def default_in(charset: str, column_type: str, literal: Literal) -> Default:
    """`default_of` where a text is of a character set: hexadecimal and bit literals are bytes of it."""
    raw = _bytes(*literal)
    if raw is not None and charset in _ENCODINGS and is_text(column_type):
        try:
            literal = TokenType.STRING, raw.decode(charset)
        except UnicodeDecodeError:
            return Default(expression=literal[1])
    return default_of(column_type, literal)


def computed_default(expression: str) -> Default:
    """A default that is no constant; the present time has one name, as in `information_schema`."""
    now = _NOW.fullmatch(expression)
    if now is None:
        return Default(expression=expression)
    return Default(expression="CURRENT_TIMESTAMP" + (f"({now[1]})" if now[1] else ""))


def moment(column_type: str, expression: str, commit_ts: int) -> str | None:
    """What a default of the present time gives at a commit, in UTC; None for any other expression."""
    pattern = _MOMENTS.get(values.base_type(column_type))
    if pattern is None or not expression.upper().startswith(("CURRENT_", "CURDATE", "CURTIME")):
        return None
    milliseconds = commit_ts >> 18
    at = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return at.strftime(pattern) + _fraction(column_type, f"{milliseconds % 1000:03}")


def exported_default(column_type: str, text: str | None, *, is_expression: bool = False) -> Default:
    """A default as `information_schema.columns.COLUMN_DEFAULT` has it; EXTRA says whether it is an expression."""
    if text is None:
        return Default()
    if is_expression:
        return computed_default(text)
    base = values.base_type(column_type)
    if base in ("datetime", "timestamp", "date", "time") and text.upper().startswith("CURRENT_"):
        return computed_default(text)
    if base == "bit" and text.startswith("b'"):
        return default_of(column_type, (TokenType.BIT_STRING, text[2:-1]))
    if base.endswith(("binary", "blob")) and "\ufffd" in text:
        return Default(expression=text)
    return default_of(column_type, (TokenType.STRING, text))


def zero_value(column_type: str) -> str | None:
    """What TiDB gives a column that is NOT NULL without default in rows that were there before it."""
    base = values.base_type(column_type)
    if base == "enum":
        return (values.labels(column_type) or ("",))[0]
    if base in ("date", "datetime", "timestamp"):
        return "0000-00-00" if base == "date" else "0000-00-00 00:00:00" + _fraction(column_type, "")
    if base == "vector":
        return "[]"
    zeros = {"time": "00:00:00", "year": "0000", "json": "null"}
    if base in zeros:
        return default_of(column_type, (TokenType.STRING, zeros[base])).text
    if is_text(column_type) or base.endswith(("binary", "blob")):
        return default_of(column_type, (TokenType.STRING, "")).text
    return default_of(column_type, (TokenType.NUMBER, "0")).text


def type_of_both(one: str, other: str) -> str | None:
    """A type that holds the texts of both types as they are; None where they do not mean the same."""
    if one == other:
        return one
    types = type_of(one), type_of(other)
    families = {each.family for each in types}
    if families == {"int"} and (integer := _integer_of_both(*types)) is not None:
        return integer
    sizes = [_digits(each) for each in types]
    if families <= {"int", "decimal"} and all(sizes):
        before, after = (max(each) for each in zip(*sizes, strict=True))
        return f"decimal({before + after},{after})"
    if families == {"bit"}:
        return max(one, other, key=lambda each: type_of(each).sizes)
    if families == {"float"}:
        return "double"
    if families == {"date", "datetime"}:
        return "datetime"
    if len(families) == 1 and families != {"decimal"}:
        return other
    return None if families & {"binary", "timestamp"} else "text"


def _integer_of_both(one: Type, other: Type) -> str | None:
    low, high = (bound(each) for bound, each in zip((min, max), zip(one.range, other.range, strict=True), strict=True))
    words = [word + sign for word in BITS for sign in ("", " unsigned")]
    fits = (word for word in words if type_of(word).range[0] <= low and high <= type_of(word).range[1])
    return next(fits, None)


def _digits(of: Type) -> tuple[int, ...]:
    """The most digits before and after the point; none where the type does not tell them."""
    if of.family == "int":
        return len(str(max(map(abs, of.range)))), 0
    return (of.sizes[0] - of.sizes[1], of.sizes[1]) if len(of.sizes) == 2 else ()


def _constant(target: Type, kind: TokenType, text: str) -> str | None:
    """The canonical text of a literal, as TiDB stores a default and casts it (`getDefaultValue` in pkg/ddl)."""
    if target.family == "timestamp":
        target = target._replace(base="datetime", family="datetime")
    raw = _bytes(kind, text)
    if target.family == "bit" and kind is not TokenType.NUMBER:
        return str(int.from_bytes(text.encode() if raw is None else raw))
    if raw is not None and target.family in ("text", "binary", "enum", "set"):
        source, text = type_of("longblob"), b64encode(raw).decode("ascii")
        return cast(source, target)(text)
    if kind is TokenType.NUMBER or raw is not None:
        source, text = _number(text if raw is None else str(int.from_bytes(raw)))
        if target.family in ("int", "float", "time", "bit") or (target.family != "year" and source.family == "int"):
            return cast(source, target)(text)
    if target.family == "json" and not text:
        return "null"
    return cast(_TEXT, target)(text.rstrip(" ") if target.family == "enum" else text)


def _number(text: str) -> tuple[Type, str]:
    """A number's type as a literal, and its text as TiDB shows it."""
    if "e" in text.lower():
        return type_of("double"), values.double_text(float(text))
    if "." in text:
        return type_of("decimal"), format(Decimal(text), "f")
    return type_of("bigint" if text.startswith("-") else "bigint unsigned"), str(int(text))


def _bytes(kind: TokenType, text: str) -> bytes | None:
    if kind is TokenType.HEX_STRING:
        return bytes.fromhex(text if len(text) % 2 == 0 else "0" + text)
    if kind is TokenType.BIT_STRING:
        return int(text or "0", 2).to_bytes((len(text) + 7) // 8)
    return None


def _fraction(column_type: str, digits: str) -> str:
    width = _FRACTION.search(column_type)
    return "." + digits[: int(width[1])].ljust(int(width[1]), "0") if width else ""
