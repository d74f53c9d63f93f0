"""Debezium JSON: `message` decodes one message, `batch` rows of one schema and operation together."""

from ticdc_udfs.protocols.debezium.batch import decode_batch
from ticdc_udfs.protocols.debezium.message import decode

__all__ = ["decode", "decode_batch"]
