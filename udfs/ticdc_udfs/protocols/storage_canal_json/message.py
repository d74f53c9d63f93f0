"""Canal-JSON in files of the storage sink: rows as in Kafka, DDL in schema files, the watermark in `metadata`."""

from __future__ import annotations

from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind
from ticdc_udfs.contract.options import Options
from ticdc_udfs.protocols.canal_json import message as canal_json
from ticdc_udfs.sources import schema_files
from ticdc_udfs.sources.files import CUT_OFF, FileKind, key_path

NO_COMMIT = "a row without _tidb.commitTs: set enable-tidb-extension=true in the sink URI of the changefeed"


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a row, a schema file or `metadata`; `key` is the path. Raises `DecodeError`."""
    path = key_path(key)
    if path.kind is not FileKind.DATA:
        return (schema_files.event_of(path, value),)
    if value is None:
        raise DecodeError(ErrorCode.BAD_FRAME, CUT_OFF)
    (event,) = canal_json.decode(None, value, options)
    if event.kind != Kind.ROW:
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "a line of a data file that is no row")
    if not event.commit_ts_exact:
        raise DecodeError(ErrorCode.BAD_SHAPE, NO_COMMIT)
    return (event._replace(physical_table_id=event.physical_table_id or path.partition_id),)
