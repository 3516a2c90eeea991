"""The model's file: a header in JSON and the arrays behind it, as they lie in memory.

Invariant: a file under its own name is whole (written under another name, then renamed); a
file that is not what its header says is refused in one line; the same arrays give the same bytes.

Layout, all numbers little-endian: 8 bytes ``RDBMODEL``, uint32 format version, uint32 0, uint64
length of the header, 32 bytes SHA-256 of the header, the header, zeros up to the next multiple of
64, then each array at its offset (a multiple of 64, counted from there) as the header's ``arrays``
have it: name, dtype, shape, offset. ``bytes`` and ``sha256`` are those of everything behind the
header.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from replicadb.errors import DataError
from replicadb.given_file import begins_with, parsed, path_of
from replicadb.store.atomic_file import atomic_write

MAGIC = b"RDBMODEL"
FORMAT = 16
START = struct.Struct("<8sIIQ32s")
ALIGN = 64
PIECE = 1 << 24
VERIFY_UP_TO = 64 << 20
"""Bytes; the checksum of a larger file is gone through on demand only (``model info``), since
opening should cost milliseconds.
"""


def write(path: str | Path, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a model, whole or not at all.

    Raises:
        DataError: the file cannot be written.
    """
    placed, offset = [], 0
    for name, array in arrays.items():
        placed.append(
            {
                "name": name,
                "dtype": array.dtype.newbyteorder("<").str,
                "shape": list(array.shape),
                "offset": offset,
            }
        )
        offset += _padded(array.nbytes)
    digest = hashlib.sha256()
    for piece in _pieces(arrays):
        digest.update(piece)
    text = json.dumps(
        {**header, "arrays": placed, "bytes": offset, "sha256": digest.hexdigest()}, sort_keys=True
    ).encode()
    with atomic_write(path) as part, open(part, "wb") as out:
        out.write(START.pack(MAGIC, FORMAT, 0, len(text), hashlib.sha256(text).digest()) + text)
        out.write(bytes(_padded(out.tell()) - out.tell()))
        for piece in _pieces(arrays):
            out.write(piece)


def _padded(size: int) -> int:
    return -(-size // ALIGN) * ALIGN


def _pieces(arrays: dict[str, np.ndarray]) -> Iterator[memoryview | bytes]:
    for array in arrays.values():
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1).view(np.uint8)
        for start in range(0, len(flat), PIECE):
            yield flat[start : start + PIECE].data
        yield bytes(_padded(len(flat)) - len(flat))


class ModelFile:
    """An opened model: ``header`` and ``arrays``, which lie in the file and are read where they are
    touched.

    Args:
        verify: go through the checksum of the whole file; None does so where it is small.

    Raises:
        DataError: no such file, no model, one of another version, or one that is damaged or cut
            short. UsageError: no path.
    """

    def __init__(self, path: str | Path, verify: bool | None = None) -> None:
        self.path = path_of(path)
        try:
            with open(self.path, "rb") as handle:
                size = os.fstat(handle.fileno()).st_size
                start, text = self._start(handle.read(START.size)), b""
                if start <= size:
                    text = handle.read(start - START.size)
                self.header = self._header(text)
                self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise DataError(
                f"{path}: no such model; make one with: replicadb model export DB {path}"
            ) from error
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
        self._base = _padded(start)
        try:
            if self.header["bytes"] + self._base != size:
                raise self.damaged(
                    f"{size:,} bytes where {self.header['bytes'] + self._base:,} should be"
                )
            self.verified = bool(verify or (verify is None and size <= VERIFY_UP_TO))
            if self.verified:
                self.verify()
            self.arrays = {item["name"]: self._array(item) for item in self.header["arrays"]}
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self.damaged(f"its header: {type(error).__name__}: {error}") from error

    def verify(self) -> None:
        """Go through the checksum.

        Raises:
            DataError: it is not the header's.
        """
        digest, whole = hashlib.sha256(), memoryview(self._map)
        for start in range(self._base, len(whole), PIECE):
            digest.update(whole[start : start + PIECE])
        whole.release()
        if digest.hexdigest() != self.header["sha256"]:
            raise self.damaged("its checksum is another")

    def _start(self, first: bytes) -> int:
        """The length of everything before the arrays, unpadded."""
        if not first.startswith(MAGIC):
            raise DataError(
                f"{self.path}: no model of replicadb; make one with: replicadb model export DB FILE"
            )
        if len(first) < START.size:
            raise self.damaged("it is cut short")
        version: int
        length: int
        _, version, _, length, self._digest = START.unpack(first)
        if version != FORMAT:
            raise DataError(
                f"{self.path}: a model of format {version}, this replicadb knows {FORMAT}; export"
                " it again with this version"
            )
        return START.size + length

    def _header(self, text: bytes) -> dict[str, Any]:
        if hashlib.sha256(text).digest() != self._digest:
            raise self.damaged(
                "it is cut short" if not text else "its header is not as it was written"
            )
        try:
            header: dict[str, Any] = parsed(text.decode())
            return dict(header)
        except (TypeError, ValueError) as error:
            raise self.damaged(f"its header: {error}") from error

    def _array(self, item: dict[str, Any]) -> np.ndarray:
        dtype, shape = np.dtype(item["dtype"]), tuple(item["shape"])
        count = math.prod(shape)
        if count < 0 or item["offset"] < 0:
            raise ValueError(f"{item['name']} lies nowhere")
        if not count:
            return np.zeros(shape, dtype)
        return np.frombuffer(self._map, dtype, count, self._base + item["offset"]).reshape(shape)

    def damaged(self, how: str) -> DataError:
        return DataError(
            f"{self.path}: the model is damaged ({how}); export it again: replicadb model export DB"
            f" {self.path}"
        )


def is_model(path: str | Path) -> bool:
    """Whether a file begins as a model does."""
    return begins_with(path, MAGIC)
