"""Other kinds of CPU, as far as one machine can be them: the kernels of BLAS and NumPy that older
and other ones take, by environment variables. Do they come to the same bytes?

Always true here: each kind runs in a process of its own, over the same crawls and methods.

Run ``python -m benchmarks.reliability.kernels``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import replicadb
from benchmarks.reliability import material
from benchmarks.reliability.determinism import SETTINGS

NO_AVX = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
KINDS = {
    "as it is": {},
    "BLAS of Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "BLAS of Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": NO_AVX},
    "both": {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": NO_AVX},
}


def digests() -> dict[str, dict[str, str]]:
    """What each method comes to."""
    found = {}
    for number, settings in enumerate(SETTINGS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            material.rows(folder, 100, 3).write_parquet(folder / "a.parquet")
            with replicadb.open(folder / "web.duckdb", threads=1) as web:
                web.load(folder / "a.parquet")
                web.detect(**settings)
            found[str(number)] = material.digest(folder / "web.duckdb")
    return found


def main() -> int:
    if sys.argv[1:] == ["--one"]:
        print(json.dumps(digests()))
        return 0
    results = {}
    for kind, variables in KINDS.items():
        words = [sys.executable, "-W", "ignore", "-m", "benchmarks.reliability.kernels", "--one"]
        ended = subprocess.run(
            words, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True
        )
        results[kind] = json.loads(ended.stdout.splitlines()[-1])
    other = [kind for kind, found in results.items() if found != results["as it is"]]
    print(f"kernels: {len(results)} kinds, {len(SETTINGS)} methods; other bytes: {other or 'none'}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
