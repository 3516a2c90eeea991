"""The archive that pages are replayed from: which capture answers, and with what."""

from __future__ import annotations

import shutil

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from replicadb.readers.formats import expand
from replicadb.rendering.replay_archive import Archive

from .render_samples import write_warc


def test_the_archive_answers_with_the_newest_page_and_revisits_with_what_they_repeat(tmp_path):
    url = "http://x.test/a?b=1"
    old = write_warc(tmp_path / "old.warc.gz", {url: "old", "http://x.test/gone": "was here"})
    new = write_warc(
        tmp_path / "new.warc.gz",
        {url: "new", "http://x.test/gone": (404, {}, "gone")},
        "2008-01-01T00:00:00Z",
    )
    with open(tmp_path / "again.warc", "wb") as out:
        writer = WARCWriter(out, gzip=False)
        for target in (url, "http://x.test/copy"):
            writer.write_record(
                writer.create_revisit_record(
                    target,
                    digest="sha1:" + "A" * 32,
                    refers_to_uri=url,
                    refers_to_date="2008-01-01T00:00:00Z",
                    http_headers=StatusAndHeaders("200 OK", [("X-Now", "1")], protocol="HTTP/1.1"),
                )
            )
    for files in ([old, new], [new, old]):
        (tmp_path / "s").mkdir(exist_ok=True)
        with Archive(tmp_path / "s") as archive:
            for file in expand([*files, str(tmp_path / "again.warc")]):
                archive.add(file)
            assert archive.get("HTTP://X.test:80/a?b=1#f").body == b"new"
            assert archive.get("http://x.test/gone").body == b"was here"
            assert archive.get("http://x.test/copy") is None  # its payload stands nowhere here
            assert archive.get("http://x.test/a") is None
            assert list(archive.pages()) == [[url, "http://x.test/gone"]]
        shutil.rmtree(tmp_path / "s")


def test_a_body_is_decoded_and_cut_and_pictures_are_left_out(tmp_path, monkeypatch):
    import gzip

    from replicadb.rendering import replay_archive as module

    monkeypatch.setattr(module, "HTML_LIMIT", 1000)
    warc = write_warc(
        tmp_path / "a.warc.gz",
        {
            "http://x.test/zip": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"unpacked")),
            "http://x.test/huge": "x" * 100_000,
            "http://x.test/i": (200, {"Content-Type": "image/png"}, "picture"),
            "http://x.test/s": (200, {"Content-Type": "image/svg+xml"}, "<svg/>"),
        },
    )
    with Archive(tmp_path) as archive:
        assert archive.add(expand([warc])[0]) == 3
        assert archive.get("http://x.test/zip").body == b"unpacked"
        assert len(archive.get("http://x.test/huge").body) == 1000
        assert archive.get("http://x.test/i") is None
        assert archive.get("http://x.test/s").body == b"<svg/>"
