"""One target of the campaign fuzz under atheris, which keeps the inputs that reach new code.

Invariant: what is kept, rejected or refused is no finding; any other exception is, and the
input that made it lies in the folder.

Run ``pip install atheris`` and ``python -m benchmarks.reliability.guided --target warc --seconds 60
[--folder corpus]``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["replicadb.readers", "replicadb.web", "replicadb.rewrite"]
):
    import replicadb.readers.archives
    import replicadb.rewrite
    import replicadb.web.urls  # noqa: F401

from benchmarks.reliability import fuzz
from replicadb.errors import ReplicaDBError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True, help="as in the campaign fuzz: warc, arc, url")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="inputs that reached new code, to go on with")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="guided-") as name:
        inside = Path(name)
        corpus = chosen.folder or inside / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        sound, use = fuzz.targets(inside)[chosen.target]
        for number, data in enumerate(sound):
            (corpus / f"sound-{number}").write_bytes(data[:4096])

        def one(data: bytes) -> None:
            try:
                use(data, inside / "mutated")
            except ReplicaDBError:
                return

        options = [f"-max_total_time={chosen.seconds}", "-timeout=20", "-rss_limit_mb=4096"]
        atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={corpus}/", str(corpus)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
