"""Simple, in JSON or Avro: `message` decodes one message, `batch` JSON rows of one table and operation together."""

from ticdc_udfs.protocols.simple.batch import decode_batch
from ticdc_udfs.protocols.simple.message import decode

__all__ = ["decode", "decode_batch"]
