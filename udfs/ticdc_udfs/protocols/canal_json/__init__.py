"""Canal-JSON: `message` decodes one message, `batch` those of a batch."""

from ticdc_udfs.protocols.canal_json.batch import decode_batch
from ticdc_udfs.protocols.canal_json.message import decode

__all__ = ["decode", "decode_batch"]
