"""Apicurio, a schema registry that answers Confluent's API, and a door before it that asks for user and password."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import urllib3

from support.jars import JAVA, unpacked
from support.registry import Server, registry
from support.servers import free_port, running

_APICURIO = "io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all"
_API = "/apis/ccompat/v7"
_SECONDS = 60
_JSON = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
USER, PASSWORD = "changefeed", "pass wörd:1"


class Apicurio:
    """A registry whose schemas are in a folder, so that it may go down and come back with them."""

    def __init__(self, folder: Path) -> None:
        self._runner = unpacked(_APICURIO) / "apicurio-registry-app-3.0.9-runner.jar"
        self._folder, self._port = folder, free_port()
        self.host = f"127.0.0.1:{self._port}"
        self.url = f"http://{self.host}{_API}"

    @contextmanager
    def up(self) -> Iterator[None]:
        """It answers as long as this lasts."""
        settings = {
            "quarkus.http.host": "127.0.0.1",
            "quarkus.http.port": self._port,
            "apicurio.storage.kind": "sql",
            "apicurio.storage.sql.kind": "h2",
            "apicurio.datasource.url": f"jdbc:h2:file:{self._folder / 'schemas'};WRITE_DELAY=0",  # it is killed
        }
        options = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        command = [JAVA, *options, *(f"-D{name}={value}" for name, value in settings.items())]
        with running([*command, "-jar", str(self._runner)], self._folder / "apicurio.log", self._answers):
            yield

    def _answers(self) -> bool:
        try:
            return urllib3.request("GET", f"{self.url}/subjects", retries=False).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def register(self, subject: str, schema: str, schema_type: str = "AVRO") -> int:
        """The id that it gives a schema."""
        body = json.dumps({"schema": schema, "schemaType": schema_type})
        answer = urllib3.request(
            "POST", f"{self.url}/subjects/{subject}/versions", body=body, headers=_JSON, timeout=_SECONDS
        )
        assert answer.status == 200, answer.data
        return int(answer.json()["id"])

    @contextmanager
    def behind_a_door(self, seconds: float = 0) -> Iterator[Server]:
        """A server that passes on what is asked of it with the right user and password, and lets one wait for it."""
        wanted = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode("latin-1")).decode()

        def answer(number: int) -> tuple[int, Any]:
            time.sleep(seconds)
            if door.headers.get("authorization") != wanted:
                return 401, {"error_code": 40101, "message": "Unauthorized"}
            try:
                passed_on = urllib3.request(
                    "GET", f"http://{self.host}{door.asked[number - 1]}", retries=False, timeout=_SECONDS
                )
            except urllib3.exceptions.HTTPError:
                return 502, b"<html>Bad Gateway</html>"
            return passed_on.status, passed_on.data

        with registry(answer) as door:
            yield door
