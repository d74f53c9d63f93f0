"""What the macros of typed tables do with an answer, statement by statement, without dbt and Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import md5
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment

MACROS = [
    path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parents[3] / "macros/typed").glob("*.sql"))
]
KINDS = ("view", "history_view", "as_of_function")
MARK = {"name": "ticdc.made_by", "value": "us"}
PLANS = "int_ticdc__typed_plans"


class Given(Exception):
    """What a macro returns."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Package:
    """The macros of `macros/typed/`, with what they need of dbt and of other folders; `asked` is what Spark is asked.

    `there` are names of relations and functions, each with what Spark says of it; `refused` the places of the blocks
    that Spark refuses; `seconds` what each script takes. `said` are lines of progress.
    """

    def __init__(self, there: Mapping[str, str] | None = None, refused: str = "", seconds: int = 0) -> None:
        self.asked: list[str] = []
        self.said: list[str] = []
        self.clock, self.seconds_of_script = 0, seconds
        self.run_state: dict[str, Any] = {"models": {}}
        self.remembered: dict[str, Any] = {}
        self.there, self.refused = there or {}, refused
        others: dict[str, Callable[..., Any]] = {
            "identifier": lambda name: name,
            "memory": lambda: self.remembered,
            "publish": lambda: self.asked.append("published"),
            "relation_of": lambda model: model,
            "run_id": lambda: "30",
            "seconds": lambda: self.clock,
            "settle": lambda relation, settled: self.asked.append(f"settled {relation}"),
            "state": lambda: self.run_state,
            "text_literal": lambda text: "'" + text.replace("'", "\\'") + "'",
            "typed_mark": lambda: MARK,
        }
        context = {
            "adapter": SimpleNamespace(cache_added=lambda relation: self.remembered.update(cached=True)),
            "config": SimpleNamespace(get=lambda name, default: default),
            "fromjson": json.loads,
            "load_cached_relation": lambda relation: True if self.remembered.get("cached") else None,
            "local_md5": lambda text: md5(text.encode()).hexdigest(),
            "log": lambda text, info: self.said.append(text),
            "model": SimpleNamespace(name="int_ticdc__typed_views"),
            "modules": SimpleNamespace(re=re),
            "none": None,
            "ref": lambda name: name,
            "return": self.give,
            "run_query": self.run_query,
            "tblproperties_clause": lambda: "",
            "ticdc": self,
            "tojson": json.dumps,
        }
        environment = Environment(extensions=["jinja2.ext.do"])
        self.macros: dict[str, Callable[..., Any]] = {}
        for text in MACROS:
            module = environment.from_string(text, globals=context).module
            self.macros |= {name: each for name, each in vars(module).items() if callable(each)}
        self.macros |= others

    def give(self, value: Any) -> None:
        raise Given(value)

    def run_query(self, query: str) -> Any:
        self.asked.append(query)
        schema = query.partition(" in ")[2].split(" ")[0]
        names = [name.partition(".")[2] for name in self.there if name.startswith(f"{schema}.")]
        rows: list[Any] = []
        if query.startswith("show tables"):
            rows = [("in", name, False) for name in names if not name.endswith("()")]
        elif query.startswith("show table extended"):
            rows = [
                ("in", name, False, f"Table Properties: {self.there[f'{schema}.{name}']}")
                for name in names
                if not name.endswith("()")
            ]
        elif query.startswith("show user functions"):
            rows = [(f"{schema}.{name.removesuffix('()')}",) for name in names if name.endswith("()")]
        elif query.startswith("describe function"):
            rows = [(self.there[f"{query.rpartition(' ')[2]}()"],)]
        elif query.startswith("begin"):
            self.clock += self.seconds_of_script
            rows = [(f"refused:{self.refused}",)]
        elif query.startswith("count"):
            rows = [(0, "added")]
        elif query == "decide":
            told = [{**self.answer, "tables": []}, *self.answer["tables"]]
            rows = [(place, json.dumps(each)) for place, each in reversed([*enumerate(told)])]
        return SimpleNamespace(rows=rows)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self.macros:
            raise AttributeError(name)

        def called(*arguments: Any, **named: Any) -> Any:
            try:
                return self.macros[name](*arguments, **named)
            except Given as given:
                return given.value

        return called

    @property
    def statements(self) -> list[str]:
        """What scripts executed, in order."""
        scripts = [query for query in self.asked if query.startswith("begin")]
        return re.findall(r"execute immediate '((?:[^'\\]|\\.)*)'", " ".join(scripts))

    def decided(self, answer: dict[str, Any]) -> dict[str, Any]:
        self.answer = answer
        found: dict[str, Any] = self.answer_of("decide")
        return found

    def build(self, answer: dict[str, Any]) -> None:
        """As the models of typed tables do."""
        answer = self.decided(answer)
        existing = self.existing_relations(answer, ["shop"])
        self.store_histories(PLANS, answer, existing)
        self.typed_context()["decided"].update({"answer": answer, "existing": existing, "made": []})
        for kind in KINDS:
            self.make_typed_relations(kind)
        self.remember_typed_tables()

    @property
    def told(self) -> dict[str, Any]:
        """The row of the plans that was added, by the names of its columns."""
        (added,) = (query for query in self.asked if query.startswith(f"insert into {PLANS}"))
        names = ("feed", "schema_name", "table_name", "current_relation", "history_relation", "plan")
        values = re.findall(r"null|'((?:[^'\\]|\\.)*)'", added)
        found = {name: value or None for name, value in zip(names, values, strict=True)}
        return {**found, "plan": json.loads(found["plan"] or "{}")}


def change(kind: str, **others: Any) -> dict[str, Any]:
    name = {"view": "shop.t", "history_view": "shop.t_history", "as_of_function": "shop.t_as_of"}[kind]
    key = f"{name}()" if kind == "as_of_function" else name
    named = {"view": "current_relation", "history_view": "history_relation"}.get(kind, kind)
    return {
        **{"kind": kind, "relation": name, "key": key, "schema": "shop", "names": {key: name}, "named_in": named},
        **{"is_other": True, "writing": [], "query": f"query of {kind}", "marking": f"mark {kind}"},
        **{"making": "make ", "altering": "alter ", "problem": None, "was": None, "otherwise": {}, **others},
    }


def row(**plan: Any) -> dict[str, Any]:
    statements = {kind: f"hash of {kind}" for kind in KINDS}
    told = {"problems": [], "refused": {}, "statements": statements, "storage": None, "as_of_function": "shop.t_as_of"}
    relations = {"current_relation": "shop.t", "history_relation": "shop.t_history"}
    return {"feed": "f", "schema_name": "shop", "table_name": "t", **relations, "plan": {**told, **plan}}


def table(**others: Any) -> dict[str, Any]:
    return {
        **{"changes": [change(kind) for kind in KINDS], "row": row(), "known_row": None, "history": None},
        **{"stored_rows": None, "is_pending": False, "storing": None, "unstored": None, **others},
    }


def answer(*tables: dict[str, Any], **others: Any) -> dict[str, Any]:
    names = {"shop": {"relations": ["t", "t_history"], "functions": ["t_as_of"]}}
    return {
        **{"tables": [*tables], "stale": [], "storages": [], "gone": [], "schemas": {}, "names": names, "counts": []},
        **{"unmarked": [], "is_first": False, "is_published": True, **others},
    }


def test_what_is_not_there_is_made() -> None:
    package = Package()
    package.build(answer(table()))
    assert package.statements == [f"make query of {kind}" for kind in KINDS]
    assert package.told == row()


def test_what_is_there_is_altered_and_bears_the_mark() -> None:
    package = Package({"shop.t": "[ticdc.made_by=us]", "shop.t_history": "[]", "shop.t_as_of()": "ticdc.made_by=us"})
    package.build(answer(table(), unmarked=["shop.t_history"]))
    assert package.statements == [
        "alter query of view",
        "alter query of history_view",
        "mark history_view",
        "alter query of as_of_function",
    ]


def test_what_is_of_somebody_else_is_left_alone_and_told() -> None:
    package = Package({"shop.t": "[]", "shop.t_as_of()": "theirs"})
    package.build(answer(table()))
    assert package.statements == ["make query of history_view"]
    told = package.told
    assert [problem["reason"] for problem in told["plan"]["problems"]] == ["not_ours", "not_ours"]
    assert (told["current_relation"], told["history_relation"]) == (None, "shop.t_history")
    assert told["plan"]["as_of_function"] is None
    assert told["plan"]["statements"] == {"history_view": "hash of history_view"}
    assert told["plan"]["refused"] == {kind: f"hash of {kind}" for kind in ("view", "as_of_function")}


def test_what_spark_refuses_stays_as_a_run_before_made_it() -> None:
    package = Package({"shop.t": "[ticdc.made_by=us]"}, refused=" 0")
    changes = [change(kind, was={"statement": f"old {kind}"}, otherwise={"storage": "s.before"}) for kind in KINDS[:1]]
    stored = {"name": "ticdc__typed_1", "state": {"batches": [[30, 0]]}}
    package.build(answer(table(changes=changes, stored_rows=stored, row=row(storage="s.now"))))
    told = package.told
    assert told["plan"]["problems"] == [{"reason": "refused", "detail": "shop.t"}]
    assert told["plan"]["statements"]["view"] == "old view"
    assert (told["current_relation"], told["plan"]["storage"]) == ("shop.t", "s.before")
    assert "ticdc__typed_1" not in package.run_state["models"]
    assert package.run_state["storages"] == ["s.before"]


def test_what_no_table_needs_is_dropped_where_it_is_there() -> None:
    package = Package({"shop.t": "[ticdc.made_by=us]"})
    package.run_state["models"] = {"ticdc__typed_1": {}, "ticdc__typed_2": {}}
    stale = [
        {"kind": "view", "relation": "shop.t", "key": "shop.t", "name": "t", "dropping": "drop view shop.t"},
        {"kind": "view", "relation": "shop.u", "key": "shop.u", "name": "u", "dropping": "drop view shop.u"},
        {"kind": "storage", "relation": "s.ticdc__typed_1", "key": "", "name": "ticdc__typed_1", "dropping": None},
        {"kind": "storage", "relation": "s.ticdc__typed_2", "key": "", "name": "ticdc__typed_2", "dropping": None},
    ]
    package.build(answer(stale=stale, storages=["s.ticdc__typed_2"]))
    assert package.statements == ["drop view shop.t"]
    assert list(package.run_state["models"]) == ["ticdc__typed_2"]


def history(**choices: Any) -> dict[str, Any]:
    return {"name": "ticdc__history_1", "storage": "s.ticdc__history_1", "choice": None, "choices": choices}


KEPT = {"since": None, "state": "kept", "statements": []}
ADDED = {"since": 20, "state": "added", "statements": ["store added"]}
WHOLE = {"since": 0, "state": "whole", "statements": ["store whole"]}


def storing() -> dict[str, Any]:
    name = "s.ticdc__history_1"
    named = {"kind": "history_storage", "relation": name, "key": name, "names": {name: name}}
    return {**change("view", is_other=False), **named}


def test_a_history_is_stored_as_was_counted_and_published_before_it_is_read() -> None:
    package = Package()
    told = history(kept=KEPT, added=ADDED, whole=WHOLE)
    package.build(answer(table(history=told, storing=storing()), counts=["count them"]))
    assert package.statements[0] == "store added"
    assert package.asked.index("published") < next(
        place for place, query in enumerate(package.asked) if "make query of view" in query
    )
    assert package.run_state["models"] == {"ticdc__history_1": "added"}


def test_a_history_that_cannot_be_stored_is_not_read() -> None:
    package = Package({"s.ticdc__history_1": "[]"})
    unstored = {"history": None, "changes": [change("view", query="unstored")], "row": row(), "is_pending": False}
    names = {"s": {"relations": ["ticdc__history_1"], "functions": []}}
    found = table(history=dict(history(whole=WHOLE), choice="whole"), storing=storing(), unstored=unstored)
    one = package.decided(answer(found, names=names, storages=["s.ticdc__history_1"]))
    (found,) = one["tables"]
    existing = package.existing_relations(one, ["s"])
    package.store_histories(PLANS, one, existing)
    assert package.statements == []
    assert (found["changes"], found["history"]) == (unstored["changes"], None)
    assert found["unstored_for"] == [{"reason": "not_ours", "detail": "s.ticdc__history_1"}]
    assert one["storages"] == []


def test_of_many_that_are_new_none_is_made_upon_a_view_that_is_ready() -> None:
    """Spark would resolve all that the view reads for each of them."""
    package = Package()
    columns = [{"name": "id", "data_type": "int"}]
    package.remembered["views"] = {"int_ticdc__newest_rows": {"sql": "its query", "columns": columns}}
    tables = [table(changes=[change("view")], row=row()) for _ in range(21)]
    package.build(answer(*tables, is_first=True))
    views = [statement for statement in package.statements if "newest_rows" in statement]
    empty, unready, ready, noted = views
    assert "'ticdc.fingerprint' = \\'\\'" in empty.replace("\\'ticdc.fingerprint\\'", "'ticdc.fingerprint'")
    assert "raise_error" in unready
    assert ready == "alter view int_ticdc__newest_rows as its query"
    assert md5(b"its query").hexdigest() in noted
    assert package.statements.index(ready) > package.statements.index("make query of view")


def test_many_relations_tell_how_far_they_are() -> None:
    """Over Thrift, 176 tables took a minute without a line."""
    said = []
    for seconds in (0, 6, 11):
        package = Package(seconds=seconds)
        package.build(answer(*(table(changes=[change("view")], row=row()) for _ in range(120))))
        said.append([line.removeprefix("ticdc: int_ticdc__typed_views: ") for line in package.said])
    assert said == [[], ["60 of 120"], ["30 of 120", "60 of 120", "90 of 120"]]


def test_a_kind_that_was_left_out_is_not_remembered() -> None:
    package = Package()
    one = answer(table())
    package.typed_context()["decided"].update({"answer": one, "existing": {}, "made": []})
    for kind in KINDS[:2]:
        package.make_typed_relations(kind)
    package.remember_typed_tables()
    assert not [query for query in package.asked if query.startswith("insert")]
