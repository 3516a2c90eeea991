"""How copies rename paths."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from training.generators.author_i.dice import Dice

Rename = Callable[[str], str]
_FILES = (".css", ".js", ".jpg", ".png", ".gif", ".pdf", ".ico", ".woff2", ".txt", ".zip", ".gz")


def is_file(path: str) -> bool:
    """Whether a path looks as if no program made it."""
    return path.split("?")[0].endswith(_FILES)


def saved(path: str) -> str:
    """As programs that save sites to disk name pages: /a?id=3 is /a@id=3.html."""
    if is_file(path):
        return path.split("?")[0]
    path = path + "index.html" if path.endswith("/") else path
    path = path.replace("?", "@").replace("&", "-")
    return path if path.endswith((".html", ".htm")) else path + ".html"


def prefixed(folder: str) -> Rename:
    """Everything below a folder."""
    return lambda path: folder + path


def flat(path: str) -> str:
    """Pages all in one folder, files all in another."""
    name = path.strip("/").replace("/", "_").replace("?", "_").replace("&", "_")
    if is_file(path):
        return "/files/" + path.split("?")[0].rsplit("/", 1)[-1]
    return f"/{name}" if name else "/"


def hashed(salt: str) -> Rename:
    """Pages by a code, files where they were."""

    def rename(path: str) -> str:
        if path == "/" or is_file(path):
            return path
        return f"/{hashlib.md5((salt + path).encode()).hexdigest()[:10]}.html"

    return rename


def ending(old: str, new: str) -> Rename:
    """Another ending of pages: .php for .html."""
    return lambda path: path.replace(old, new) if old in path else path


def numbered(salt: str) -> Rename:
    """Pages as another program numbers them."""

    def rename(path: str) -> str:
        if path == "/" or is_file(path):
            return path
        number = int(hashlib.md5((salt + path).encode()).hexdigest()[:5], 16)
        return f"/index.php?page={number}"

    return rename


def some(rng: Dice, salt: str) -> Rename:
    """A way in which a cheat, or a new program, renames."""
    ways: list[Rename] = [
        saved,
        flat,
        hashed(salt),
        numbered(salt),
        prefixed("/" + rng.choice(("site", "web", "new", "en", "m"))),
        ending(".html", ".php"),
        lambda path: path if is_file(path) or path == "/" else path.rstrip("/") + ".html",
    ]
    return rng.choice(ways)
