"""Debezium-Avro: `message` decodes one message, `batch` rows of one writer schema together."""

from ticdc_udfs.protocols.debezium_avro.batch import decode_batch
from ticdc_udfs.protocols.debezium_avro.message import decode

__all__ = ["decode", "decode_batch"]
