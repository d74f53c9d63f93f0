"""What macros and materializations of typed tables do with an answer, statement by statement, without dbt and Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from jinja2 import Environment

from ticdc_udfs.contract.identifiers import text_literal
from ticdc_udfs.typed.relations import Remembered, remembered_plans

FOLDER = Path(__file__).parents[3] / "macros"
PATHS = [*FOLDER.glob("typed/*.sql"), *FOLDER.glob("materializations/ticdc_typed_*.sql")]
# plain Jinja knows no materializations
MATERIALIZATION = re.compile(r"{% materialization (\w+).*? %}(.*){% endmaterialization %}", re.DOTALL)
MACROS = [
    MATERIALIZATION.sub(r"{% macro \1() %}\2{% endmacro %}", path.read_text(encoding="utf-8")) for path in sorted(PATHS)
]
KINDS = ("view", "history_view", "as_of_function")
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
        self.clock, self.seconds_of_script = datetime(2026, 11, 21, tzinfo=UTC), timedelta(seconds=seconds)
        self.kind = ""
        self.run_state: dict[str, Any] = {"models": {}}
        self.remembered: dict[str, Any] = {}
        self.there, self.refused = there or {}, refused
        others: dict[str, Callable[..., Any]] = {
            "batch_statement": lambda there, relation, rows: (
                f"{'insert into' if there else 'create'} {relation} {rows}"
            ),
            "begin_model": lambda *_: None,
            "end_last_model": lambda: None,
            "end_model": lambda: None,
            "identifier": lambda name: name,
            "memory": lambda: self.remembered,
            "publish": lambda: self.asked.append("published"),
            "settle": lambda relation, settled: self.asked.append(f"settled {relation}"),
            "state": lambda: self.run_state,
            "text_literal": text_literal,
        }
        context = {
            "adapter": SimpleNamespace(cache_added=lambda relation: self.remembered.update(cached=True)),
            "config": SimpleNamespace(require=lambda name: self.kind),
            "fromjson": json.loads,
            "load_cached_relation": lambda relation: True if self.remembered.get("cached") else None,
            "log": lambda text, info: self.said.append(text),
            "model": SimpleNamespace(name="int_ticdc__typed_views"),
            "modules": SimpleNamespace(
                re=re, datetime=SimpleNamespace(datetime=SimpleNamespace(now=lambda: self.clock))
            ),
            "none": None,
            "noop_statement": lambda *_, caller: "",
            "ref": lambda name: name,
            "return": self.give,
            "run_hooks": lambda hooks: "",
            "run_query": self.run_query,
            "sql": "decide",
            "this": SimpleNamespace(incorporate=lambda type: PLANS),
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
        if query == "show schemas":
            rows = [("shop",), ("s",)]
        elif query.startswith("show tables"):
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

    def build(self, answer: dict[str, Any], kinds: tuple[str, ...] = KINDS) -> None:
        """As the models of typed tables do."""
        self.answer = answer
        self.ticdc_typed_plans()
        for self.kind in kinds:
            self.ticdc_typed_relations()
        self.remember_typed_tables()

    @property
    def told(self) -> dict[str, Any]:
        """The row of the plans that was added, by the names of its columns."""
        (added,) = (query for query in self.asked if query.startswith(f"insert into {PLANS}"))
        text = re.sub(r"\\(.)", r"\1", added.partition("plans('")[2].rpartition("') as")[0])
        (found,) = remembered_plans(msgspec.json.decode(text, type=tuple[Remembered, ...]))
        return {**found, "plan": json.loads(found["plan"])}


def change(kind: str, **others: Any) -> dict[str, Any]:
    name = {"view": "shop.t", "history_view": "shop.t_history", "as_of_function": "shop.t_as_of"}[kind]
    key = f"{name}()" if kind == "as_of_function" else name
    named = {"view": "current_relation", "history_view": "history_relation"}.get(kind, kind)
    return {
        **{"kind": kind, "relation": name, "key": key, "schema": "shop", "names": {key: name}},
        **{"is_other": True, "writing": [], "query": f"query of {kind}", "marking": f"mark {kind}"},
        **{"making": "make ", "altering": "alter ", "problem": None, **others},
        "unmade": {"kind": kind, "named_in": named, "was": None, "otherwise": {}, **others.get("unmade", {})},
    }


def row(**plan: Any) -> dict[str, Any]:
    statements = {kind: f"hash of {kind}" for kind in KINDS}
    told = {"problems": [], "refused": {}, "statements": statements, "storage": None, "as_of_function": "shop.t_as_of"}
    relations = {"current_relation": "shop.t", "history_relation": "shop.t_history"}
    return {"feed": "f", "schema_name": "shop", "table_name": "t", **relations, "plan": {**told, **plan}}


def table(**others: Any) -> dict[str, Any]:
    return {
        **{"changes": [change(kind) for kind in KINDS], "row": row(), "known_row": None, "history": None},
        **{
            "stored_rows": None,
            "is_pending": False,
            "storing": None,
            "unstored": None,
            "unmade": [],
            **others,
            "unstored_for": [],
        },
    }


def answer(*tables: dict[str, Any], **others: Any) -> dict[str, Any]:
    names = {"shop": {"relations": ["t", "t_history"], "functions": ["t_as_of"]}}
    return {
        **{"tables": [*tables], "stale": [], "storages": [], "gone": [], "schemas": {}, "names": names, "counts": []},
        **{"unmarked": [], "mark": "ticdc.made_by=us", "stubs": {}, "is_published": True, **others},
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
    unmade = {"was": {"statement": "old view"}, "otherwise": {"storage": "s.before"}}
    changes = [change("view", unmade=unmade)]
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
    package.build(answer(found, names=names, storages=["s.ticdc__history_1"]))
    assert package.statements == ["make unstored"]
    assert package.told["plan"]["problems"] == [{"reason": "not_ours", "detail": "s.ticdc__history_1"}]
    assert package.run_state == {"models": {}, "storages": []}


def test_what_is_stored_is_told_before_it_is_read() -> None:
    """A run that goes on after this one was killed would else not know of it."""
    package = Package()
    pending = table(history=dict(history(whole=WHOLE), choice="whole"), storing=storing(), is_pending=True)
    package.build(answer(pending))
    (made,) = (query for query in package.asked if query.startswith(f"create {PLANS}"))
    assert '"is_pending": true' in made
    assert package.asked.index("published") < package.asked.index(made)
    assert package.told == row()


def test_of_many_that_are_new_none_is_made_upon_a_view_that_is_ready() -> None:
    """Spark would resolve all that the view reads for each of them."""
    package = Package()
    stub = {"before": "execute immediate 'unready';", "after": "execute immediate 'ready';"}
    package.build(answer(table(), stubs={"history_view": stub}))
    assert package.statements == [
        f"make query of {KINDS[0]}",
        "unready",
        f"make query of {KINDS[1]}",
        "ready",
        *(f"make query of {kind}" for kind in KINDS[2:]),
    ]


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
    package.build(answer(table()), kinds=KINDS[:2])
    assert not [query for query in package.asked if query.startswith("insert")]
