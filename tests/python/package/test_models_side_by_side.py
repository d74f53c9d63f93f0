"""What models that run at the same time do to the state of their run, which all of them change and save."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment

MACROS = [
    path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parents[3] / "macros" / "runs").glob("*.sql"))
]
RELATION = SimpleNamespace(identifier="int_ticdc__changes")


class _Given(Exception):
    """What `return` gives in a macro."""


class Package:
    """Macros of `macros/runs` by their names, as dbt renders them; `graph` is what all nodes of a run see."""

    def __init__(self, **others: Any) -> None:
        self.graph: dict[str, Any] = {}
        self._others = others

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self._others:
            return self._others[name]  # type: ignore[no-any-return]

        def give(value: Any) -> None:
            raise _Given(value)

        context = {
            **self._others,
            "ticdc": self,
            "return": give,
            "graph": self.graph,
            "invocation_id": "run",
            "none": None,
        }
        context |= {"none": None, "tojson": json.dumps, "fromjson": json.loads, "modules": SimpleNamespace(re=re)}
        (text,) = [text for text in MACROS if re.search(rf"{{% macro {name}\(", text)]
        macro = getattr(Environment(extensions=["jinja2.ext.do"]).from_string(text, context).module, name)

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return macro(*arguments, **named)
            except _Given as given:
                return given.args[0]

        return call


def _state(**models: Any) -> dict[str, Any]:
    return {"models": models, "number": 1}


def test_a_state_is_rendered_while_another_model_joins_it() -> None:
    """Jinja failed with `dictionary changed size during iteration`, and the others waited a minute for that one."""
    state = _state(one={"batches": [[1, 0]], "since": {"shop": 1}, "settled": None})

    def text_literal(text: str) -> str:
        state["models"][f"joins_{len(state['models'])}"] = {"batches": [], "since": {}, "settled": None}
        return f"'{text}'"

    package = Package(text_literal=text_literal, relation_name=str)
    assert '{"one": [1]}' in package.state_view(state)


def test_batches_over_a_first_one_are_told_of_tables_that_are_kept_so() -> None:
    """Views ask for them once: that a storage has none must be no condition that Spark cannot see through."""
    batches = [[3, 0], [5, 1], [4, 0]]
    state = _state(
        int_ticdc__changes={"batches": batches, "since": {}, "settled": {"run_id": 5}},
        int_ticdc__latest={"batches": batches, "since": {}, "settled": {"run_id": 5}},
        history={"batches": batches, "since": {}, "settled": {"rows_of": "these"}},
        of_others={"batches": batches, "since": {}, "settled": {"rows_of": "those"}},
        of_one_batch={"batches": batches[:1], "since": {}, "settled": {"rows_of": "these"}},
    )
    package = Package(text_literal=repr, relation_name=str, rows_of_histories=lambda _: "these")
    assert """'{"int_ticdc__latest": [5, 4], "history": [5, 4]}'""" in package.state_view(state)


def test_a_batch_counts_when_its_model_is_settled() -> None:
    """A run that was killed between went on with a batch whose part was not noted as done, and did it again."""
    saved: list[str] = []
    built: list[bool] = []
    state = _state(int_ticdc__changes={"batches": [[1, 0]], "since": {}, "settled": {"run_id": 1}})
    package = Package(
        state=lambda: state,
        run_id=lambda: 2,
        keep_lease=lambda: None,
        save_state=lambda part: saved.append(json.dumps(state[part])),
        note_built=lambda _, has_written: built.append(has_written),
    )
    before = json.dumps(state["models"])
    package.add_batch(RELATION, rebuilt=["shop"])
    assert json.dumps(state["models"]) == before
    assert package.state_of(RELATION)["batches"] == [[1, 0], [2, 0]]
    package.settle(RELATION, {"run_id": 2})
    expected = {"batches": [[1, 0], [2, 0]], "since": {"shop": 2}, "settled": {"run_id": 2}}
    assert state["models"] == {"int_ticdc__changes": expected}
    assert saved == [json.dumps(state["models"])]
    assert package.state_of(RELATION) == expected
    assert built == [True]


def test_the_newest_state_is_saved_last() -> None:
    """Of models that save side by side the statement of an older state may end after that of a newer one."""
    state = _state(one={"batches": [[1, 0]], "since": {}, "settled": None})
    saved: list[str] = []

    def run_query(statement: str) -> None:
        if not saved and "two" not in state["models"]:
            state["models"]["two"] = {"batches": [[2, 0]], "since": {}, "settled": None}
            package.save_state("models")
        saved.append(statement)

    package = Package(
        state=lambda: state,
        relation_of=lambda _: "run",
        state_view=lambda given: json.dumps(given["models"]),
        run_query=run_query,
    )
    package.save_state("models")
    newest = f"alter view run as {json.dumps(state['models'])}"
    assert [statement == newest for statement in saved] == [True, False, True]
    assert package.memory()["saving"] == []
    assert package.memory()["saved"]["models"] == json.dumps(state["models"])


def test_what_a_model_takes_stands_before_its_query() -> None:
    package = Package()
    query = "-- depends_on: a\n\nselect '-- takes {}'\n-- takes {}\nfrom b"
    settles = {"run_id": 5, "bounds": {"it's -- \n": 7}}
    said = package.takes(settles, is_idle=1, rebuilt=["shop"])
    assert package.taken(f"\n-- depends_on: c{said}{query}") == {
        "settles": settles,
        "is_idle": True,
        "is_rebuild": False,
        "rebuilt": ["shop"],
        "query": f"\n-- depends_on: c\n    {query}",
    }
    assert package.taken(query) == {
        "settles": None,
        "is_idle": False,
        "is_rebuild": False,
        "rebuilt": [],
        "query": query,
    }


def test_tables_that_are_made_of_a_table_are_built_after_it() -> None:
    """A run of one table and the publication showed readers half of what came."""
    chain = {"changes": ["rows"], "latest": ["changed_view"], "changed_view": ["changes"], "rows": [], "beside": []}
    chain["int_ticdc__publication"] = ["latest", "beside", "changes"]
    state = _state()
    package = Package(state=lambda: state)
    package.graph["nodes"] = {
        f"model.ticdc.{name}": SimpleNamespace(
            alias=name,
            unique_id=f"model.ticdc.{name}",
            package_name="ticdc",
            resource_type="model",
            depends_on=SimpleNamespace(nodes=[f"model.ticdc.{parent}" for parent in parents]),
        )
        for name, parents in chain.items()
    }
    after = {}
    for name in chain:
        state["unbuilt"] = {name: True}
        package.note_built(SimpleNamespace(identifier=name), has_written=True)
        after[name] = [*state["unbuilt"]]
    package.note_built(SimpleNamespace(identifier="rows"))
    assert not state["unbuilt"]
    assert after == {
        "rows": ["latest", "changes"],
        "changes": ["latest"],
        "changed_view": ["latest"],
        "latest": [],
        "beside": [],
        "int_ticdc__publication": [],
    }
