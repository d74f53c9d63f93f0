"""CSV files of the storage sink: `message` decodes one row or file, `batch` many rows."""

from ticdc_udfs.protocols.storage_csv.batch import decode_batch
from ticdc_udfs.protocols.storage_csv.message import decode

__all__ = ["decode", "decode_batch"]
