"""S3Proxy, a server of S3's API that holds objects in memory, and what Spark needs to reach it as `s3a://`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pyarrow.fs import S3FileSystem

from support.jars import JAVA, jars
from support.servers import free_port, listens, running

_SERVER = "org.gaul:s3proxy:2.6.0"
# The client that Spark's Hadoop is of, and of the SDK that it is made for the parts that it uses: the whole is 600 MB.
_CLIENT = "org.apache.hadoop:hadoop-aws:3.4.2"
_SDK = [
    f"software.amazon.awssdk:{part}:2.29.52"
    for part in ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
]
# What they need besides is in Spark, of versions that it was tried with.
_NOT_IN_SPARK = ("software.amazon.", "org.reactivestreams_")
KEY, SECRET = "ticdc", "secret+of/ticdc"
_PROPERTIES = """\
s3proxy.endpoint=http://127.0.0.1:{port}
s3proxy.authorization=aws-v4
s3proxy.identity={key}
s3proxy.credential={secret}
jclouds.provider=transient
"""
_LOG = """\
<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %m%n</pattern></encoder>
  </appender>
  <root level="warn"><appender-ref ref="out"/></root>
</configuration>
"""


class ObjectStore(NamedTuple):
    """A server that is up."""

    port: int

    @property
    def files(self) -> S3FileSystem:
        """What is in it; the first part of a path is the bucket."""
        # S3Proxy does not know the checksums at the end of what is sent that newer clients send
        os.environ["AWS_REQUEST_CHECKSUM_CALCULATION"] = "when_required"
        place = {"scheme": "http", "endpoint_override": f"127.0.0.1:{self.port}", "region": "us-east-1"}
        return S3FileSystem(access_key=KEY, secret_key=SECRET, allow_bucket_creation=True, **place)

    @property
    def variables(self) -> dict[str, str]:
        """What stands in the environment of a Spark that is started."""
        settings = {
            "fs.s3a.endpoint": f"http://127.0.0.1:{self.port}",
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
        }
        options = [f"--conf spark.hadoop.{name}={value}" for name, value in settings.items()]
        sdk = [jar for jar in jars(*_SDK) if jar.name.startswith(_NOT_IN_SPARK)]
        class_path = ":".join(map(str, [*jars(_CLIENT, alone=True), *sdk]))
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "PYSPARK_SUBMIT_ARGS": " ".join((f"--driver-class-path {class_path}", *options, "pyspark-shell")),
        }


@contextmanager
def object_store(folder: Path, *buckets: str) -> Iterator[ObjectStore]:
    """A server as long as this lasts, with these buckets."""
    store = ObjectStore(free_port())
    properties = folder / "s3proxy.properties"
    properties.write_text(_PROPERTIES.format(port=store.port, key=KEY, secret=SECRET), encoding="utf-8")
    log = folder / "logback.xml"
    log.write_text(_LOG, encoding="utf-8")
    class_path = ":".join(map(str, jars(_SERVER)))
    command = [JAVA, "-Xmx512m", "-XX:+UseSerialGC", f"-Dlogback.configurationFile={log}", "-cp", class_path]
    command += ["org.gaul.s3proxy.Main", "--properties", str(properties)]
    with running(command, folder / "s3proxy.log", lambda: listens(store.port)):
        for bucket in buckets:
            store.files.create_dir(bucket)
        yield store
