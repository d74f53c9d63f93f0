"""Writer schemas from files and from a local server that answers as a Confluent registry does."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from jinja2 import Template
from pyspark.sql import SparkSession
from support.registry import Answer, registry
from urllib3.util import Retry, Timeout

from ticdc_udfs import schema_sources
from ticdc_udfs.schema_sources import Found, HttpRegistry, fetch_schemas, load, pack_schemas, unpack_schemas
from ticdc_udfs.wire.avro_binary import Framing, schema_id

MACRO = Path(__file__).parents[3] / "macros" / "staging" / "writer_schema_id.sql"
SCHEMA = '{"type":"record","name":"t","namespace":"default.shop","fields":[]}'
KNOWN = {"schema": SCHEMA}
MISSING = {"error_code": 40403, "message": "Schema 404 not found"}
QUICK = Retry(total=3, backoff_factor=0.01, status_forcelist=(429, 500, 502, 503, 504), raise_on_status=False)


def always(status: int, body: Any) -> Answer:
    return lambda number: (status, body)


def quick(url: str, **arguments: Any) -> HttpRegistry:
    return HttpRegistry(url, timeout=Timeout(connect=1, read=0.3), retry=QUICK, **arguments)


def test_a_schema_is_asked_for_once() -> None:
    with registry(always(200, KNOWN)) as server:
        find = quick(server.url + "/")
        assert find("7") == find("7") == Found(SCHEMA, None)
        assert server.asked == ["/schemas/ids/7"]
        assert "application/vnd.schemaregistry.v1+json" in server.headers["accept"]


def test_the_url_may_have_a_path() -> None:
    with registry(always(200, KNOWN)) as server:
        assert quick(server.url + "/apis/ccompat/v7/")("7").schema == SCHEMA
        assert server.asked == ["/apis/ccompat/v7/schemas/ids/7"]


def test_an_id_that_the_registry_lacks() -> None:
    with registry(always(404, MISSING)) as server:
        find = quick(server.url)
        assert find("404") == Found(None, f"the registry {server.url} gives no schema 404: HTTP 404 (40403)")
        find("404")
        assert len(server.asked) == 2, "an id may be registered later"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    with registry(always(status, b"<html>no</html>")) as server:
        assert quick(server.url)("1").error == f"the registry {server.url} gives no schema 1: HTTP {status}"
        assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_answer_that_comes_at_the_third_attempt(status: int) -> None:
    with registry(lambda number: (status, {}) if number < 3 else (200, KNOWN)) as server:
        assert quick(server.url)("1") == Found(SCHEMA, None)
        assert len(server.asked) == 3


def test_a_registry_that_only_fails_is_left_alone_for_a_while() -> None:
    with registry(always(503, {})) as server:
        find = quick(server.url, down_seconds=0.2)
        assert find("1") == Found(None, f"the registry {server.url} is not able to answer: HTTP 503")
        assert find("2") == find("1")
        assert len(server.asked) == 4
        time.sleep(0.25)
        find("1")
        assert len(server.asked) == 8


def test_a_registry_that_is_down() -> None:
    with registry(always(200, KNOWN)) as server:
        url = server.url
    assert quick(url)("1") == Found(None, f"the registry {url} cannot be reached: NewConnectionError")


def test_a_registry_that_is_slow() -> None:
    def sleepy(number: int) -> tuple[int, Any]:
        time.sleep(1)
        return 200, KNOWN

    with registry(sleepy) as server:
        begun = time.monotonic()
        assert quick(server.url)("1") == Found(None, f"the registry {server.url} cannot be reached: ReadTimeoutError")
        assert time.monotonic() - begun < 4


def test_how_long_an_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleepy(number: int) -> tuple[int, Any]:
        time.sleep(0.5)
        return 200, KNOWN

    monkeypatch.setattr(schema_sources, "_RETRY", QUICK)
    with registry(sleepy) as server:
        _clean(monkeypatch, TIMEOUT="0.05")
        assert "cannot be reached: ReadTimeoutError" in (load(server.url)("1").error or "")
        for wrong in ("soon", "-1"):
            _clean(monkeypatch, TIMEOUT=wrong)
            assert load(server.url)("1").error == f"TICDC_REGISTRY_TIMEOUT is no number of seconds above 0: {wrong!r}"
        _clean(monkeypatch)
        assert load(server.url)("1").schema == SCHEMA


def test_what_was_found_outlives_the_registry() -> None:
    with registry(always(200, KNOWN)) as server:
        find = quick(server.url)
        assert find("1").schema == SCHEMA
        server.server.shutdown()
        server.server.server_close()
        assert "cannot be reached" in (find("2").error or "")
        assert find("1").schema == SCHEMA, "what was found is remembered"


@pytest.mark.parametrize("body", [b"", b"[]", b'{"schema":', b'{"schema":1}', b"{}", b"[" * 100_000, b"\xff"])
def test_an_answer_of_another_kind(body: bytes) -> None:
    with registry(always(200, body)) as server:
        want = f"the registry {server.url} gave no schema for 1, but something else"
        assert quick(server.url)("1") == Found(None, want)


def test_a_schema_of_another_kind() -> None:
    with registry(always(200, {"schema": 'syntax = "proto3";', "schemaType": "PROTOBUF"})) as server:
        assert quick(server.url)("1").error == f"the schema 1 of the registry {server.url} is not Avro's"


@pytest.mark.parametrize("schema_id", ["", "a", "1/../../subjects", "1?x", "٣", "0b1f-", "-1"])
def test_only_numbers_are_asked_for(schema_id: str) -> None:
    with registry(always(200, KNOWN)) as server:
        assert "has numbers for ids" in (quick(server.url)(schema_id).error or "")
        assert server.asked == []


def _clean(monkeypatch: pytest.MonkeyPatch, **environment: str) -> None:
    for name in ("USER", "PASSWORD", "TOKEN", "CA", "CERT", "KEY", "TIMEOUT"):
        monkeypatch.delenv(f"TICDC_REGISTRY_{name}", raising=False)
    for name, text in environment.items():
        monkeypatch.setenv(f"TICDC_REGISTRY_{name}", text)


def test_credentials_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with registry(always(200, KNOWN)) as server:
        _clean(monkeypatch)
        load(server.url)("1")
        assert "authorization" not in {name.lower() for name in server.headers}
        _clean(monkeypatch, USER="me", PASSWORD="pass:word")
        load(server.url)("1")
        assert server.headers["authorization"] == "Basic " + b64encode(b"me:pass:word").decode()
        _clean(monkeypatch, USER="me", TOKEN="abc")
        load(server.url)("1")
        assert server.headers["authorization"] == "Bearer abc"


def test_credentials_of_the_url_go_into_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    _clean(monkeypatch)
    with registry(always(401, {"error_code": 40101, "message": "secret"})) as server:
        found = load(f"http://me:se%20cret@127.0.0.1:{server.port}")("1")
        assert server.headers["authorization"] == "Basic " + b64encode(b"me:se cret").decode()
    assert found.error == f"the registry {server.url} gives no schema 1: HTTP 401 (40101)"
    down = quick(f"http://me:secret@127.0.0.1:{server.port}")("1")
    assert down.error == f"the registry {server.url} cannot be reached: NewConnectionError"
    for source in ("http://me:secret@host:port", "http://me:secret@", "ftp://me:secret@host/x", "http://[me:secret"):
        assert "secret" not in (load(source)("1").error or "secret")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_tls_with_own_authority_and_client_certificate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-out", certificate, "-keyout", key], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    monkeypatch.setattr(schema_sources, "_RETRY", QUICK)
    with registry(always(200, KNOWN), context) as server:
        url = server.url.replace("http:", "https:")
        for environment in ({}, {"CA": str(certificate)}, {"CA": str(tmp_path / "none")}):
            _clean(monkeypatch, **environment)
            assert "cannot be reached" in (load(url)("1").error or "")
        _clean(monkeypatch, CA=str(certificate), CERT=str(certificate), KEY=str(key))
        assert load(url)("1") == Found(SCHEMA, None)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    uuid = "027bd13a-f79a-4b34-8519-bea138d7527c"
    path.write_text(json.dumps({"1": {"subject": "t-value", **KNOWN}, uuid.upper(): {"name": "t", "schema": "x"}}))
    find = load(str(path))
    assert find("1") == Found(SCHEMA, None)
    assert find(uuid) == Found("x", None)
    assert find("2") == Found(None, f"the file '{path}' has no schema 2")
    path.write_text(json.dumps({"1": KNOWN, "2": KNOWN}))
    assert load(str(path))("2").schema == SCHEMA, "a file that was changed is read again"


@pytest.mark.parametrize("text", [b"", b"[]", b'{"1":"x"}', b'{"1":{"name":"x"}}', b"\xff", b"[" * 100_000])
def test_a_file_of_another_kind(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "registry.json"
    path.write_bytes(text)
    assert "is no JSON object of schemas by id" in (load(str(path))("1").error or "")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    assert load(str(path))("1").error == f"the file '{path}' cannot be read: FileNotFoundError"
    assert "is no JSON object" in (load(str(tmp_path))("1").error or "")
    assert "cannot be read" in (load("a\0b")("1").error or "")


def test_the_sql_function_gives_a_schema_or_a_reason_per_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _clean(monkeypatch)
    path = tmp_path / "registry.json"
    path.write_text(json.dumps({"1": {"schema": "of the file"}}))
    with registry(always(200, KNOWN)) as server:
        rows = [
            (str(path), "1"),
            (server.url, "1"),
            (str(path), "9"),
            (None, "1"),
            (server.url, None),
            (server.url, "1"),
        ]
        sources, ids = (pa.array(column, pa.string()) for column in zip(*rows, strict=True))
        fetched = fetch_schemas(sources, ids).to_pylist()
        assert len(server.asked) == 1
    assert [each["schema"] for each in fetched] == ["of the file", SCHEMA, None, None, None, SCHEMA]
    assert [each["error_message"] for each in fetched] == [
        None,
        None,
        f"the file '{path}' has no schema 9",
        "the feed has no option schemas",
        None,
        None,
    ]
    empty = pa.array([], pa.string())
    assert fetch_schemas(empty, empty).type == pa.struct([("schema", pa.string()), ("error_message", pa.string())])


def test_packed_schemas_are_those_that_were_packed() -> None:
    texts = pa.array([SCHEMA, None, "表\0", "", SCHEMA], pa.string())
    packed = pack_schemas(texts)
    assert packed.type == pa.binary()
    assert unpack_schemas(packed).to_pylist() == texts.to_pylist()
    assert unpack_schemas(packed.cast(pa.large_binary())).to_pylist() == texts.to_pylist()
    assert unpack_schemas(texts) is texts
    assert len(unpack_schemas(packed[:0])) == 0


@pytest.mark.parametrize("framing", ["confluent", "glue"])
def test_sql_reads_ids_from_headers_as_the_decoder_does(framing: Framing, spark: SparkSession) -> None:
    uuid, numbers = bytes(range(16)), (0, 1, 100_001, 2**31, 2**32 - 1)
    heads = (
        None,
        b"",
        b"\0\0\0\0",
        *(b"\0" + number.to_bytes(4, "big") for number in numbers),
        b"\0\xff\xff\xff\xffbody",
    )
    heads += (b"\1\0\0\0\1", b"\3\0" + uuid, b"\3\0" + uuid[1:], b"\3\1" + uuid, b"\3\0" + uuid[::-1] + b"body")
    macro = Template(MACRO.read_text(encoding="utf-8")).module
    rows = spark.createDataFrame([(head,) for head in heads], "head binary")
    found = rows.selectExpr("head", f"{macro.writer_schema_id('head', framing)} as id").collect()  # type: ignore[attr-defined]
    expected = {head: None if head is None else schema_id(head, framing) for head in heads}
    assert {None if head is None else bytes(head): text for head, text in found} == expected
