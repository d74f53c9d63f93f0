"""Spark's daemon of Python workers, for the setting `spark.python.daemon.module`: its tasks begin sooner.

Spark has pyspark's archive and a jar on the path of its workers, and each task makes Python forget what it knows of the
path. Python 3.11 then reads the archives' directories again, once for each package that was imported from them, which
takes a tenth of a second. Collecting garbage after each task takes longer the more modules a worker has imported.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def unpacked(path: Sequence[str]) -> list[str]:
    """The path without jars, and with pyspark's folder in place of its archive `<Spark>/python/lib/pyspark.zip`."""
    entries = []
    for entry in path:
        python = Path(entry).parent.parent
        if not entry.endswith("pyspark.zip"):
            entries += [] if entry.endswith(".jar") else [entry]
        elif (python / "pyspark" / "worker.py").is_file():
            entries.append(str(python))
        elif not (python.parent / "worker.py").is_file() or str(python.parent.parent) not in path:
            entries.append(entry)  # else it is an installed package, which stands further back
    return entries


def main() -> None:
    """Runs the daemon until Spark ends it; the decoders are imported once, for all workers that run UDFs."""
    sys.path[:] = unpacked(sys.path)
    sys.path_importer_cache.clear()
    _keep_memory()
    from pyspark import daemon

    if sys.argv[1:] == ["pyspark.worker"]:
        from ticdc_udfs.spark import registry

        del registry
    gc.collect()
    gc.freeze()
    daemon.manager()  # type: ignore[no-untyped-call]


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3


def _keep_memory() -> None:
    """Has glibc keep freed memory: to get it from the system again for each batch takes a tenth of a task's time."""
    with suppress(AttributeError, OSError):  # another C library
        allocator = ctypes.CDLL(None).mallopt
        allocator(_TRIM_THRESHOLD, 64 * 1024 * 1024)
        allocator(_MMAP_THRESHOLD, 32 * 1024 * 1024)


if __name__ == "__main__":
    main()
