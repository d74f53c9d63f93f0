"""`ticdc run --kafka` and `--every`: which options go together, and how runs follow one another."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from dbt_ticdc import arguments, cli, kafka, last_run
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.sources import broker
from ticdc_udfs.sources.broker import BrokerError
from ticdc_udfs.sources.kafka import Found

AT_BROKER = ["--kafka", "localhost:9092", "--topics", r"shop\_%", "--protocol", "canal_json"]


def variables(*arguments: str) -> dict[str, object]:
    return cli._variables_of_run(cli._parser().parse_args(["run", *arguments]))


def test_options_are_a_feed() -> None:
    assert variables(*AT_BROKER)["ticdc__feeds"] == [
        {
            "name": "default",
            "protocol": "canal_json",
            "topics": [r"shop\_%"],
            "source": {"kafka": {"bootstrap_servers": "localhost:9092"}},
        }
    ]
    assert variables(*AT_BROKER, "--messages-per-run", "7")["ticdc__messages_per_run"] == 7


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "say where the messages are: --messages, --kafka, or --feeds"),
        (["--topics", "t"], "--topics and --protocol go with --kafka HOST:PORT"),
        (["--kafka", "b:1"], "--kafka needs --topics and --protocol"),
        ([*AT_BROKER, "--messages", "dump"], "--kafka cannot stand beside --messages or --feeds"),
        (["--messages", "dump", "--every", "60s"], "--every cannot stand beside --messages"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], says: str) -> None:
    with pytest.raises(TicdcError, match=says):
        variables(*arguments)


def test_feeds_that_say_where_their_messages_are_need_no_dump(tmp_path: Path) -> None:
    feed = "{name: shop, protocol: simple, topics: [t]"
    file = tmp_path / "feeds.yml"
    file.write_text(f"- {feed}, source: {{kafka: {{bootstrap_servers: 'b:1'}}}}}}\n")
    assert kafka.is_read(variables("--feeds", str(file)))
    file.write_text(f"- {feed}, source: {{relation: lake.raw}}}}\n")
    assert not kafka.is_read(variables("--feeds", str(file)))
    file.write_text(f"- {feed}}}\n")
    with pytest.raises(TicdcError, match="with a `source` for each feed"):
        variables("--feeds", str(file))


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("90", 90), ("5m", 300), ("1h", 3600)])
def test_times(text: str, seconds: float) -> None:
    assert arguments.seconds(text) == seconds


def test_ctrl_c_ends_once_a_run_is_over(capfd: pytest.CaptureFixture[str]) -> None:
    began, handler = time.monotonic(), signal.getsignal(signal.SIGINT)
    ended = []

    def run() -> None:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(0.5)
        ended.append(time.monotonic())

    with pytest.raises(KeyboardInterrupt):
        kafka.every(3600, run)
    assert len(ended) == 1
    assert time.monotonic() - began < 60
    assert signal.getsignal(signal.SIGINT) is handler
    assert capfd.readouterr().err == "ticdc: ends once this run is over; Ctrl-C again ends it at once\n"


def test_a_second_ctrl_c_ends_at_once() -> None:
    def run() -> None:
        for seconds in (0.1, 0.3):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        kafka.every(3600, run)


def test_a_dump_that_is_known_hides_no_new_messages_of_other_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `ticdc run --messages` remembers of its last run tells nothing of brokers, buckets and tables."""
    (tmp_path / "dump.jsonl").write_text("")
    feeds = tmp_path / "feeds.yml"
    monkeypatch.setattr(last_run, "recall", lambda folder, asked_for: "as before\n")
    monkeypatch.setattr(cli, "_open_to_build", lambda *arguments: pytest.fail("opened", pytrace=False))

    def run(feed: str) -> None:
        feeds.write_text(f"- {{name: dumped, protocol: simple, topics: [d]}}\n{feed}")
        arguments = ["run", "--messages", str(tmp_path / "dump.jsonl"), "--feeds", str(feeds)]
        cli._run(cli._parser().parse_args([*arguments, "--warehouse", str(tmp_path / "warehouse")]))

    run("")
    with pytest.raises(pytest.fail.Exception, match="opened"):
        run("- {name: shop, protocol: storage_csv, source: {files: /bucket}}\n")


class SomeBrokers:
    """What the brokers of a test answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, told: list[Found] | BrokerError) -> None:
        self.asked: list[tuple[object, object]] = []
        self._told = told
        self.others: list[Found] = []
        monkeypatch.setattr(broker, "found", self._found)
        monkeypatch.setattr(kafka, "_refusals", lambda servers: "")

    def _found(self, kafka: object, patterns: object) -> list[Found]:
        self.asked.append((kafka, patterns))
        if isinstance(self._told, BrokerError):
            raise self._told
        return self.others if patterns == ["%"] else self._told


def test_brokers_are_asked_before_spark_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    brokers = SomeBrokers(monkeypatch, BrokerError("the brokers localhost:9092 did not tell their offsets"))
    monkeypatch.setattr(cli, "_open", None)
    monkeypatch.setattr(cli.warehouse, "take", None)
    assert cli.main(["run", *AT_BROKER, "--warehouse", str(tmp_path / "w")]) == 2
    assert brokers.asked == [({"bootstrap_servers": "localhost:9092"}, [r"shop\_%"])]
    said = capsys.readouterr().err
    assert said.endswith("ticdc: feed default: the brokers localhost:9092 did not tell their offsets\n")
    assert not (tmp_path / "w").exists()


def test_a_port_that_refuses_is_said_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A client of Kafka asked for 30 seconds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    arguments = ["run", "--kafka", f"127.0.0.1:{port}", "--topics", "t", "--protocol", "simple"]
    assert cli.main([*arguments, "--warehouse", str(tmp_path / "w")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    told = f"ticdc: feed default: no broker can be reached: 127.0.0.1:{port}: Connection refused"
    assert said == f"{told} (--kafka, or ticdc__feeds, member source.kafka)"


@pytest.mark.parametrize("others", ["", ",localhost", ",localhost:x"])
def test_a_broker_that_may_yet_answer_is_asked(others: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        servers = f"127.0.0.1:{server.getsockname()[1]}{others}"
        assert kafka._refusals(servers) == ""


def test_what_an_option_gave_is_called_by_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--kafka", "localhost:9092", "--topics", "a", "", "--protocol", "canal-jsn"]) == 2
    said = capsys.readouterr().err
    assert '  - --protocol: got "canal-jsn", did you mean canal_json? allowed: ' in said
    assert "  - --topics: got " in said and "ticdc__feeds" not in said


def test_topics_that_brokers_lack_are_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    told = "feed default: the brokers have no topic that matches shop\\_%; topics that are there: "
    brokers = SomeBrokers(monkeypatch, [])
    kafka.check_brokers(variables(*AT_BROKER))
    assert f"{told}none\n" in capsys.readouterr().err
    brokers.others = [Found(name, 0, "id", 0, 0, 0) for name in (*(f"t{number:02}" for number in range(22)), "shp")]
    kafka.check_brokers(variables(*AT_BROKER))
    shown = ", ".join(["shp", *(f"t{number:02}" for number in range(19))])
    assert f"{told}{shown} and 3 more\n" in capsys.readouterr().err
