"""TiDB's DDL text as tokens: sqlglot's MySQL dialect, fitted to what TiCDC sends (protocol facts 0.1, line 5).

Only the tokens are sqlglot's. Its MySQL syntax tree loses what tables are made of (display widths, REAL, INT8, …) and
knows none of TiDB's partition, rename and recover statements, so `ddl` reads statements from the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from sqlglot import Token, TokenError, TokenType
from sqlglot.dialects.mysql import MySQL


class Unreadable(ValueError):
    """A text that cannot be read. Its message names the place, never the text."""


class TiDB(MySQL):
    """MySQL in which backslashes are no escapes, every word is a token of its own, and no word swallows the rest.

    In text that TiDB restored, literals of values have their backslashes doubled, labels of ENUM and SET have not
    (protocol facts 0.1, line 5).
    """

    class Tokenizer(MySQL.Tokenizer):
        """See `TiDB`."""

        STRING_ESCAPES: ClassVar[list[str]] = ["'", '"']
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind for word, kind in MySQL.Tokenizer.KEYWORDS.items() if " " not in word
        }
        COMMANDS: ClassVar[set[TokenType]] = set()


class TiDBEscaped(TiDB):
    """The same for text as a user typed it, in which backslashes are escapes."""

    class Tokenizer(TiDB.Tokenizer):
        """See `TiDBEscaped`."""

        STRING_ESCAPES = MySQL.Tokenizer.STRING_ESCAPES


_SPANS = {
    TiDB: r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)",
    TiDBEscaped: r"'[^'\\]*(?:\\.[^'\\]*)*(?:'|\Z)|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\Z)",
}
_SCANNERS = {
    dialect: re.compile(
        strings + r"|`[^`]*(?:`|\Z)|--(?=\s|\Z)[^\n]*|\#[^\n]*"
        r"|/\*(?P<mark>T!(?:\[[\w,]*\])?|!\d*)(?P<body>.*?)(?:\*/|\Z)|/\*.*?(?:\*/|\Z)",
        re.DOTALL,
    )
    for dialect, strings in _SPANS.items()
}
_STRINGS = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING})
_LITERALS = _STRINGS | {TokenType.NUMBER, TokenType.HEX_STRING, TokenType.BIT_STRING}
_NO_WORDS = _LITERALS | {TokenType.IDENTIFIER}


def cursors(sql: str, dialect: type[TiDB] = TiDB) -> Iterator[Cursor]:
    """A cursor for each statement of a text. What stands in `/*T![feature] … */` or `/*!50001 … */` is read too."""
    text = _SCANNERS[dialect].sub(_open_comment, sql)
    try:
        tokens = dialect().tokenize(text)
    except TokenError as error:
        raise Unreadable("a string, a name or a comment has no end") from error
    statement: list[Token] = []
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            statement.append(token)
        elif statement:
            yield Cursor(statement, text, dialect)
            statement = []
    if statement:
        yield Cursor(statement, text, dialect)


def _open_comment(match: re.Match[str]) -> str:
    """The text of a comment that TiDB executes, at its own place; everything else as it stands."""
    if match["mark"] is None:
        return match[0]
    body = match["body"]
    return " " * (2 + len(match["mark"])) + body + " " * (len(match[0]) - 2 - len(match["mark"]) - len(body))


class Cursor:
    """A place in the tokens of one statement.

    Words are tokens outside of quotes, compared without case; names are words or stand in backquotes.
    """

    def __init__(self, tokens: list[Token], text: str, dialect: type[TiDB] = TiDB) -> None:
        self.dialect = dialect
        self._tokens = tokens
        self._words = ["" if token.token_type in _NO_WORDS else token.text.upper() for token in tokens]
        self._words.append("")
        self._text = text
        self._place = 0

    def __bool__(self) -> bool:
        return self._place < len(self._tokens)

    @property
    def word(self) -> str:
        """The word at this place in upper case; '' where there is none. Signs are words too."""
        return self._words[self._place]

    def at(self, *words: str) -> bool:
        """Whether these words stand here, one after the other."""
        return self._words[self._place : self._place + len(words)] == list(words)

    def take(self, *words: str) -> bool:
        """Steps over these words if they stand here."""
        if self._words[self._place] != words[0] or not self.at(*words):
            return False
        self._place += len(words)
        return True

    def take_any(self, words: Iterable[str]) -> str | None:
        """Steps over the word at this place if it is one of these, and gives it."""
        word = self.word
        if word and word in words:
            self._place += 1
            return word
        return None

    def need(self, *words: str) -> None:
        """Steps over these words, which must stand here."""
        if not self.take(*words):
            raise self.error(" ".join(words))

    def error(self, wanted: str) -> Unreadable:
        """What to raise where something else was wanted here."""
        if self:
            return Unreadable(f"expected {wanted} at character {self._tokens[self._place].start + 1}")
        return Unreadable(f"expected {wanted} at the end")

    def skip(self) -> None:
        """Steps over the token at this place, or over all that its parenthesis holds."""
        if self.word == "(":
            self.parenthesized()
        elif self:
            self._place += 1
        else:
            raise self.error("more")

    def name(self) -> str:
        """A name with or without backquotes; a string too, as names of character sets come so."""
        token = self._tokens[self._place] if self else None
        if token is None or not (
            token.token_type is TokenType.IDENTIFIER
            or token.token_type in _STRINGS
            or (token.token_type not in _LITERALS and _is_word(token.text))
        ):
            raise self.error("a name")
        self._place += 1
        return token.text

    def has_name(self) -> bool:
        """Whether a name in backquotes or a word stands here."""
        if not self:
            return False
        token = self._tokens[self._place]
        return token.token_type is TokenType.IDENTIFIER or _is_word(self.word)

    def table(self, schema: str | None) -> tuple[str | None, str]:
        """A table's name with its schema; `schema` is the one of an unqualified name."""
        names = schema, self.name()
        if self.take("."):
            names = names[1], self.name()
        if not names[1]:
            raise self.error("the name of a table before")
        return names

    def literal(self) -> tuple[TokenType, str] | None:
        """A string, number, hexadecimal or bit literal, or nothing. Adjacent strings are one; introducers are skipped.

        The kind of the first is given; any string is of the kind `STRING`. A backslash that is not doubled where it
        should be makes the text unreadable: it is as a user typed it.
        """
        if self.word.startswith("_") and self._kind(1) in _LITERALS:
            self._place += 1
        if self.word == "." and self._kind(1) is TokenType.NUMBER:
            self._place += 2
            return TokenType.NUMBER, "0." + self._tokens[self._place - 1].text
        kind = self._kind()
        if kind in _STRINGS:
            text = self._strings()
            return TokenType.STRING, text if self.dialect is TiDBEscaped else self._undoubled(text)
        if kind not in _LITERALS:
            return None
        self._place += 1
        return kind, self._tokens[self._place - 1].text

    def string(self) -> str:
        """A string literal."""
        literal = self.literal()
        if literal is None or literal[0] is not TokenType.STRING:
            raise self.error("a string")
        return literal[1]

    def plain_string(self) -> str:
        """A string literal that TiDB restores as it is, such as a label of an ENUM or SET."""
        if self._kind() not in _STRINGS:
            return self.string()
        return self._strings()

    def _strings(self) -> str:
        text = ""
        while self._kind() in _STRINGS:
            text += self._tokens[self._place].text
            self._place += 1
        return text

    def _undoubled(self, text: str) -> str:
        if "\\" in text.replace(r"\\", ""):
            raise self.error("doubled backslashes before")
        return text.replace(r"\\", "\\")

    def number(self) -> int:
        """A whole number."""
        literal = self.literal()
        if literal is None or not re.fullmatch(r"[0-9]{1,18}", literal[1]):
            raise self.error("a number")
        return int(literal[1])

    def each(self) -> Iterator[Cursor]:
        """The places of a list in parentheses: read one item at each."""
        self.need("(")
        while True:
            yield self
            if self.take(")"):
                return
            self.need(",")

    def items(self) -> tuple[str, ...]:
        """The text of each item of a list in parentheses."""
        items: list[str] = []
        self.need("(")
        start = self._place
        while not self.at(")"):
            if self.at(","):
                items.append(self._source(start))
                self._place += 1
                start = self._place
            else:
                self.skip()
        if items or self._place > start:
            items.append(self._source(start))
        self.need(")")
        return tuple(items)

    def parenthesized(self) -> str:
        """The text between this parenthesis and its end."""
        self.need("(")
        start, depth = self._place, 1
        while self:
            depth += {"(": 1, ")": -1}.get(self.word, 0)
            self._place += 1
            if not depth:
                return self._source(start, self._place - 1)
        raise self.error(")")

    def mark(self) -> int:
        """This place, for `since`."""
        return self._place

    def since(self, mark: int) -> str:
        """The text from a marked place to here."""
        return self._source(mark)

    def _kind(self, ahead: int = 0) -> TokenType | None:
        place = self._place + ahead
        return self._tokens[place].token_type if place < len(self._tokens) else None

    def _source(self, start: int, end: int | None = None) -> str:
        tokens = self._tokens[start : self._place if end is None else end]
        return self._text[tokens[0].start : tokens[-1].end + 1] if tokens else ""


def _is_word(text: str) -> bool:
    return bool(text) and (text[0].isalnum() or text[0] in "_$" or text[0] >= "\x80")
