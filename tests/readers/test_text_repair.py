"""Tables packed by zstd of which a bit is flipped or the end is missing, as gzip's are tried in
test_broken_tables.

Tries compressed_members, too.
"""

from __future__ import annotations

import pytest
import zstandard

from replicadb.errors import DataError

from .tables import captures, problems

HEAD = "url,digest\n"
PARTS = 3
URLS = [f"http://h{n % 97}.example/{n * 7919:x}" for n in range(3_000)]


def lines(part: int) -> bytes:
    """The rows of a third."""
    some = URLS[part * 1_000 : (part + 1) * 1_000]
    return "".join(f"{url},{n * 104729 * 7919:x}\n" for n, url in enumerate(some)).encode()


def frames(checksum: bool = True) -> list[bytearray]:
    """A frame each third; the zstd program writes checksums, Python's library where it is told."""
    packer = zstandard.ZstdCompressor(write_checksum=checksum)
    parts = [lines(part) for part in range(PARTS)]
    parts[0] = HEAD.encode() + parts[0]
    return [bytearray(packer.compress(part)) for part in parts]


@pytest.mark.parametrize("share", [0.5, 0.02, 0.1, 0.3, 0.7, 0.9, 0.999])
@pytest.mark.parametrize("bit", [0, 5])
def test_a_flipped_bit_costs_its_frame_and_what_it_said_is_counted(staged, write, share, bit):
    packed = frames()
    packed[1][int(len(packed[1]) * share)] ^= 1 << bit
    rows = staged(write("a.csv.zst", b"".join(packed)))
    kept = {url for url, _ in captures(rows)}
    assert set(URLS[:1_000] + URLS[2_000:]) <= kept <= set(URLS)
    wrong = problems(rows)
    assert len(rows) == len(kept) + len(wrong)
    if len(kept) < len(URLS):
        ((*_, reason),) = wrong
        assert "zstd member broken" in reason and "left out" in reason


def test_of_one_frame_with_a_flipped_bit_nothing_can_be_trusted(staged, write):
    packed = frames()[0]
    packed[len(packed) // 2] ^= 4
    with pytest.raises(DataError, match="zstd member broken at byte 0"):
        staged(write("a.csv.zst", bytes(packed)))


@pytest.mark.parametrize("left", [400, 5, 9, 12, 40, 3_000, -1])
@pytest.mark.parametrize("checksum", [True, False])
def test_a_cut_one_keeps_whole_lines_and_is_not_called_empty(staged, write, left, checksum):
    packed = frames(checksum)[0]
    assert len(packed) > 3_000
    path = write("a.csv.zst", bytes(packed[:left]))
    try:
        rows = staged(path)
    except DataError as error:
        assert "file ends inside a record" in str(error)
        return
    assert {url for url, _ in captures(rows)} <= set(URLS[:1_000])
    assert "file ends inside a record" in problems(rows)[-1][-1]
