"""Open Protocol: `message` decodes one message, `batch` rows of one table and operation together."""

from ticdc_udfs.protocols.open_protocol.batch import decode_batch
from ticdc_udfs.protocols.open_protocol.message import decode

__all__ = ["decode", "decode_batch"]
