"""Canal-JSON: `message` decodes one message."""

from ticdc_udfs.protocols.canal_json.message import decode

__all__ = ["decode"]
