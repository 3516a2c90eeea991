"""Damaged, odd and hostile files for every reader: each is kept, rejected or refused in one line,
in bounded time and memory.

Invariant: files are made from sound ones by mutations that know lines, fields, numbers and
packing; what a trial does follows from the seed and its number.

Run ``python -m benchmarks.reliability.fuzz [--trials 20000] [--minutes 10] [--seed 1]
[--target warc arc]``.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import random
import re
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import polars as pl

import replicadb
from benchmarks.reliability import campaign, fuzz_given, material
from benchmarks.reliability.campaign import Failed
from replicadb.errors import ReplicaDBError
from replicadb.evaluation.gold_file import normal_host
from replicadb.model.new_hosts import read_hosts
from replicadb.page_pairs import page_classifier
from replicadb.readers import archives
from replicadb.rewrite import Rewriter, RuleSet
from replicadb.web.urls import parse_given_url, parse_url

SECONDS = 20
"""Of CPU; a trial that takes longer has failed."""
MEMORY = 8 << 30
"""Bytes of address space that the campaign may use; DuckDB and Arrow set much aside."""
NUMBERS = (b"0", b"-1", b"1e999", b"9" * 19, b"9" * 5000, b"18446744073709551616", b"NaN", b"007")
TEXTS = (
    *(b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b'"', b"'", b"\n", b"\r", b"\r\n\r\n"),
    *(b"<script>", b"\x1b[31m", "\u202e".encode(), b"[" * 3000, b"{" * 3000, b"a" * 70_000),
    *(
        b"WARC/1.0\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"\x1f\x8b\x08\0",
        b"\x28\xb5\x2f\xfd",
        b"PK\x03\x04",
    ),
    *(b"http://[::1", b"http://" + b"a." * 200 + b"com/", b"http://x..y/", b"290000-01-01", b"%00"),
)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
FIELD = re.compile(rb"[^\s,;:\"{}\[\]]+")


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The bytes with one to four mutations."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(MUTATIONS)(data, draw)
    return data


def _flip(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) or 1)
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _leave_out(data: bytes, draw: random.Random) -> bytes:
    low = draw.randrange(len(data) + 1)
    return data[:low] + data[low + draw.randint(1, 200) :]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    low = draw.randrange(len(data) + 1)
    part = data[low : low + draw.randint(1, 2000)]
    return data[:low] + part * draw.choice((2, 3, 50)) + data[low:]


def _swap_lines(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(TEXTS) + data[at:]


def _number(data: bytes, draw: random.Random) -> bytes:
    return _replaced(data, NUMBER, NUMBERS, draw)


def _field(data: bytes, draw: random.Random) -> bytes:
    return _replaced(data, FIELD, TEXTS, draw)


def _replaced(
    data: bytes, what: re.Pattern[bytes], by: tuple[bytes, ...], draw: random.Random
) -> bytes:
    """One of the places near a point drawn gets another text."""
    start = draw.randrange(len(data) + 1)
    found = what.search(data, start) or what.search(data)
    if found is None:
        return data
    return data[: found.start()] + draw.choice(by) + data[found.end() :]


MUTATIONS = (_flip, _cut, _leave_out, _repeat, _swap_lines, _insert, _number, _number, _field)


# -- targets: a sound file, and what is done with a mutated one


def load(web: replicadb.ReplicaDB, path: Path) -> str:
    """Load a file between two sound ones, as every command does, and take all out again."""
    sound = [path.with_name(name) for name in ("first.csv", "last.csv")]
    result = web.load(sound[0], path, sound[1])
    read = result.kept + result.replaced + result.skipped + result.rejected
    if result.read != read:
        raise Failed(f"read {result.read} is not the sum of its parts, {read}")
    if result.sources < 2 and not result.known:
        raise Failed("a sound file was left out")
    rows = web.database.rows("SELECT url, fetched_at FROM pages")
    if len({url for url, _ in rows}) != len(rows):
        raise Failed("a URL stands twice")
    for name in web.database.column("SELECT name FROM loads"):
        web.unload(name)
    if web.database.value("SELECT count(*) FROM urls") or web.database.value("FROM hosts LIMIT 1"):
        raise Failed("something stays after all was taken out")
    return "refused" if result.failed else "loaded"


def archive(format: str) -> Callable[[bytes, Path], str]:
    """Read an archive to its end."""

    def read(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        rows = sum(batch.num_rows for batch in archives.read_archive(path, format, True))
        return "read" if rows else "nothing in it"

    return read


def url(data: bytes, path: Path) -> str:
    """A normal form is its own; its host can stand in gold, but for quotes at its ends."""
    text = data.decode("utf-8", "replace")
    origin, host, rest, reason = parse_given_url(text)
    if reason:
        return "rejected"
    again = parse_url(f"{origin}{rest}")
    if again != (origin, host, rest, None):
        raise Failed(f"{text[:200]!r} becomes {origin}{rest}, and that {again}")
    if str(host).strip('"') == host and normal_host(host) != host:
        raise Failed(f"gold refuses {host!r}")
    return "kept"


def rules(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    rewriter = Rewriter(RuleSet.load(path))
    for given in ("http://www.a.example/x/y.html?b=1&a=2", "https://b.example/"):
        once = rewriter.canonical(given)
        if rewriter.canonical(once) != once:
            raise Failed(f"{once} is rewritten again")
    return "kept"


def hosts(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    read_hosts(path)
    return "kept"


def classifier(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    page_classifier.load(path).text()
    return "kept"


CLASSIFIER = {
    "format": page_classifier.FORMAT,
    "version": page_classifier.VERSION,
    "definitions": page_classifier.DEFINITIONS,
    "signals": ["same_domain"],
    "engine": "zlib-6",
    "rules": [{"if": [["same_domain", "<=", 0.5]], "duplicates": 3, "others": 1}],
    "otherwise": 0.5,
    "tree": {
        "column": [0, -1, -1],
        "alpha": [0.5, 0, 0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "missing_left": [True, False, False],
        "positive": [4, 3, 1],
        "negative": [4, 1, 3],
    },
}
RULES = b"""{"replicadb_rewrite_rules": 1, "about": {"epsilon": 0.1}, "rules": [
  {"kind": "param", "name": "sid", "support": 3},
  {"kind": "www", "host": "www.a.example"},
  {"kind": "replace", "host": "a.example", "name": "zz", "value": "a", "position": 1},
  {"kind": "slash"}, {"kind": "case", "host": "b.example"}
]}"""
HOST = b"""{"host": "a.example", "ips": ["1.2.3.4"],
 "pages": [{"path": "/x", "fingerprint": "sha1:ab"}]}""".replace(b"\n", b"")
URLS = (
    *(
        b"http://www.example.com/a/b.html?c=d&e=f#g",
        b"https://user:pw@b\xc3\xbccher.example:8080/%7e",
    ),
    *(
        b"http://[2001:db8::1]/x",
        b"example.com/x",
        b'http://x"y.com/',
        b"http://192.0.2.1/../a/./b",
    ),
)


def targets(folder: Path) -> dict[str, tuple[list[bytes], Callable[[bytes, Path], str]]]:
    """By name, sound inputs and what is done with a mutated one."""
    table = material.rows(folder, 20)[:60].with_columns(pl.lit("192.0.2.1").alias("ip"))
    material.write_more(folder, table)
    files = material.write_formats(folder, table)
    for name in ("first", "last"):
        (folder / f"{name}.csv").write_text(f"url,digest\nhttp://{name}.example/,{'a' * 40}\n")
    web = replicadb.open(":memory:", threads=1)

    def loaded(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        return load(web, path)

    pages = [
        (str(address), (html or "")[:400]) for address, html in table.select("url", "html").rows()
    ]
    material.write_archives(folder, pages[:6])
    few = [b"".join(material.warc_record(*page) for page in pages[n : n + 3]) for n in (0, 3, 6)]
    arcs = [
        material.ARC_HEAD + b"".join(material.arc_record(*page) for page in pages[n : n + 3])
        for n in (9, 12, 15)
    ]
    pack, wat = functools.partial(gzip.compress, mtime=0), archive("wat")
    unpacked = gzip.decompress(files["e.warc.gz"].read_bytes())
    found = {
        "url": (list(URLS), url),
        "rules": ([RULES], rules),
        "hosts": ([HOST], hosts),
        "classifier": ([json.dumps(CLASSIFIER).encode()], classifier),
        "warc": ([unpacked, *few], archive("warc")),
        "packed warc": ([files["e.warc.gz"].read_bytes(), *map(pack, few)], archive("warc")),
        "arc": ([files["g.arc"].read_bytes(), *arcs], archive("arc")),
        "wat": ([material.wat(table), *(material.wat(table[n : n + 2]) for n in (0, 2, 4))], wat),
        "wet": ([(folder / "l.wet").read_bytes()], archive("wet")),
        "wacz": ([(folder / "j.wacz").read_bytes()], archive("wacz")),
    }
    found |= fuzz_given.targets(folder, web, table)
    for name in ("h.wat", "i.crawl.log", "j.wacz", "k.cdx", "l.wet"):
        files[name] = folder / name
    for name, path in files.items():
        found[f"load {name}"] = ([path.read_bytes()], loaded)
    return found


@contextlib.contextmanager
def bounded(seconds: int = SECONDS) -> Iterator[None]:
    """Raises Failed where what is inside takes longer than so much CPU, or hangs: a hundred times
    as long by the clock, since others may use the machine.
    """

    def late(number: int, frame: object) -> None:
        raise Failed(f"not done after {seconds} s")

    before = {number: signal.signal(number, late) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(100 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)


class Fuzz:
    """Trials over targets, whose files lie in a folder."""

    def __init__(self, folder: Path, only: Collection[str] = ()) -> None:
        self.folder = folder
        known = targets(folder)
        self.known = {name: known[name] for name in known if not only or name in only}

    def trial(self, draw: random.Random) -> str:
        """One mutated input for one target; loads, which cost a hundred times as much, seldom."""
        names = list(self.known)
        weights = [1 if name.startswith("load ") else 20 for name in names]
        (name,) = draw.choices(names, weights)
        sound, use = self.known[name]
        data = mutated(draw.choice(sound), draw)
        if name == "load e.warc.gz" and draw.random() < 0.5:
            data = gzip.compress(mutated(gzip.decompress(sound[0]), draw), mtime=0)
        try:
            with bounded():
                return use(data, self.folder / "mutated")
        except ReplicaDBError as error:
            if "\n" in str(error):
                raise Failed(f"{name}: an error of several lines: {error}") from error
            return "refused"
        except Failed as error:
            raise Failed(f"{name}: {error}{self._kept(data)}") from error
        except Exception as error:
            raise Failed(f"{name}: {type(error).__name__}: {error}{self._kept(data)}") from error

    def _kept(self, data: bytes) -> str:
        """Where the input lies that failed."""
        path = Path(tempfile.gettempdir()) / f"fuzz-{material.sha(data)[:12]}"
        path.write_bytes(data)
        return f" ({path})"


def main() -> int:
    parser = campaign.options(__doc__ or "", 20_000)
    parser.add_argument(
        "--target", nargs="+", default=(), help="these alone, as: warc arc 'load a.csv' rules"
    )
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="fuzz-folder-") as folder:
        return campaign.run("fuzz", Fuzz(Path(folder), chosen.target).trial, chosen)


if __name__ == "__main__":
    sys.exit(main())
