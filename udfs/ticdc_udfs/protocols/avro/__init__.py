"""Avro, its writer schemas in a registry: `message` decodes one message, `batch` those of one schema together."""

from ticdc_udfs.protocols.avro.batch import decode_batch
from ticdc_udfs.protocols.avro.message import decode

__all__ = ["decode", "decode_batch"]
