"""Two hundred readers of one database at once: processes, and threads of one process.

Runs in a process of its own that has not worked before, since it forks: a fork of a process with
threads at work may wait for ever.

Invariant: nobody is done before all have answered once. So all of them have the file open at
a time, and then answer a second time; what they say is compared.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import replicadb
from benchmarks import measure
from benchmarks.reliability import material
from benchmarks.reliability.campaign import Failed

READERS = 200
MEGABYTES = 60
"""That each process may take for itself."""
QUERIES = (
    "SELECT count(*) AS n, sum(probability) AS p FROM replicas",
    "SELECT host, count(*) AS n FROM pages GROUP BY host ORDER BY ALL LIMIT 20",
)
PATIENCE = 600  # seconds


def run(share: float, folder: Path) -> str:
    """All of them, as processes and as threads; what they took.

    Raises:
        Failed: one of them answers otherwise, or takes more than it may.
    """
    n = max(round(READERS * share), 4)
    words = [sys.executable, "-m", "benchmarks.reliability.readers", str(n), str(folder)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    if ended.returncode:
        raise Failed(ended.stderr.strip()[-300:])
    return ended.stdout.strip()


def both(n: int, folder: Path) -> str:
    """What :func:`run` says."""
    database = folder / "web.duckdb"
    crawl = folder / "crawl.parquet"
    made = os.fork()  # this process stays without a database, so that it can fork
    if not made:
        material.rows(folder, 100).write_parquet(crawl)
        with replicadb.open(database, threads=1) as web:
            web.load(crawl)
            web.detect()
        os._exit(0)
    if os.waitpid(made, 0)[1]:
        raise Failed("the database could not be made")
    began = time.monotonic()
    own = processes(n, database)
    between = time.monotonic()
    threads(n, folder)
    return (
        f"{n} processes in {between - began:.0f} s, {max(own):.0f} MB of its own at most,"
        f" {sum(own) / 1000:.1f} GB together; {n} threads in {time.monotonic() - between:.0f} s"
    )


def processes(n: int, database: Path) -> list[float]:
    """Fork so many readers; the MB that each had for itself once all had answered."""
    answered, go, done = os.pipe(), os.pipe(), os.pipe()
    started = []
    for _ in range(n):
        process = os.fork()
        if not process:
            os.close(go[1])
            os._exit(_reader(database, answered[1], go[0], done[1]))
        started.append(process)
    for pipe in (answered, done):
        os.close(pipe[1])
    os.close(go[0])
    first = {_line(answered[0]) for _ in range(n)}
    own = [_private_mb(process) for process in started]
    locked_out(database)
    os.close(go[1])  # all go on
    second = {_line(done[0]) for _ in range(n)}
    codes = {os.waitpid(process, 0)[1] for process in started}
    for pipe in (answered, done):
        os.close(pipe[0])
    if len(first) != 1 or first != second or codes != {0}:
        raise Failed(f"processes: answers {first | second}, exit codes {codes}")
    if max(own) > MEGABYTES:
        raise Failed(f"a process took {max(own):.0f} MB for itself; at most {MEGABYTES}")
    return own


def _reader(database: Path, answered: int, go: int, done: int) -> int:
    with replicadb.open(database, read_only=True, threads=1, memory_limit="200MB") as web:
        os.write(answered, answer(web))
        os.read(go, 1)
        os.write(done, answer(web))
    return 0


def answer(web: replicadb.ReplicaDB) -> bytes:
    """What a reader finds, as a line of 64 bytes and its end."""
    text = "".join(web.sql(query).write_csv() for query in QUERIES)
    return f"{material.sha(text.encode())}\n".encode()


def _line(pipe: int) -> bytes:
    return os.read(pipe, 65)  # a write of so few bytes is never torn


def _private_mb(process: int) -> float:
    """Memory that a process shares with none."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    kilobytes = (line.split()[1] for line in lines if line.startswith("Private_"))
    return sum(map(int, kilobytes)) / 1000


def locked_out(database: Path) -> None:
    """Who wants to write meanwhile is refused, and told why."""
    words = [sys.executable, "-m", "replicadb", "detect", database, "--method", "paper", "--quiet"]
    if measure.process(words, refusal=4) is not None:
        raise Failed("a writer was let in beside readers")


def threads(n: int, folder: Path) -> None:
    """So many threads, each with the database opened for itself, in a fork."""
    process = os.fork()
    if process:
        if os.waitpid(process, 0)[1]:
            raise Failed("threads: answers differ, or one failed")
        return
    barrier, found = threading.Barrier(n, timeout=PATIENCE), []

    def read() -> None:
        with replicadb.open(folder / "web.duckdb", read_only=True, threads=1) as web:
            first = answer(web)
            barrier.wait()
            found.append((first, answer(web)))

    running = [threading.Thread(target=read) for _ in range(n)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    os._exit(0 if len(found) == n and len(set(sum(found, ()))) == 1 else 1)


if __name__ == "__main__":
    print(both(int(sys.argv[1]), Path(sys.argv[2])))
