"""Every error of the command as one reads it: what is wrong, the value got, what is allowed, where to set it.

Each text was read and approved. What the code can raise is found in it: an error without a text here fails.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.templates import calls

import dbt_ticdc
from dbt_ticdc.errors import without_trace

ROOT = Path(dbt_ticdc.__file__).parent
ERRORS = ("TicdcError", "NodesFailed", "ArgumentTypeError")
FORMS = (
    "allowed are a list of feeds, a mapping with `feeds` or `ticdc__feeds` (other variables of the package, "
    "`ticdc__…`, may stand beside it), or a mapping with these under `vars`, as in dbt_project.yml"
)
JAVA = (
    "Spark needs Java 17 or newer: install it (for example `apt-get install openjdk-17-jre-headless`, "
    "`brew install openjdk@17`) and set JAVA_HOME to it, or put it on the PATH."
)

# By the module that raises them; what another program says is the word that stands for it.
TEXTS: Mapping[str, Sequence[str]] = {
    "arguments.py": (
        "Asia is no time zone; allowed is a name such as Asia/Shanghai",
        "5 minutes is no time; allowed are texts such as 60s, 5m, 1h, 2d",
        "-5 is no TSO; allowed is a number such as 470610924950257664",
        "65536 is no port; allowed are 0 to 65535",
        "localhost is no address; allowed are texts such as localhost:10000",
    ),
    "build.py": (
        "ticdc: the configuration has 1 problem(s):",
        "1 node(s) failed, 1 that need them were skipped\nint_ticdc__rows: out of memory",
    ),
    "cli.py": (
        "--topics and --protocol go with --kafka HOST:PORT; in a file of feeds (--feeds) each feed has its own",
        "say where the messages are: --messages, --kafka, or --feeds with a `source` for each feed",
        "--kafka cannot stand beside --messages or --feeds; in a file of feeds `source` names brokers",
        "--kafka needs --topics and --protocol: which topics to read, and how to decode them",
        "--every cannot stand beside --messages: it reads brokers, buckets and tables again",
        "--strict: 3 problem(s) of severity error are left; ticdc__problems has them",
        "the query failed: [TABLE_OR_VIEW_NOT_FOUND] The table or view `nowhere` cannot be found.",
        "no feed takes any of these messages, and nothing is built: correct `topics` (--feeds)",
    ),
    "codegen.py": (
        "--output: models/shop cannot be written: Permission denied",
        "the schema (--schema) has no int_ticdc__typed_tables; `ticdc run` or `dbt build` makes it",
        "--feed: shp has no typed tables; feeds that have: shop",
    ),
    "columns.py": (
        "--columns: columns.csv cannot be read: No such file or directory",
        "--columns: columns.csv is not UTF-8 at byte 17",
        "--columns: columns.csv, row 2: no column_type; a row needs table_schema, table_name, column_name, "
        "ordinal_position, column_type",
        '--columns: columns.csv, row 2: ordinal_position: got "first", expected an integer',
        "--columns: columns.csv, row 2: a field's quotes are not closed, or text follows them",
        "--columns: columns.txt, line 1 is no JSON object; a .csv file is read as CSV",
    ),
    "compare.py": (
        "the schema (--schema) has no ticdc__completeness; `ticdc run` or `dbt build` makes it",
        "--feed: got nothing; feeds that are there: bills, shop",
        "the feed shop is not complete through any commit yet; --as-of names one",
        "no table of the feed shop is known as of commit 470610924950257664: nothing is compared",
    ),
    "configuration.py": (
        "--feeds feeds.yml: there is a problem in the configuration\n"
        "  - ticdc__feeds[0].topics: got null, expected a list of SQL like patterns",
        "the warehouse my_warehouse does not know its feeds: name them with --feeds",
    ),
    "feeds.py": (
        "--feeds: feeds.yml cannot be read: No such file or directory",
        "--feeds: feeds.yml, line 2, column 10: no YAML: mapping values are not allowed here",
        "--feeds: feeds.json is no JSON: Expecting value: line 1 column 1 (char 0)",
        f"--feeds: feeds.yml holds nothing; {FORMS}",
        f'--feeds: feeds.yml has the members "feed"; {FORMS}',
        f"--feeds: feeds.yml names no feeds; {FORMS}",
        "--feeds: feeds.yml: the package has no variable ticdc__visible; allowed are ticdc__feeds, ticdc__visibility",
    ),
    "inspection/look.py": ("feed shop: protocol: got 'maxwell', allowed: avro, canal_json",),
    "inspection/places.py": (
        "--feed: there is no feed 'shp'; feeds are shop, bills",
        "no feed takes the topic 'orders'; feeds and their topics are shop: ['shop']",
        "several feeds take the topic 'shop': shop, other; --feed names one of them",
        "the files have no message at topic 'shop', partition 0, offset 7: partition 0 of it has offsets from 0 to 6",
        "the files of feed shop are not on this machine: --warehouse names a warehouse that `ticdc run` made of them",
        "say where the messages of feed shop are: --messages names dumps, --warehouse tables made of them",
        "messages of Kafka need confluent-kafka: pip install 'dbt-ticdc[kafka]', or of a checkout "
        "'../dbt-ticdc[kafka]'",
        "the environment lacks the variable KAFKA_PASSWORD, which an option of the feed names",
        "the brokers did not give the message: Local: Broker transport failure",
        "the brokers did not give the message within 15 s: they did not answer",
        "no message has this offset: the next one of the partition is at 12",
        "the folder of feed lake has no file 'shop/orders/1/CDC000001.json'",
        "the file 'shop/orders/1/CDC000001.json' has rows from 0 to 6, and no row 7",
        "feed lake: of a source with layout aiven_json_lines only dead letters are shown, and this message is none; "
        "--messages names a dump that has it",
    ),
    "messages.py": (
        "--messages: the folder dump holds no file that ends with .jsonl, .json, .ndjson, each also with .gz or .xz",
        "--messages: there is no file or folder dump",
        "--messages: the name of dump.txt does not end with .jsonl, .json, .ndjson, each also with .gz or .xz",
        "the messages cannot be loaded: No space left on device",
        "the warehouse has no table `ticdc_raw`.messages; `ticdc run` makes it of messages",
        "--messages: dump.jsonl.xz is no whole .xz file: it is damaged, or was cut",
        "dump.jsonl cannot be read: Permission denied",
        "dump.jsonl, line 3: no Kafka record: Object missing required field `value`. A line is a JSON object with "
        "topic, partition, offset, timestamp (milliseconds), and key and value in base64 or null.",
        "dump.jsonl, line 3: no Kafka record: the line is not UTF-8",
        "dump.jsonl.gz cannot be read to its end (after line 3): Compressed file ended",
    ),
    "results.py": ("--format json: the query has several columns named id; give each a name of its own",),
    "server.py": (
        "Spark ended by itself; its log: my_warehouse/work/spark.log",
        "cannot listen on 127.0.0.1:10000: Address already in use; --host and --port name another place",
        "nothing listens on 127.0.0.1:10000 after 60 s",
    ),
    "state.py": ("out/ticdc.prom cannot be written: Permission denied",),
    "target.py": (
        '--schema: there is no schema analytic; `ticdc sql "show schemas"` lists all',
        "the warehouse does not answer a query: [TABLE_OR_VIEW_NOT_FOUND]",
        "--thrift: nothing answers at localhost:10000: Connection refused",
        "--thrift: localhost:10000 gives no session: Read timed out",
        "--schema: the server at localhost:10000 has no schema analytics",
        "the server at localhost:10000 does not answer a query of schema 'analytics' (--schema): out of memory",
    ),
    "prompt.py": (
        "statement 2 of the input failed, and none after it was run: the query failed: [PARSE_SYNTAX_ERROR]",
    ),
    "truth.py": (
        "--truth: there is no folder export",
        "--truth: export/shop.orders.parquet cannot be read; allowed are schema.table.csv, schema.table.<number>.csv, "
        "the same with .jsonl, and each with .gz",
        "--truth: export holds no file schema.table.csv or schema.table.jsonl, also with .gz",
        "--truth: export/shop.orders.csv, row 2: 1 fields, and the header names 2",
    ),
    "demo.py": (
        "the tables in my_warehouse are of other feeds than those of the sample; --warehouse names another folder",
        "--every: the tables in my_warehouse were built of messages that came at once; --warehouse names another "
        "folder",
    ),
    "kafka.py": (
        "feed shop: the brokers localhost:9092 did not tell their offsets within 30 s: Connection refused "
        "(ticdc__feeds, member source.kafka)",
        "feed shop: no broker can be reached: localhost:9092: Connection refused (--kafka, or ticdc__feeds, member "
        "source.kafka)",
    ),
    "upstream.py": (
        "--mysql needs the driver PyMySQL: pip install 'dbt-ticdc[mysql]'",
        "--mysql: TiDB says: 1045: Access denied for user 'reader'@'%'",
        "--mysql: mysql://reader@tidb:4000?ssl_ca=ca.pem: No such file or directory",
        "--mysql: Port could not be cast to integer value as 'x'; allowed is mysql://user@host:port, optionally with "
        "?ssl_ca=file",
        "--mysql: no password in the URL: set the environment variable TICDC_MYSQL_PASSWORD",
        "--mysql: got postgres://u@h; allowed is mysql://user@host:port, optionally with ?ssl_ca=file",
    ),
    "warehouse.py": (
        "no warehouse is in my_warehouse; `ticdc run` makes one, --warehouse names another folder",
        "a Spark session runs in this process already; its settings cannot be changed any more",
        "another process has the warehouse my_warehouse open; only one can at a time",
        "Spark could not be started (its log: my_warehouse/work/spark.log): out of memory",
        f"no Java was found: JAVA_HOME is not set and no `java` is on the PATH. {JAVA}",
        f"/usr/bin/java cannot be run. {JAVA}",
        f"/usr/bin/java is Java of version 11. {JAVA}",
        "--warehouse: got my;warehouse; the path of a warehouse has no semicolon",
        "src is neither a warehouse nor an empty folder; --warehouse names another one",
        "the warehouse /my_warehouse cannot be made: Permission denied",
        "the warehouse my_warehouse is in use by process 4711; wait for it, stop it, or, if it is `ticdc serve`, query "
        "it as a client",
    ),
}


MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if [*calls(path, ERRORS)])


def test_every_module_that_raises_errors_has_texts() -> None:
    assert sorted(TEXTS) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_every_error_has_a_text_that_was_read(module: str) -> None:
    found, texts = [*calls(ROOT / module, ERRORS)], TEXTS[module]
    unread = [error.place for error in found if not any(error.pattern.fullmatch(text) for text in texts)]
    assert not unread, "write the text as one reads it into TEXTS"
    stale = [text for text in texts if not any(error.pattern.fullmatch(text) for error in found)]
    assert not stale, "no error of the module reads so"


@pytest.mark.parametrize("text", [text for texts in TEXTS.values() for text in texts])
def test_a_text_says_it_in_its_first_line(text: str) -> None:
    first, *_ = text.split("\n")
    assert first.strip() and len(first) <= 400
    assert "Traceback" not in text and "None" not in text


def test_a_new_error_without_a_text_is_found(tmp_path: Path) -> None:
    module = tmp_path / "new.py"
    module.write_text('told = f"{a} is"\nraise errors.TicdcError(f"--new: {told} no {b!r}")\n')
    (found,) = calls(module, ERRORS)
    assert found.place == "new.py:2"
    assert found.pattern.fullmatch("--new: 7 is no 'time'") and not found.pattern.fullmatch("--new: 7 was no time")


def test_a_query_that_spark_cannot_resolve_is_told_without_its_plan() -> None:
    text = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `a` cannot be resolved. SQLSTATE: 42703; line 1 pos 7"
    assert without_trace(f"{text};\n'Project ['a]\n+- Union false, false\n") == text


def test_errors_of_arguments_are_told_with_the_argument(capsys: pytest.CaptureFixture[str]) -> None:
    from dbt_ticdc import arguments

    parser = argparse.ArgumentParser(prog="ticdc")
    parser.add_argument("--port", type=arguments.port)
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(["--port", "65536"])
    assert capsys.readouterr().err.endswith(f"ticdc: error: argument --port: {TEXTS['arguments.py'][3]}\n")
