"""The sample of a shop: what its README promises of the messages, and what `ticdc demo` makes and shows of them."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import session, shop
from support.corpus import SAMPLE, json_lines, plain, text_lines

from dbt_ticdc import build, cli, configuration, demo, feeds, kafka, summary, warehouse
from dbt_ticdc.progress import say

RECORDS = tuple(json_lines(shop.MESSAGES))
README = (shop.FOLDER / "README.md").read_text(encoding="utf-8")


def told(record: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return shop.message(record)
    except ValueError:
        return None


WHOLE = [(place, record, message) for place, record in enumerate(RECORDS) if (message := told(record))]
WATERMARKS = [(place, record, message) for place, record, message in WHOLE if message["type"] == shop.WATERMARK]
ROWS = [(place, record, message) for place, record, message in WHOLE if message["data"]]


def test_the_file_is_what_its_script_makes() -> None:
    assert list(text_lines(shop.MESSAGES)) == shop.lines()


def test_offsets_have_no_holes() -> None:
    for partition in range(3):
        offsets = [record["offset"] for record in RECORDS if record["partition"] == partition]
        assert offsets == list(range(len(offsets)))
    (feed,) = feeds.read_vars(shop.FOLDER / "feeds.yml")["ticdc__feeds"]
    assert {record["topic"] for record in RECORDS} == {*feed["topics"]}
    assert {record["partition"] for record in RECORDS} == {*range(feed["partitions"])}


def test_no_change_of_the_tables_is_missing() -> None:
    changes = Counter((message["table"], message["type"]) for _, _, message in ROWS)
    known = plain(SAMPLE).meta["rows_by_table"]
    for table in shop.TABLES:
        ops = [changes[table, op] for op in ("INSERT", "UPDATE", "DELETE")]
        assert sum(ops) == known[f"shop.{table}"]
        (cell,) = re.findall(rf"^\| {table} \|[^|]*\| ([^|]*) \|", README, re.MULTILINE)
        assert [int(number) for number in re.findall(r"\d+", cell)] == ops
    assert {table for table, _ in changes} == {*shop.TABLES}
    altered = {message["table"] for _, _, message in WHOLE if " ADD COLUMN " in message["sql"]}
    assert altered == {"customers", "order_items"}


def test_the_feed_is_complete_through_its_last_commit() -> None:
    newest = max(message["_tidb"]["commitTs"] for _, _, message in WHOLE if "commitTs" in message["_tidb"])
    for partition in range(3):
        marks = [
            message["_tidb"]["watermarkTs"] for _, record, message in WATERMARKS if record["partition"] == partition
        ]
        assert marks[-1] >= newest
    assert len(WATERMARKS) == plain(SAMPLE).meta["counts"]["watermark"] * 3


def late() -> list[tuple[int, dict[str, Any], dict[str, Any]]]:
    passed: Counter[int] = Counter()
    found = []
    for place, record, message in WHOLE:
        if message["type"] == shop.WATERMARK:
            passed[record["partition"]] = max(passed[record["partition"]], message["_tidb"]["watermarkTs"])
        elif message["_tidb"]["commitTs"] <= passed[record["partition"]]:
            found.append((place, record, message))
    return found


def test_one_message_comes_late() -> None:
    ((place, record, message),) = late()
    assert shop.is_at(message, shop.LATE)
    assert f"(partition {record['partition']}, offset {record['offset']})" in README
    passed = [
        mark["_tidb"]["watermarkTs"] >= shop.LATE[-1]
        for before, other, mark in WATERMARKS
        if before < place and other["partition"] == record["partition"]
    ]
    assert sum(passed) == shop.LATE_BY + 1


def test_one_message_is_cut_off_and_its_row_is_there() -> None:
    (place,) = set(range(len(RECORDS))) - {place for place, _, _ in WHOLE}
    record, before = RECORDS[place], RECORDS[place - 1]
    assert shop.is_at(shop.message(before), shop.CUT_OFF)
    assert b64decode(before["value"]).startswith(b64decode(record["value"]))
    assert record["key"] == before["key"]
    assert f"Partition {record['partition']}, offset {record['offset']}," in README
    assert f"shop {record['partition']} {record['offset']}" in text_of_screen()


def test_pieces_are_all_messages_in_order(tmp_path: Path) -> None:
    arrived = tmp_path / "messages"
    sizes = []
    while demo.bring(arrived):
        lines = [line for file in sorted(arrived.iterdir()) for line in text_lines(file)]
        sizes.append(len(lines))
        assert lines == shop.lines()[: len(lines)]
        assert demo.is_whole(arrived) == (len(sizes) == demo.PIECES)
    assert len(sizes) == demo.PIECES
    assert sizes[-1] == len(RECORDS)


def test_the_late_message_comes_in_a_later_piece_than_the_watermarks_that_passed_it() -> None:
    ends = [len(RECORDS) * number // demo.PIECES for number in range(1, demo.PIECES + 1)]
    ((place, _, _),) = late()
    passing = [
        min(
            before
            for before, record, mark in WATERMARKS
            if record["partition"] == partition and mark["_tidb"]["watermarkTs"] >= shop.LATE[-1]
        )
        for partition in range(3)
    ]
    assert any(max(passing) < end <= place for end in ends)


def built(folder: Path, variables: dict[str, Any]) -> Path:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    (folder / "work" / warehouse.VARIABLES).write_text(json.dumps(variables), encoding="utf-8")
    return folder


def test_a_warehouse_of_other_feeds_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = built(tmp_path, {"ticdc__feeds": [{"name": "mine"}]})
    assert cli.main(["demo", "--warehouse", str(folder)]) == 2
    assert f"ticdc: the tables in {folder} are of other feeds than those of the sample" in capsys.readouterr().err


def test_a_shop_that_was_built_at_once_cannot_come_in_pieces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = built(tmp_path, configuration.understood(feeds.read_vars(demo.feeds_file())))
    assert cli.main(["demo", "--every", "1s", "--warehouse", str(folder)]) == 2
    assert "were built of messages that came at once; --warehouse names another folder" in capsys.readouterr().err
    (folder / "messages").mkdir()
    assert demo.arrived(folder) == folder / "messages"


def test_runs_end_where_nothing_is_left_to_do() -> None:
    left = [True, False, False]
    kafka.every(0.001, left.pop)
    assert left == []


def found() -> summary.Found:
    names = sorted(demo._PURPOSES)
    assert names == sorted(shop.TABLES)
    tables = [SimpleNamespace(table_name=name, current_relation=f"shop.{name}", row_count=1_000) for name in names]
    problems = [SimpleNamespace(code=code) for code in ("dead_letters", "late_changes")]
    return summary.Found(tables, [SimpleNamespace(complete_through_ts=1 << 60)], [(1,)], problems)  # type: ignore[arg-type]


ANSWERS = ["a\n-\n" + "1\n" * rows for rows in (3, 4, 1)]


def text_of_screen() -> str:
    return demo.screen(found(), ANSWERS, Path("ticdc_warehouse"), ".venv/bin/ticdc")


def test_the_screen_fits_forty_lines_of_a_hundred_characters() -> None:
    lines = text_of_screen().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[int, bool]]:
    """Of each run of the demo in a warehouse that none is behind: its files, and whether it says nothing of a build."""
    made: list[tuple[int, bool]] = []

    def load_and_build(
        spark: object,
        folder: Path,
        variables: dict[str, Any],
        files: list[Path],
        columns_file: None = None,
        full_refresh: bool = False,
        manner: build.Manner = build.AS_USUAL,
    ) -> bool:
        assert manner.without_tests
        assert variables["ticdc__feeds"][0]["topics"] == [shop.TOPIC]
        made.append((len(files), manner.is_quiet))
        built(folder, variables)
        (folder / "work" / "last_build").touch()
        return True

    session = SimpleNamespace(stop=lambda: None)

    def open_to_build(folder: Path, variables: dict[str, Any], told: str, **_: object) -> SimpleNamespace:
        (folder / "work").mkdir(parents=True)
        say(told)
        return session

    monkeypatch.setattr(cli, "_open_to_build", open_to_build)
    monkeypatch.setattr(cli, "_load_and_build", load_and_build)
    monkeypatch.setattr(cli, "_write_report", lambda *_, **__: None)
    for name, value in (("found", found()), ("line", "a line of the run")):
        monkeypatch.setattr(summary, name, lambda *_, value=value: value)
    for name, answer in (("answers", ANSWERS), ("order_10", "order 10: new")):
        monkeypatch.setattr(demo, name, lambda *_, answer=answer: answer)
    return made


def test_the_shop_is_built_at_once(
    loads: list[tuple[int, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["demo", "--warehouse", str(tmp_path / "shop")]
    for says in ("ticdc builds tables of the messages of 1 file (207.4 kB)", "nothing is new since the last build"):
        assert cli.main(arguments) == 0
        shown = capsys.readouterr()
        assert shown.err.startswith(says)
        assert shown.out.startswith("A shop, complete through")
    assert loads == [(1, False)]


def test_the_shop_is_built_in_pieces(
    loads: list[tuple[int, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.kafka, "every", lambda seconds, run: [*iter(run, True)])
    assert cli.main(["demo", "--every", "7s", "--warehouse", str(tmp_path / "shop")]) == 0
    assert loads == [(number, True) for number in range(1, demo.PIECES + 1)]
    assert capsys.readouterr().out.count("a line of the run\n  order 10: new\n") == demo.PIECES
    arrived = [line for file in sorted((tmp_path / "shop" / "messages").iterdir()) for line in text_lines(file)]
    assert arrived == shop.lines()


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.soak("processes")
def test_the_demo_ends_with_the_tables_of_tidb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and in pieces, where it is interrupted after the first."""
    monkeypatch.setattr(demo, "PIECES", 3)
    export = shop.export(tmp_path / "export")
    at_once, in_pieces = tmp_path / "at_once", tmp_path / "in_pieces"

    code, output, _ = session.command(["demo", "--warehouse", str(at_once)])
    assert code == 0
    assert "complete through 2026-11-21 05:16:48.581 UTC" in output
    assert output.count("$ ticdc sql") == len(demo.QUERIES)
    assert re.findall(r"^(new|back|done|sent) ", output, re.MULTILINE) == ["new", "back", "done", "sent"]
    assert "\nstate\n-----\nback\n" in output
    assert "Problem dead_letters" in output and "late_changes" not in output

    with monkeypatch.context() as stopped:
        stopped.setattr(demo, "order_10", interrupt)
        code, _, errors = session.command(["demo", "--every", "1s", "--warehouse", str(in_pieces)])
        assert code == 130
        assert errors.endswith("ticdc: interrupted; the same command goes on from where it was\n")
    code, output, _ = session.command(["demo", "--every", "1s", "--warehouse", str(in_pieces)])
    assert code == 0
    assert output.count("complete through") == 3
    assert "order 10: new → back → done → sent" in output

    for folder in (at_once, in_pieces):
        code, output, errors = session.command(["compare", "--truth", str(export), "--warehouse", str(folder)])
        assert code == 0, output + errors
