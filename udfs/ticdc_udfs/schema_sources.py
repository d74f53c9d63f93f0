"""Writer schemas by id: from a Confluent-compatible registry over HTTP, or from a JSON file.

The environment holds what opens a registry: `TICDC_REGISTRY_USER` and `TICDC_REGISTRY_PASSWORD`, or
`TICDC_REGISTRY_TOKEN` (bearer); `TICDC_REGISTRY_CA` names a file of certificate authorities, `TICDC_REGISTRY_CERT` and
`TICDC_REGISTRY_KEY` the client's certificate and key. None of it is ever part of an error's text. As any SQL may name a
URL, `TICDC_REGISTRY_HOSTS` lists the hosts that get them: where there are credentials, no other host is connected to.
`TICDC_REGISTRY_TIMEOUT` is for how many seconds an answer is waited for.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec
import pyarrow as pa
import urllib3
from urllib3.util import Retry, Timeout, Url, make_headers, parse_url

FETCHED_SQL_TYPE = "struct<schema: string, error_message: string>"
"""What `fetch_schemas` gives per row."""


class Found(NamedTuple):
    """A schema's JSON text, or why there is none."""

    schema: str | None
    error: str | None


Registry = Callable[[str], Found]
"""Finds a schema by id: the number of a Confluent registry in decimal, or the UUID of a Glue schema version."""


def load(source: str) -> Registry:
    """The registry of a feed's option `schemas`: a URL, or the path of a file (JSON: id to `{"schema": "…"}`)."""
    if source.lower().startswith(("http:", "https:")):
        return _http_registry(source, *(os.environ.get(f"TICDC_REGISTRY_{name}") for name in _ENVIRONMENT))
    if "://" in source:  # nor is it shown: it may hold a password
        return _unusable("the feed's option schemas is neither a URL of http or https nor a file")
    try:
        status = Path(source).stat()
    except (OSError, ValueError) as error:
        return _unusable(f"the file {source!r} cannot be read: {type(error).__name__}")
    return _file_registry(source, status.st_mtime_ns, status.st_size)


def fetch_schemas(sources: pa.Array[Any], ids: pa.Array[Any]) -> pa.Array[Any]:
    """The schema of each id from its source, or the reason why there is none; both null where the id is null."""
    registries = {
        source: _unusable("the feed has no option schemas") if source is None else load(source)
        for source in sources.unique().to_pylist()
    }
    found = [
        Found(None, None) if schema_id is None else registries[source](schema_id)
        for source, schema_id in zip(sources.to_pylist(), ids.to_pylist(), strict=True)
    ]
    return pa.StructArray.from_arrays(
        [pa.array([each.schema for each in found], pa.string()), pa.array([each.error for each in found], pa.string())],
        names=["schema", "error_message"],
    )


def pack_schemas(schemas: pa.Array[Any]) -> pa.Array[Any]:
    """Writer schemas as less bytes: they go to a decoder with every message."""
    packed = (None if text is None else zlib.compress(text.encode(), 9) for text in schemas.to_pylist())
    return pa.array(packed, pa.binary())


def unpack_schemas(schemas: pa.Array[Any]) -> pa.Array[Any]:
    """The texts that `pack_schemas` took; texts stay as they are."""
    if not pa.types.is_binary(schemas.type) and not pa.types.is_large_binary(schemas.type):
        return schemas
    packed = schemas.dictionary_encode()
    texts = pa.array(map(_unpacked, packed.dictionary.to_pylist()), pa.string())
    return pa.DictionaryArray.from_arrays(packed.indices, texts)


@lru_cache(maxsize=4096)
def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode()


def _unusable(reason: str) -> Registry:
    return lambda schema_id: Found(None, reason)


@lru_cache(maxsize=16)
def _file_registry(path: str, changed_at: int, size: int) -> Registry:
    """A file as it is now: its time of change and size are part of what is remembered."""
    del changed_at, size
    try:
        schemas = {schema_id.lower(): entry.schema for schema_id, entry in _read_file(Path(path).read_bytes()).items()}
    except (OSError, ValueError, RecursionError) as error:
        return _unusable(f"the file {path!r} is no JSON object of schemas by id: {type(error).__name__}")

    def find(schema_id: str) -> Found:
        schema = schemas.get(schema_id)
        return Found(schema, None if schema is not None else f"the file {path!r} has no schema {schema_id}")

    return find


class _Entry(msgspec.Struct):
    schema: str
    schemaType: str = "AVRO"


class _Refusal(msgspec.Struct):
    error_code: int = 0


_read_file = msgspec.json.Decoder(dict[str, _Entry]).decode
_read_entry = msgspec.json.Decoder(_Entry).decode
_read_refusal = msgspec.json.Decoder(_Refusal).decode

_ENVIRONMENT = ("USER", "PASSWORD", "TOKEN", "CA", "CERT", "KEY", "HOSTS", "TIMEOUT")
_TIMEOUT = Timeout(connect=5, read=15)
_RETRY = Retry(
    total=3,
    redirect=3,
    backoff_factor=0.2,
    status_forcelist=(429, 500, 502, 503, 504),
    raise_on_status=False,
    respect_retry_after_header=False,
)
_MAX_BYTES = 16 * 1024 * 1024
_DOWN_SECONDS = 10.0

Hosts = frozenset[tuple[str, int | None]]
"""Hosts and their ports; without a port it is https at port 443."""


class _NotListed(Exception):
    pass


class _PoolOfHosts(urllib3.PoolManager):
    """Connects to listed hosts alone. Every request comes through here, also one that follows a redirect."""

    def __init__(self, hosts: Hosts, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._hosts = hosts

    def connection_from_host(
        self,
        host: str | None,
        port: int | None = None,
        scheme: str | None = "http",
        pool_kwargs: dict[str, Any] | None = None,
    ) -> urllib3.HTTPConnectionPool:
        """The pool of a listed host."""
        port = port or (443 if scheme == "https" else 80)
        names = {(host, port), (host, None)} if (scheme, port) == ("https", 443) else {(host, port)}
        if names.isdisjoint(self._hosts):
            raise _NotListed(
                f"{scheme}://{host}:{port} gets no credentials, as TICDC_REGISTRY_HOSTS in the environment of the "
                "Spark workers does not list it; allowed there: host:port, or host for https at port 443, with commas"
            )
        return super().connection_from_host(host, port, scheme, pool_kwargs)


class HttpRegistry:
    """A registry with the API of Confluent's: `GET <url>/schemas/ids/<id>`.

    Schemas are remembered, as an id's schema never changes. After a registry could not be reached, it is not asked
    again for some seconds.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        tls: Mapping[str, Any] | None = None,
        *,
        hosts: Hosts | None = None,
        timeout: Timeout = _TIMEOUT,
        retry: Retry = _RETRY,
        down_seconds: float = _DOWN_SECONDS,
    ) -> None:
        """`headers` go with every request, `tls` are arguments of a pool; the URL may hold credentials.

        Only `hosts` are connected to, where they are given.
        """
        parsed = parse_url(url)
        if not parsed.host or "@" in f"{parsed.path}{parsed.query}{parsed.fragment}":
            raise ValueError("where the host ends is not clear, and so what of the URL is a password")
        self.name = Url(parsed.scheme, host=parsed.host, port=parsed.port, path=(parsed.path or "").rstrip("/")).url
        own = make_headers(basic_auth=unquote(parsed.auth)) if parsed.auth else {}
        accepted = {"accept": "application/vnd.schemaregistry.v1+json, application/json"}
        make_pool = urllib3.PoolManager if hosts is None else partial(_PoolOfHosts, hosts)
        self._pool = make_pool(
            headers={**accepted, **own, **(headers or {})}, timeout=timeout, retries=retry, **(tls or {})
        )
        self._found: dict[str, Found] = {}
        self._down_seconds = down_seconds
        self._down_until, self._down = 0.0, Found(None, None)

    def __call__(self, schema_id: str) -> Found:
        """The schema, from memory or from the registry."""
        known = self._found.get(schema_id)
        if known is not None:
            return known
        if not (schema_id.isascii() and schema_id.isdecimal()):
            return Found(None, f"the registry {self.name} has numbers for ids, which {schema_id[:40]!r} is not")
        if time.monotonic() < self._down_until:
            return self._down
        found = self._ask(schema_id)
        if found.schema is not None:
            self._found[schema_id] = found
        return found

    def _ask(self, schema_id: str) -> Found:
        try:
            response = self._pool.request("GET", f"{self.name}/schemas/ids/{schema_id}", preload_content=False)
            try:
                body, status = response.read(_MAX_BYTES + 1, decode_content=True), response.status
            finally:
                response.release_conn()
        except _NotListed as error:
            return Found(None, f"the registry {self.name} is refused: {error}")
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            return self._is_down(f"the registry {self.name} cannot be reached: {type(reason).__name__}")
        if status in _RETRY.status_forcelist:
            return self._is_down(f"the registry {self.name} is not able to answer: HTTP {status}")
        if status != 200:
            return Found(None, f"the registry {self.name} gives no schema {schema_id}: HTTP {status}{_code(body)}")
        try:
            entry = _read_entry(body)
        except (ValueError, RecursionError):
            return Found(None, f"the registry {self.name} gave no schema for {schema_id}, but something else")
        if entry.schemaType != "AVRO":
            return Found(None, f"the schema {schema_id} of the registry {self.name} is not Avro's")
        return Found(entry.schema, None)

    def _is_down(self, reason: str) -> Found:
        self._down_until, self._down = time.monotonic() + self._down_seconds, Found(None, reason)
        return self._down


def _code(body: bytes) -> str:
    """The registry's own number of an error, such as 40403 for an id that it has not."""
    try:
        code = _read_refusal(body).error_code
    except (ValueError, RecursionError):
        return ""
    return f" ({code})" if code else ""


def _listed(text: str) -> Hosts:
    """The hosts of `TICDC_REGISTRY_HOSTS`, as the parser of URLs writes them; a `ValueError` has none of its text."""
    hosts = set()
    for number, entry in enumerate(text.split(","), 1):
        if entry.strip():
            try:
                url = parse_url(f"https://{entry.strip()}")
            except urllib3.exceptions.HTTPError:
                url = Url()
            if not url.host or url != Url("https", host=url.host, port=url.port):
                raise ValueError(f"entry {number} is neither host nor host:port")
            hosts.add((url.host, url.port))
    return frozenset(hosts)


@lru_cache(maxsize=16)
def _http_registry(
    url: str,
    user: str | None,
    password: str | None,
    token: str | None,
    authorities: str | None,
    certificate: str | None,
    key: str | None,
    hosts: str | None,
    seconds: str | None,
) -> Registry:
    headers = {}
    try:
        if token:
            headers["authorization"] = f"Bearer {token}"
        elif user:
            headers.update(make_headers(basic_auth=f"{user}:{password or ''}"))
    except UnicodeError:  # its text has a character of them
        return _unusable("TICDC_REGISTRY_USER or TICDC_REGISTRY_PASSWORD has a character that is not in ISO 8859-1")
    files = {"ca_certs": authorities, "cert_file": certificate, "key_file": key}
    try:
        listed = _listed(hosts or "") if headers or certificate else None
    except ValueError as error:
        return _unusable(f"TICDC_REGISTRY_HOSTS in the environment of the Spark workers is no list of hosts: {error}")
    try:
        timeout = Timeout(connect=_TIMEOUT.connect_timeout, read=float(seconds)) if seconds else _TIMEOUT
    except ValueError:
        return _unusable(f"TICDC_REGISTRY_TIMEOUT is no number of seconds above 0: {seconds!r}")
    tls = {name: file for name, file in files.items() if file}
    try:
        return HttpRegistry(url, headers, tls, hosts=listed, timeout=timeout)
    except (urllib3.exceptions.HTTPError, ValueError):
        return _unusable("the feed's option schemas is no URL of a registry")
