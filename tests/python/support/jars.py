"""Jars and archives of other projects: Ivy, which is a part of Spark, fetches them once into the user's cache.

The cache is `ticdc-tests` in XDG_CACHE_HOME, or else in `~/.cache`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pyspark
import pytest

from dbt_ticdc import warehouse

JAVA = warehouse.java_command() or "java"
# Where jars are fetched alone, their poms are not read: some name a parent that is nowhere.
_SETTINGS = """\
<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true" usepoms="{usepoms}"/></resolvers>
</ivysettings>
"""
_MODULE = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="ticdc" module="tests"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>{dependencies}</dependencies>
</ivy-module>
"""


def jars(*coordinates: str, alone: bool = False) -> list[Path]:
    """The jars of these coordinates, `group:artifact:version`, and, unless `alone`, all that they need to run.

    Where they cannot be fetched, the test is skipped; in CI it fails.
    """
    folder = _cached(coordinates, "alone" if alone else "whole", lambda folder: _fetch(coordinates, alone, folder))
    return sorted(folder.glob("*.jar"))


def unpacked(coordinate: str) -> Path:
    """The folder with what is in an archive, `group:artifact:version:extension:classifier`; else like `jars`."""

    def fill(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=folder.parent) as part:
            _fetch([coordinate], True, Path(part))
            (archive,) = Path(part).iterdir()
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")

    return _cached([coordinate], "unpacked", fill)


def _cached(coordinates: Sequence[str], how: str, fill: Callable[[Path], None]) -> Path:
    """The folder of the cache that `fill` fills where it is not there yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticdc-tests"
    folder = cache / hashlib.sha256("\n".join((how, *sorted(coordinates))).encode()).hexdigest()[:16]
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as part:
        whole = Path(part) / "whole"
        whole.mkdir()
        try:
            fill(whole)
        except subprocess.CalledProcessError as error:
            refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            refuse(f"{', '.join(coordinates)} cannot be fetched; Ivy said:\n{error.output[-2000:]}")
        try:
            whole.rename(folder)
        except OSError:  # another process was first
            assert folder.is_dir()
    return folder


def _fetch(coordinates: Sequence[str], alone: bool, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as part:
        settings, module = Path(part) / "settings.xml", Path(part) / "ivy.xml"
        settings.write_text(_SETTINGS.format(usepoms="false" if alone else "true"), encoding="utf-8")
        dependencies = "".join(_dependency(alone, *coordinate.split(":")) for coordinate in coordinates)
        module.write_text(_MODULE.format(dependencies=dependencies), encoding="utf-8")
        (ivy,) = Path(pyspark.__file__).with_name("jars").glob("ivy-*.jar")
        command = [JAVA, "-cp", str(ivy), "org.apache.ivy.Main", "-settings", str(settings), "-ivy", str(module)]
        command += ["-cache", str(Path(part) / "cache")]
        command += ["-retrieve", f"{folder}/[organisation]_[artifact]-[revision](-[classifier]).[ext]"]
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _dependency(alone: bool, group: str, artifact: str, version: str, extension: str = "jar", of: str = "") -> str:
    """A dependency as Ivy reads it; `of` is the classifier."""
    org, name, rev, kind, classifier = map(quoteattr, (group, artifact, version, extension, of))
    wanted = f"<artifact name={name} type={kind} ext={kind} {f'm:classifier={classifier}' if of else ''}/>"
    return f'<dependency org={org} name={name} rev={rev} conf="default->default">{wanted if alone else ""}</dependency>'
