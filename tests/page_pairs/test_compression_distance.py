"""What compression sees of two texts."""

from __future__ import annotations

import pytest

from replicadb.errors import UsageError
from replicadb.page_pairs.compression_distance import CUT, Engine, cut


def test_compression_sees_16_kb_of_each_text_and_names_its_engine():
    engine = Engine()
    assert engine.label.startswith("zlib") and engine.label.endswith("-6")
    assert Engine(level=9).label.endswith("-9")
    long = "äöü " * 10_000
    assert len(cut(long)) == CUT
    texts = [cut("one two three " * 50), cut("four five six " * 50), b""]
    doubled = engine.doubled(texts)
    assert engine.distances(texts, texts, doubled, doubled).tolist() == [0, 0, 0]
    many = texts * 100
    assert engine.sizes(many).tolist() == [len(engine.compress(text)) for text in many]
    for wrong in ({"name": "rar"}, {"level": 10}):
        with pytest.raises(UsageError):
            Engine(**wrong)
