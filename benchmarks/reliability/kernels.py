"""Other kinds of CPU, as far as one machine can be them: the kernels of BLAS, NumPy and the C
library that older and other ones take, and more threads of BLAS, by environment variables. Do they
come to the same bytes?

Invariant: each kind runs in a process of its own, over the same crawls and the same work. One crawl
is large, since where a fit ends is seen in the digits of large ones alone.
The C library's are those of logarithms and powers, which differ in the last digit by whether a CPU
multiplies and adds in one go.

Run ``python -m benchmarks.reliability.kernels``.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from benchmarks import inputs
from benchmarks.reliability import determinism, material
from replicadb.synthetic.crawl.generate import generate

NO_AVX = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
NO_FMA = "glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-FMA_Usable,-FMA,-FMA4_Usable,-FMA4,-AVX512F"
KINDS = {
    "as it is": {},
    "BLAS of Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "BLAS of Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS of Haswell, two threads": {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
    "BLAS of four threads": {"OPENBLAS_NUM_THREADS": "4"},
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": NO_AVX},
    "C library without FMA": {"GLIBC_TUNABLES": NO_FMA},
    "all of an old one": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": NO_AVX,
        "GLIBC_TUNABLES": NO_FMA,
    },
}

DEMO = "robust, the demo"
"""The work over the crawl that ``replicadb demo`` makes."""


def digests() -> dict[str, dict[str, str]]:
    """What each work comes to."""
    known = {}
    for work in (*determinism.WORK, DEMO):
        with tempfile.TemporaryDirectory() as name:
            folder, draw = Path(name), random.Random(0)
            if work == DEMO:
                rows = pl.read_parquet(
                    generate(folder / "made", 2000, profile="demo", seed=1).crawl
                )
            else:
                rows = material.rows(folder, determinism.HOSTS, 3)
            parts = determinism.dealt(rows, 1, draw)
            method = "robust" if work == DEMO else work
            known[work] = determinism.found(folder, parts, method, draw)[0]
    return known


def main() -> int:
    if sys.argv[1:] == ["--one"]:
        print(json.dumps(digests()))
        return 0
    results: dict[str, dict[str, dict[str, str]]] = {}
    for kind, variables in KINDS.items():
        words = [sys.executable, "-W", "ignore", "-m", "benchmarks.reliability.kernels", "--one"]
        ended = subprocess.run(
            words, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True
        )
        results[kind] = json.loads(ended.stdout.splitlines()[-1])
        for work, expected in results["as it is"].items():
            if differ := material.differing(results[kind][work], expected):
                print(f"{kind}, {work}: differ: {', '.join(differ)}", file=sys.stderr)
    other = [kind for kind, found in results.items() if found != results["as it is"]]
    works = "; ".join(results["as it is"])
    print(f"kernels: {len(results)} kinds; {works}; other bytes: {other or 'none'}")
    return 1 if other else 0


if __name__ == "__main__":
    inputs.help_or_go_on(__doc__)
    sys.exit(main())
