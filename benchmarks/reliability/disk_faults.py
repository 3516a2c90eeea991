"""Faults of the disk below a process: disk_faults.c, compiled here with cc and loaded first.

Invariant: without a C compiler, or elsewhere than on Linux, available() says so and nothing
is done.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MODES = ("count", "kill", "torn", "cut", "full", "broken", "unreadable", "read-only", "off")
"""As disk_faults.c numbers them: nothing; killed before an operation; killed in the middle of a
write; power cut, of what was not synced a part is lost, data and, the last first, names; no write
from there on, for want of space; one operation fails with EIO; one read does; from there on nothing
can be written, made, renamed or removed; a power cut when :func:`lose` is called, which takes all
that was not synced.
"""
SOURCE = Path(__file__).with_name("disk_faults.c")
LOADED = "REPLICADB_DISK_FAULTS"


def available() -> bool:
    """Whether faults can be made here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def compile_to(library: Path) -> None:
    """Make the library that is to be loaded first."""
    words = ["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"]
    subprocess.run(words, check=True)


def begin_again_with_faults() -> None:
    """Start this very program anew with the library loaded before all others."""
    if LOADED in os.environ:
        return
    library = Path(tempfile.mkdtemp(prefix="disk-faults-")) / "disk_faults.so"
    compile_to(library)
    words = [sys.executable, "-m", *_module(), *sys.argv[1:]]
    os.execve(sys.executable, words, {**os.environ, "LD_PRELOAD": str(library), LOADED: "1"})


def _module() -> list[str]:
    spec = sys.modules["__main__"].__spec__
    return [spec.name] if spec else [sys.argv[0]]


def arm(folder: Path, mode: str, at: int, seed: int) -> None:
    """From now on operations on files below the folder count, and the one of that number fails."""
    here = ctypes.CDLL(None)
    here.faults_arm(os.fsencode(folder.resolve()), MODES.index(mode), ctypes.c_long(at), seed)


def lose() -> None:
    """The power fails now, in the mode ``off``; the process goes on."""
    ctypes.CDLL(None).faults_off()


def counted() -> tuple[int, int]:
    """Operations and reads since :func:`arm`."""
    here = ctypes.CDLL(None)
    here.faults_operations.restype = here.faults_reads.restype = ctypes.c_long
    return here.faults_operations(), here.faults_reads()
