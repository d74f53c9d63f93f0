"""The state as numbers, in words, as JSON, for Prometheus, and as a page: of made-up targets, without Spark."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlglot
from support import state as targets
from support.state import HOSTILE, MINUTE, NOW, tso

from dbt_ticdc import package_path
from dbt_ticdc import state as command
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.results import aligned, printable
from ticdc_udfs.state import facts, queries, report, status
from ticdc_udfs.state.facts import Facts, Partition, Problem, Run

TARGETS: dict[str, Callable[[], Facts]] = {
    "empty": targets.empty,
    "one": targets.target,
    "fifty": functools.partial(targets.target, 50),
    "broken": targets.broken,
}


def changed(**members: Any) -> Facts:
    """A target of one feed that is fine, but for these members."""
    return msgspec.structs.replace(targets.target(), **members)


def partition(watermark: int | None, newest: int, through: int | None) -> Partition:
    return Partition("feed_0", "t", 0, watermark and tso(watermark), newest, through and tso(through))


FAILED = Run(NOW * 1000, "increment", NOW, "failed")
CASES = {
    "fine": (changed(), 0),
    "a warning alone": (changed(problems=(Problem("warning", "lossy_values", "feed_0", 1, (), "d", "r"),)), 0),
    "dead letters": (changed(problems=(Problem("error", "dead_letters", "feed_0", 1, (), "d", "r"),)), 1),
    "the last run failed": (changed(runs=(FAILED, *targets.target().runs)), 1),
    "late": (targets.target(behind=2 * 60 * MINUTE), 2),
    "stalled": (changed(partitions=(partition(NOW - 90 * MINUTE, NOW, NOW - 90 * MINUTE),)), 2),
    "a partition without watermark": (changed(partitions=(partition(None, NOW, 0),)), 2),
    "without watermarks, and nothing new": (changed(partitions=(partition(None, NOW - 90 * MINUTE, None),)), 2),
    "without watermarks": (changed(partitions=(partition(None, NOW - MINUTE, None),)), 0),
    "not built yet": (targets.empty(), 2),
}


@pytest.mark.parametrize("case", CASES)
def test_the_exit_code_in_all_three_forms(case: str) -> None:
    found, code = CASES[case]
    assert facts.exit_code(found) == code
    word = {0: "fine", 1: "problems", 2: "late or stale"}[code]
    assert status.table(found, aligned, printable).startswith(f"state: {word}, as of 2026-11-21 05:46:40 UTC\n")
    assert {"state": word, "exit_code": code}.items() <= json.loads(status.as_json(found)).items()
    assert f"\nticdc_state {code}\n" in status.prometheus(found)


def test_the_parts_of_lag() -> None:
    (feed,) = facts.feeds(targets.target())
    assert feed.lag == facts.Lag(upstream=60.0, landing=60.0, build=270.0, behind=120.0)
    assert not feed.is_late
    (feed,) = facts.feeds(changed(partitions=(partition(None, NOW - MINUTE, None),)))
    assert feed.lag == facts.Lag(upstream=None, landing=60.0, build=270.0, behind=60.0)
    (feed,) = facts.feeds(changed(partitions=(partition(None, NOW, 0),)))
    assert feed.is_late and feed.lag.behind is None and status.complete(feed) == "not yet"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.04, "0.0 s"), (12, "12 s"), (61, "1 min 1 s"), (3_600, "1 h 0 min"), (90_000, "1 d 1 h")],
)
def test_durations_in_words(seconds: float | None, text: str) -> None:
    assert status.duration(seconds) == text


def test_the_table_of_a_terminal() -> None:
    lines = status.table(targets.target(), aligned, printable).splitlines()
    assert lines == [
        "state: fine, as of 2026-11-21 05:46:40 UTC",
        "last run: increment of 2026-11-21 05:41:40 UTC, 30 s, published",
        "",
        "feed    complete through (UTC)     behind   upstream    landing       build  messages  dead letters",
        "------  ----------------------  ---------  ---------  ---------  ----------  --------  ------------",
        "feed_0  2026-11-21 05:44:40     2 min 0 s  1 min 0 s  1 min 0 s  4 min 30 s    27,000             0",
        "",
        "problems: none",
    ]


def test_what_the_last_run_did_and_why() -> None:
    """It stands below the run, and is no word of a run before plans were kept."""
    plan = {
        "models": {"ticdc": {"took": "nothing"}, "int_ticdc__changes": {"took": "rebuilt", "feeds": ["shop"]}},
        "rebuilt": [{"feed": "shop", "reason": "DDL of commit 7 came after rows of later commits", "commit_ts": 7}],
    }
    run = Run(NOW * 1000, "increment", NOW, "published", NOW + 2_000, 1_200, 7, json.dumps(plan))
    lines = status.table(changed(runs=(run,)), aligned, printable).splitlines()
    assert lines[2:4] == [
        "  staged 1,200 messages, added 7 changes; wrote 1 of 2 tables",
        "  rebuilt feed shop: DDL of commit 7 came after rows of later commits",
    ]
    assert json.loads(status.as_json(changed(runs=(run,))))["last_run"]["plan"] == plan
    assert status.what_was_done(FAILED) == []


@pytest.mark.parametrize("name", TARGETS)
def test_metrics_are_what_prometheus_reads(name: str) -> None:
    text = status.prometheus(TARGETS[name]())
    assert text.endswith("\n") and "\n\n" not in text
    label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
    sample = re.compile(rf"(ticdc_[a-z_]+)(?:\{{{label}(?:,{label})*\}})? -?[0-9.e+]+")
    seen, series = set(), set()
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# "):
            kind, metric = line.split()[1:3]
            assert (kind == "HELP") == (metric not in seen)
            seen.add(metric)
        else:
            found = sample.fullmatch(line)
            assert found is not None and found[1] in seen, line
            assert line.rpartition(" ")[0] not in series
            series.add(line.rpartition(" ")[0])
            assert not found[1].endswith(("_ms", "_minutes", "_hours"))


def test_facts_are_read_of_the_answers_of_queries() -> None:
    answers = {
        "partitions": '[{"feed":"shop","topic":"t","partition":0,"offset_gaps":[[3,4]],"regressions":0}]',
        "runs": "[]",
        "tables": None,
        "problems": '[{"severity":"error","code":"c","feed":"f","problems":1,"tables":[],"detail":"d","remedy":"r"}]',
    }
    found = facts.of(NOW, 60, answers)
    assert found.partitions == (Partition("shop", "t", 0, offset_gaps=((3, 4),)),)
    assert found.tables == () and found.problems[0].code == "c"
    macro = (package_path() / "macros" / "state" / "ticdc_report.sql").read_text(encoding="utf-8")
    assert {*re.findall(r'"((?:int_)?ticdc__\w+)"', macro)} - {"ticdc__stalled_after_minutes"} == {*queries.RELATIONS}
    assert {*queries.queries(queries.RELATIONS)} == {*facts._MEMBERS} - {"now", "stalled_after", "model_times"}
    assert [*queries.queries(queries.RELATIONS, queries.STATUS)] == [*queries.STATUS]
    for query in queries.queries(queries.RELATIONS).values():
        assert sqlglot.parse_one(query, read="spark")
    named = queries.queries_of_request({"ticdc__runs": "`a`.`runs`"})
    assert "from `a`.`runs`\n" in named["runs"] and "from ticdc__runs" not in named["runs"]


class _Page(HTMLParser):
    """What a page holds: its tags in balance, the text that is shown, and what it would fetch."""

    VOID = ("meta", "link", "br", "wbr", "rect", "line", "polyline")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            if name in ("src", "href") and not (value or "").startswith("#"):
                self.fetched.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


SECTIONS = ["feeds", "problems", "completeness", "runs", "tables", "letters", "ddl", "offsets", "models"]


@pytest.mark.parametrize("name", TARGETS)
def test_the_page_is_whole_and_fetches_nothing(name: str) -> None:
    text = report.html(TARGETS[name]())
    page = _Page(text)
    assert page.open == [] and page.fetched == ["data:,"] and page.ids == SECTIONS
    assert not {"script", "iframe", "img", "object", "embed", "form"} & {*page.tags}
    assert "@import" not in text and "url(" not in text
    assert "default-src 'none'" in text
    assert len(text.encode()) <= 300_000
    if name == "fifty":
        assert "44 more feeds" in "".join(page.texts)


def test_the_page_of_fifty_broken_feeds_is_small_enough_too() -> None:
    many = [targets.target(50, 3 * 24 * 60 * MINUTE)]
    for each in many:
        feeds = {part.feed for part in each.partitions}
        problems = tuple(
            Problem("error", f"code_{number}", feed, 9, ("s.t",) * 5, "d" * 400, "r" * 400)
            for feed in feeds
            for number in range(3)
        )
        reasons = tuple(facts.Reason(feed, "bad_json", 3, NOW, NOW, "m" * 80, "r" * 300) for feed in feeds)
        text = report.html(msgspec.structs.replace(each, problems=problems, reasons=reasons))
        assert len(text.encode()) <= 300_000


def test_names_from_elsewhere_are_shown_and_do_nothing() -> None:
    text = report.html(targets.broken())
    assert "<script" not in text and "{{" not in text.replace("{{ 7 * 7 }}", "") and "49" not in HOSTILE
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    texts = "".join(_Page(text).texts)
    assert report.shown(HOSTILE) in texts
    assert "\\u0000\\u001b[31m\\u202e" in texts


def test_lag_over_time_goes_by_what_was_known_at_each_run() -> None:
    staged = (
        facts.Staged(10_000_000, "f", "t", 0, tso(9_000), 9_500),
        facts.Staged(10_000_000, "f", "t", 1, None, 9_600),
        facts.Staged(20_000_000, "f", "t", 1, tso(18_000), 19_000),
        facts.Staged(30_000_000, "f", "t", 0, tso(28_000), 29_000),
    )
    runs = (Run(30_000_000, "increment", 30_000, "published", 34_000),)
    chart = report.lag_chart(Facts(NOW, 60, staged=staged, runs=runs), "f")
    assert chart is not None and (chart.begins, chart.ends) == (10_000, 30_000)
    upstream, landing, build = chart.series
    # a partition without watermark, then 19 s - 9 s, then 29 s - 18 s
    assert upstream.pieces == ["150,6 300,0"] and upstream.last == 11.0 and chart.top == 11.0
    assert landing.last == 1.0 and len(landing.pieces[0].split()) == 3
    assert build.last == 4.0 and build.pieces == ["300,45"]
    assert report.lag_chart(Facts(NOW, 60, staged=staged[:2]), "f") is None


def test_model_times_of_the_last_runs_are_kept(tmp_path: Path) -> None:
    assert command.model_times(tmp_path) == []
    for run in range(15):
        command.remember_model_times(tmp_path, 1_000.0 + run, {"a": run / 10, "b": 1.0})
    kept = command.model_times(tmp_path)
    assert {each.run_at for each in kept} == {1_000_000 + 1_000 * run for run in range(5, 15)}
    bars = report.model_bars(Facts(NOW, 60, model_times=tuple(kept)))
    assert bars == [("a", 1.4, 100.0, 1.3), ("b", 1.0, pytest.approx(71.4, abs=0.1), 1.0)]
    (tmp_path / "model_times.json").write_text("no JSON")
    assert command.model_times(tmp_path) == []


def test_a_file_is_written_whole_or_not(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "ticdc.prom"
    command.write_whole(path, "one\n")
    command.write_whole(path, "two\n")
    assert path.read_text() == "two\n" and [*path.parent.iterdir()] == [path]
    assert path.stat().st_mode & 0o777 == 0o644
    with pytest.raises(TicdcError, match=r"ticdc\.prom/x cannot be written: Not a directory|File exists"):
        command.write_whole(path / "x", "three")


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_LOOK = """<!doctype html><title>-</title><iframe id=f width=WIDTH height=900 src=/report.html></iframe><script>
f.onload = () => { const d = f.contentDocument, e = d.documentElement;
  const boxes = [...d.querySelectorAll('section')].map(s => s.getBoundingClientRect());
  document.title = JSON.stringify({ over: e.scrollWidth - e.clientWidth, state: d.querySelector('.state').innerText,
    sections: boxes.filter(b => b.height > 40).length, wide: boxes.filter(b => b.right > e.clientWidth + 1).length,
    lines: d.querySelectorAll('polyline').length, text: d.body.innerText.length }); };
</script>"""


@contextmanager
def served(pages: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """An address on loopback that has these pages, and what was asked of it."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = pages.get(self.path.partition("?")[0], "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is on this machine: the page is looked at without one alone")
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("name", TARGETS)
def test_the_page_in_a_browser(name: str, width: int, tmp_path: Path) -> None:
    pages = {"/report.html": report.html(TARGETS[name]()), "/look.html": _LOOK.replace("WIDTH", str(width))}
    with served(pages) as (address, asked):
        run = subprocess.run(
            [
                *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
                *(f"--user-data-dir={tmp_path}", f"--window-size={width + 100},1000", "--virtual-time-budget=3000"),
                *("--dump-dom", f"{address}/look.html"),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    found = re.search(r"<title>(\{.*?\})</title>", run.stdout)
    assert found is not None, run.stdout[:500]
    seen = json.loads(found[1])
    assert seen["over"] <= 0 and seen["wide"] == 0, "the page is wider than the window"
    assert seen["state"] == status.verdict(TARGETS[name]())
    assert seen["sections"] == len(SECTIONS) and seen["text"] > 300
    assert seen["lines"] == {"empty": 0, "one": 3, "fifty": 150, "broken": 3}[name]
    assert {*asked} <= {"/look.html", "/report.html", "/favicon.ico"}, "the page asks for more than itself"
