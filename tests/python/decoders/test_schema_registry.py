"""Writer schemas from files and from a local server that answers as a Confluent registry does."""

from __future__ import annotations

import json
import logging
import shutil
import ssl
import subprocess
import time
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import urllib3
from jinja2 import Template
from pyspark.sql import SparkSession
from support.registry import Answer, registry
from urllib3.util import Retry, Timeout

from ticdc_udfs import schema_sources
from ticdc_udfs.schema_sources import Found, HttpRegistry, fetch_schemas, load, pack_schemas, unpack_schemas
from ticdc_udfs.wire.avro_binary import Framing, schema_id

MACROS = Path(__file__).parents[3] / "macros" / "staging" / "schemas.sql"
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
    for name in ("USER", "PASSWORD", "TOKEN", "CA", "CERT", "KEY", "HOSTS", "TIMEOUT"):
        monkeypatch.delenv(f"TICDC_REGISTRY_{name}", raising=False)
    for name, text in environment.items():
        monkeypatch.setenv(f"TICDC_REGISTRY_{name}", text)


def test_credentials_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with registry(always(200, KNOWN)) as server:
        _clean(monkeypatch)
        load(server.url)("1")
        assert "authorization" not in {name.lower() for name in server.headers}
        hosts = f"127.0.0.1:{server.port}"
        _clean(monkeypatch, USER="me", PASSWORD="pass:word", HOSTS=hosts)
        load(server.url)("1")
        assert server.headers["authorization"] == "Basic " + b64encode(b"me:pass:word").decode()
        _clean(monkeypatch, USER="me", TOKEN="abc", HOSTS=hosts)
        load(server.url)("1")
        assert server.headers["authorization"] == "Bearer abc"


REFUSED = (
    "gets no credentials, as TICDC_REGISTRY_HOSTS in the environment of the Spark workers does not list it; "
    "allowed there: host:port, or host for https at port 443, with commas"
)
LOGINS = ({"USER": "me", "PASSWORD": "secret"}, {"TOKEN": "secret"})


@pytest.mark.parametrize("login", [*LOGINS, {"CERT": "/secret"}])
@pytest.mark.parametrize(
    "hosts",
    [None, "", " , ", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:{port}", "1.127.0.0.1:{port}", "localhost:{port}", "*"],
)
def test_credentials_went_to_any_host_that_sql_named(
    login: dict[str, str], hosts: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry(always(200, KNOWN)) as server:
        _clean(monkeypatch, **login, **({} if hosts is None else {"HOSTS": hosts.format(port=server.port)}))
        (fetched,) = fetch_schemas(pa.array([server.url]), pa.array(["1"])).to_pylist()
        assert fetched == {
            "schema": None,
            "error_message": f"the registry {server.url} is refused: {server.url} {REFUSED}",
        }
        assert server.asked == []


def test_a_registry_that_needs_no_credentials_needs_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    with registry(always(200, KNOWN)) as server:
        for environment in ({}, {"HOSTS": "other.host"}, {"HOSTS": "no host at all"}, {"PASSWORD": "without a user"}):
            _clean(monkeypatch, **environment)
            schema_sources._http_registry.cache_clear()
            assert load(server.url)("1").schema == SCHEMA


@pytest.mark.parametrize(
    ("hosts", "url", "is_listed"),
    [
        ("registry.shop", "https://registry.shop", True),
        ("registry.shop", "https://registry.shop:443/path", True),
        ("registry.shop:443", "https://registry.shop", True),
        ("registry.shop", "http://registry.shop", False),
        ("registry.shop", "http://registry.shop:443", False),
        ("registry.shop", "https://registry.shop:8081", False),
        ("registry.shop:8081", "https://registry.shop", False),
        ("registry.shop:80", "http://registry.shop", True),
        ("registry.shop:8081", "http://registry.shop:8081", True),
        ("other:1, Registry.SHOP:8081 ,", "HTTPS://REGISTRY.shop:8081", True),
        ("registry.shop", "https://registry%2eshop", True),
        ("registry.shop", "https://registry.shop.", False),
        ("registry.shop", "https://registry.shop.evil", False),
        ("registry.shop", "https://evil.registry.shop", False),
        ("registry.shop", "https://registry.shop@evil", False),
        ("registry.shop", "https://registry.shop:@evil", False),
        ("registry.shop", "https://registry.shop:443@evil", False),
        ("registry.shop", "https://registry.shop;@evil", False),
        ("registry.shop", "https://registry.shop%40evil", False),
        ("registry.shop", "https://registry.shop%2f@evil", False),
        ("registry.shop", "https://registry.shop%23.evil", False),
        ("[::1]:8081", "http://[::1]:8081", True),
        ("[::1]:8081", "http://[::2]:8081", False),
        ("[::1]:8081", "http://[::1]:8082", False),
        ("bücher.shop", "https://BÜCHER.shop", True),
        ("bücher.shop", "https://xn--bcher-kva.shop", True),
        ("bucher.shop", "https://bücher.shop", False),
    ],
)
def test_which_urls_are_of_a_listed_host(
    hosts: str, url: str, is_listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[tuple[Any, ...]] = []

    def connect(pool: urllib3.PoolManager, *host_port_scheme: Any) -> None:
        connected.append(host_port_scheme)
        raise OSError("no test goes out")

    _clean(monkeypatch, TOKEN="secret", HOSTS=hosts)
    monkeypatch.setattr(urllib3.PoolManager, "connection_from_host", connect)
    error = load(url)("1").error or ""
    assert (error.endswith(REFUSED), len(connected)) == ((False, 1) if is_listed else (True, 0)), error


@pytest.mark.parametrize(
    "url", ["{listed}#@{other}", "{listed}\\@{other}", "{listed}\\@{other}/", "{listed}/@{other}", "{listed}?@{other}"]
)
def test_a_url_that_may_be_read_as_of_another_host_is_none(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with registry(always(200, KNOWN)) as listed, registry(always(200, KNOWN)) as other:
        _clean(monkeypatch, TOKEN="secret", HOSTS=f"127.0.0.1:{listed.port}")
        names = {"listed": f"127.0.0.1:{listed.port}", "other": f"127.0.0.1:{other.port}"}
        assert load(f"http://{url.format(**names)}")("1").error == "the feed's option schemas is no URL of a registry"
        assert (listed.asked, other.asked) == ([], [])


@pytest.mark.parametrize("hosts", ["a,https://secret", "a,me:secret@b", "a,b/secret", "a,::1", "a,b:secret", "a,b#c"])
def test_a_list_of_hosts_that_holds_something_else(hosts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _clean(monkeypatch, TOKEN="secret", HOSTS=hosts)
    assert load("https://a")("1").error == (
        "TICDC_REGISTRY_HOSTS in the environment of the Spark workers is no list of hosts: "
        "entry 2 is neither host nor host:port"
    )


@pytest.mark.parametrize("login", LOGINS)
@pytest.mark.parametrize("place", ["http://{other}/x", "//{other}/x", "http://{listed}@{other}/x", "\\\\{other}/x"])
def test_a_redirect_led_to_a_host_that_is_not_listed(
    login: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry(always(200, KNOWN)) as other:
        names = {"other": f"127.0.0.1:{other.port}"}
        with registry(lambda number: (302, place.format(**names))) as listed:
            names["listed"] = f"127.0.0.1:{listed.port}"
            _clean(monkeypatch, **login, HOSTS=names["listed"])
            found = load(listed.url)("1")
        assert (found.schema, other.asked, other.headers) == (None, [], {})
        if "\\" not in place:  # which is a path
            assert found.error == f"the registry {listed.url} is refused: {other.url} {REFUSED}"


@pytest.mark.parametrize("login", LOGINS)
def test_credentials_follow_a_redirect_on_their_host_alone(
    login: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry(always(200, KNOWN)) as other:
        for place, gets_them in (("/moved", True), (f"{other.url}/moved", False)):
            with registry(lambda number, place=place: (307, place) if number == 1 else (200, KNOWN)) as listed:  # type: ignore[misc]
                _clean(monkeypatch, **login, HOSTS=f"127.0.0.1:{listed.port},127.0.0.1:{other.port}")
                assert load(listed.url)("1").schema == SCHEMA
            assert "authorization" in {name.lower() for name in listed.headers}
            last = listed if gets_them else other
            assert last.asked[-1] == "/moved"
            assert ("authorization" in {name.lower() for name in last.headers}) is gets_them


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"TOKEN": "secret\n"}, "cannot be reached: "),
        ({"TOKEN": "secret密"}, "cannot be reached: "),
        ({"USER": "me", "PASSWORD": "secret密"}, "has a character that is not in ISO 8859-1"),
        ({"USER": "secret密"}, "has a character that is not in ISO 8859-1"),
        ({"USER": "secret", "PASSWORD": "secret"}, "HTTP 401"),
    ],
)
def test_credentials_of_the_environment_go_into_no_text(
    environment: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with registry(always(401, {"message": "secret"})) as server:
        _clean(monkeypatch, **environment, HOSTS=f"127.0.0.1:{server.port}")
        error = load(server.url)("1").error or ""
    assert says in error
    shown = error + caplog.text
    assert not any(secret in shown for secret in ("secret", "密", b64encode(b"secret:secret").decode()))


def test_credentials_of_the_url_go_into_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    _clean(monkeypatch)
    with registry(always(401, {"error_code": 40101, "message": "secret"})) as server:
        found = load(f"http://me:se%20cret@127.0.0.1:{server.port}")("1")
        assert server.headers["authorization"] == "Basic " + b64encode(b"me:se cret").decode()
    assert found.error == f"the registry {server.url} gives no schema 1: HTTP 401 (40101)"
    down = quick(f"http://me:secret@127.0.0.1:{server.port}")("1")
    assert down.error == f"the registry {server.url} cannot be reached: NewConnectionError"
    for source in (
        "http://me:secret@host:port",
        "http://me:secret@",
        "ftp://me:secret@host/x",
        "http://[me:secret",
        "http:/me:secret@host",
        "HTTPS:\\\\me:secret@host",
        " http://me:secret@host",
    ):
        assert "secret" not in (load(source)("1").error or "secret")
    for source in ("http://me:12/34@127.0.0.1", "http://me:12#34@127.0.0.1", "http://me:12?34@127.0.0.1"):
        assert load(source)("1").error == "the feed's option schemas is no URL of a registry"


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
        files = {"CA": str(certificate), "CERT": str(certificate), "KEY": str(key)}
        _clean(monkeypatch, **files)
        assert load(url)("1").error == f"the registry {url} is refused: {url} {REFUSED}"
        _clean(monkeypatch, **files, HOSTS=f"127.0.0.1:{server.port}")
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
    ticdc = SimpleNamespace(by_feed=lambda feeds, member: f"'{feeds[0][member]}'")
    macros: Any = Template(MACROS.read_text(encoding="utf-8")).make_module({"ticdc": ticdc})
    ids = macros.writer_schema_ids([{"framing": framing}])
    rows = spark.createDataFrame([(head, head) for head in heads], "key binary, value binary")
    expected = {head: None if head is None else schema_id(head, framing) for head in heads}
    for column in ("key", "value"):
        found = rows.selectExpr(column, f"{ids}.{column} as id").collect()
        assert {None if head is None else bytes(head): text for head, text in found} == expected
