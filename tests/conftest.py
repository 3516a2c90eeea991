"""What the tests share: small crawls, the command line in this process and in one of its own, and
where samples lie.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# Read when the libraries are loaded; the workers of pytest-xdist share the cores already.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_threads, "1")
# DuckDB plans a statement out of many small pieces of memory: where glibc keeps them, in large
# pages, a small detection costs an eighth less. The workers of pytest-xdist begin with it.
_KEPT = ("trim_threshold=1073741824", "mmap_threshold=1073741824", "top_pad=67108864")
os.environ.setdefault(
    "GLIBC_TUNABLES",
    ":".join(f"glibc.malloc.{kept}" for kept in ("hugetlb=1", "tcache_count=2000", *_KEPT)),
)
# Where Python is told to keep nothing compiled, each process that a test starts compiles the whole
# package anew: a third of what it costs.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import duckdb  # noqa: E402
import hypothesis  # noqa: E402
import pytest  # noqa: E402
from xdist.scheduler import LoadFileScheduling  # noqa: E402

import replicadb  # noqa: E402
from replicadb.cli import run as run_command  # noqa: E402
from replicadb.store import connecting, database  # noqa: E402

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")

CRAWL = """url,ip,digest,timestamp
http://example.com/,10.0.0.1,sha1:aa,20240101000000
http://example.com/about,10.0.0.1,sha1:ab,20240101000000
http://example.com/about?print=1,10.0.0.1,sha1:ab,20240101000000
http://example.com/contact,10.0.0.1,sha1:ac,20240101000000
http://www.example.com/,10.0.0.1,sha1:aa,20240101000000
http://www.example.com/about,10.0.0.1,sha1:ab,20240101000000
http://www.example.com/contact,10.0.0.1,sha1:ac,20240101000000
http://example.org/,10.0.0.2,sha1:aa,20240101000000
http://example.org/about,10.0.0.2,sha1:ab,20240101000000
http://other.net/,10.9.0.1,sha1:ba,20240101000000
http://other.net/copy,10.9.0.1,sha1:ac,20240101000000
http://alone.net/,10.9.9.9,sha1:ca,20240101000000
"""


class Answer(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def rest_slow(cases: Iterable, quick: int = 1) -> list:
    """The cases of a parametrisation, the first of them quick, the rest slow; a tuple is the
    arguments of one case.
    """
    return [
        case
        if n < quick
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for n, case in enumerate(cases)
    ]


def sha1(content: str) -> str:
    """A digest as crawlers write them: four small files and more that have no others are stored
    together when they are loaded by one call, which costs little more than one of them.
    """
    return hashlib.sha1(content.encode()).hexdigest()


FORGET = "PRAGMA disable_checkpoint_on_shutdown"
"""Of a database that nobody reads once it is closed: nothing is put in order then."""
LONGEST = ("test_sessions.py", "test_last_result.py", "test_robust_method.py", "test_formats.py")
"""Files of half a minute or so: they go first, lest a worker has one left when all else is done."""


TOGETHER = {
    "test_evaluate.py": "test_methods.py",
    "test_evaluate_command.py": "test_methods.py",
    "test_published_figures.py": "test_methods.py",
    "test_scratch.py": "test_methods.py",
    "test_context.py": "test_methods.py",
    "test_blocking.py": "test_runs.py",
    "test_last_result.py": "test_runs.py",
    "test_run_diff.py": "test_named_runs.py",
    "test_non_replicas.py": "test_runs.py",
    "test_patterns.py": "test_runs.py",
    "test_published_method.py": "test_runs.py",
    "test_replica_groups.py": "test_runs.py",
    "test_scores.py": "test_runs.py",
    "test_stopped.py": "test_runs.py",
    "test_own_hosts.py": "test_tool_lists.py",
    "test_build.py": "test_collective_scorer.py",
    "test_model_check.py": "test_collective_scorer.py",
    "test_new_host_items.py": "test_collective_scorer.py",
    "test_pair_classifier.py": "test_collective_scorer.py",
    "test_known_hosts.py": "test_collective_scorer.py",
    "test_model.py": "test_collective_scorer.py",
    "test_model_features.py": "test_collective_scorer.py",
    "test_pair_scorer.py": "test_collective_scorer.py",
    "test_retrieval.py": "test_collective_scorer.py",
    "tests/explanation/test_at_size.py": "tests/explanation/test_explain.py",
    "tests/explanation/test_copies.py": "tests/explanation/test_explain.py",
    "tests/explanation/test_copy_lists.py": "tests/explanation/test_explain.py",
    "tests/explanation/test_many_pairs.py": "tests/explanation/test_explain.py",
    "tests/report/test_crawl_page.py": "tests/report/test_crawl_in_browser.py",
    "tests/report/test_evaluation_page.py": "tests/report/test_crawl_in_browser.py",
    "tests/report/test_in_browser.py": "tests/report/test_crawl_in_browser.py",
    "tests/store/test_queries.py": "tests/cli/test_demo.py",
}
"""A file that shares what is costly to make with another, of its folder where none is named: one
worker makes it and runs both.
"""


class ByFile(LoadFileScheduling):
    """``--dist loadfile`` that keeps TOGETHER."""

    def _split_scope(self, nodeid: str) -> str:
        path = super()._split_scope(nodeid)
        folder, _, name = path.rpartition("/")
        return TOGETHER.get(path) or f"{folder}/{TOGETHER.get(name, name)}"


def pytest_xdist_auto_num_workers(config) -> int:
    """Half as many again as there are cores, as tests wait for processes, browsers and clocks."""
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (ours or 1) * 3 // 2)


def pytest_xdist_make_scheduler(config, log) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, all else in its order."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collectstart() -> None:
    """What is collected is no garbage: until all is, nobody looks for some."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: the garbage collector need not look
    through it again and again, which took a twentieth of all. Nor need it look often: little is
    garbage in circles, and to look at each 700 objects took another twentieth.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.fixture(scope="session")
def _one_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("one")


@pytest.fixture(autouse=True)
def _own_folder(request, monkeypatch, _one_folder) -> Iterator[None]:
    """An empty folder to work in: a test's own where it asks for one, else one for all, as to make
    and remove one takes longer than most tests.
    """
    own = "tmp_path" in request.fixturenames
    monkeypatch.chdir(request.getfixturevalue("tmp_path") if own else _one_folder)
    yield
    if not own and os.listdir(_one_folder):
        shutil.rmtree(_one_folder)
        _one_folder.mkdir()


@pytest.fixture
def cli(capfd):
    """Run the command line in this process; never a traceback."""

    def call(*arguments) -> Answer:
        capfd.readouterr()
        code = run_command([str(a) for a in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Answer(int(code), out, err)

    return call


@pytest.fixture
def process():
    """Run the command line in a process of its own; never a traceback, a leak or a warning."""

    def call(*arguments, stdin: bytes = b"", **options) -> Answer:
        done = subprocess.run(
            command(*arguments), input=stdin, capture_output=True, timeout=60, **options
        )
        err = done.stderr.decode()
        for noise in ("Traceback", "nanobind", "Warning", "Exception ignored"):
            assert noise not in err
        return Answer(done.returncode, done.stdout.decode(), err)

    return call


def command(*arguments) -> list[str]:
    """The command line as a process is started with."""
    return [sys.executable, "-m", "replicadb", *map(str, arguments)]


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's folder."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def near_copies(write) -> Path:
    """Texts of two hosts as JSON lines: at eight paths pages that are near duplicates, but for the
    first, which are equal.
    """
    texts = [" ".join(f"word{n}-{k}" for k in range(300)) for n in range(8)]
    rows = [
        {"url": f"http://{host}/{n}", "text": f"{texts[n]} {host if n else ''}"}
        for host in ("a.example", "b.example")
        for n in range(8)
    ]
    return write("near.jsonl", "\n".join(map(json.dumps, rows)))


@pytest.fixture(scope="session", autouse=True)
def _empty(tmp_path_factory) -> Iterator[Path]:
    """An empty database made by replicadb; every new one of this process is a copy of it, and of
    those in memory, too: to make the tables takes 0.3 s. It has one thread where a test asks for
    no other number, as there are workers for the other cores. Processes of their own make theirs,
    and so do tests that ask for ``truly_new``.
    """
    folder = tmp_path_factory.mktemp("empty")
    path = folder / "web.duckdb"
    replicadb.open(path).close()
    connect, numbers = database.connect, itertools.count()

    def connect_to_copy(name: str, read_only: bool):
        if in_memory := name == ":memory:":
            name = str(folder / f"memory{next(numbers)}.duckdb")
        if not os.path.lexists(name):
            connecting.refuse_other_files(name)
            shutil.copy(path, name)
        con = connect(name, read_only)
        con.execute("SET threads = 1")
        if in_memory:
            con.execute(FORGET)
        return con

    database.connect = connect_to_copy
    yield path
    database.connect = connect


@contextlib.contextmanager
def kept_open(path: Path) -> Iterator[Path]:
    """While inside, the database is open to be read: a command that only reads it need not read
    anew what tables and views there are, which is most of what a small one costs. Not for ``sql``,
    which ends the access to files of all who have it open here.
    """
    with connecting.connect(str(path), read_only=True):
        yield path


@pytest.fixture
def truly_new(monkeypatch) -> None:
    """New databases, those in memory too, are made by the package and are no copies."""
    monkeypatch.setattr(database, "connect", connecting.connect)


@pytest.fixture
def web(tmp_path):
    """An empty database, opened."""
    with replicadb.open(tmp_path / "web.duckdb") as opened:
        yield opened
        with contextlib.suppress(duckdb.Error):  # closed by the test
            opened.database.con.execute(FORGET)


@pytest.fixture(scope="session")
def crawled(tmp_path_factory) -> Path:
    """A database of CRAWL, loaded as crawl.csv under the label crawl; copy it before
    you change it.
    """
    folder = tmp_path_factory.mktemp("crawled")
    (folder / "crawl.csv").write_text(CRAWL)
    with replicadb.open(folder / "web.duckdb") as opened:
        opened.load(folder / "crawl.csv", label="crawl")
    return folder / "web.duckdb"


@pytest.fixture(scope="session")
def detected(crawled, tmp_path_factory) -> Path:
    """The database of CRAWL after detection by the published method; do not change it."""
    path = Path(shutil.copy(crawled, tmp_path_factory.mktemp("detected")))
    with replicadb.open(path) as opened:
        opened.detect(method="paper")
    return path


@pytest.fixture(scope="module")
def reading(detected) -> Iterator[Path]:
    """The same, kept open for all tests of a file, none of which gives it to ``sql``."""
    with kept_open(detected) as path:
        yield path


@pytest.fixture(scope="session")
def detected_robust(crawled, tmp_path_factory) -> Path:
    """The same after detection by method robust; copy it before you change it."""
    path = Path(shutil.copy(crawled, tmp_path_factory.mktemp("robust")))
    with replicadb.open(path) as opened:
        opened.detect()
    return path


@pytest.fixture(scope="session")
def demo_made(tmp_path_factory) -> tuple[Path, Answer]:
    """The folder that ``replicadb demo`` made, and what it said; do not change it."""
    folder, out, err = tmp_path_factory.mktemp("demo"), io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run_command(["demo"])
    return folder / "replicadb-demo", Answer(int(code), out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of sample files beside the repository, or the one that REPLICADB_SHARED names."""
    folder = Path(os.environ.get("REPLICADB_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "formats").is_dir():
        pytest.skip("no ../shared/formats here")
    return folder
