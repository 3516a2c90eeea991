"""The command ``replicadb`` without what it costs to begin: a process that has imported the package
forks for each call. For sessions of many commands, where that a process begins is not the claim.

That process has run some commands before, so that its children find their SQL parsed, which is a
third of what a small command costs. As in conftest.py, a new database is a copy of an empty one,
and has one thread.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import os
import pkgutil
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import replicadb.cli.app
from replicadb.store import connecting, database

IMPORTED = ("replicadb.api", "replicadb.cli.app", "replicadb.evaluation.evaluate", "polars")
"""What most calls import; and pandas, which Arrow looks for."""
SHIM = """#!{python} -IS
import _socket, os, sys
there = _socket.socket(_socket.AF_UNIX)
there.connect({address!r})
call = repr([sys.argv, os.getcwd(), dict(os.environ)]).encode()
streams = b"".join(n.to_bytes(4, sys.byteorder) for n in (0, 1, 2))
size = b"%8d" % len(call)
there.sendmsg([size], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
there.sendall(call)
sys.exit(int(there.recv(8) or b"70"))
"""
"""It imports next to nothing, as it begins anew for each call."""


@contextlib.contextmanager
def replicadb_in(folder: Path) -> Iterator[None]:
    """While inside, an executable ``replicadb`` stands in the folder, and does what the command of
    this environment does.
    """
    address = str(folder / "socket")
    shim = folder / "replicadb"
    shim.write_text(SHIM.format(python=sys.executable, address=address))
    shim.chmod(0o755)
    with subprocess.Popen([sys.executable, __file__, address], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout.readline() == b"ready\n"
            yield
        finally:
            server.terminate()


def warm_up(folder: Path) -> None:
    """Make the empty database that is copied, and run some commands: none that leaves a thread, as
    children would wait for what it held.
    """
    folder.mkdir()
    connect, empty = database.connect, folder / "empty.duckdb"
    replicadb.open(empty).close()

    def connect_to_copy(name: str, read_only: bool):
        if name != ":memory:" and not os.path.lexists(name):
            connecting.refuse_other_files(name)
            shutil.copy(empty, name)
        con = connect(name, read_only)
        con.execute("SET threads = 1")
        return con

    database.connect = connect_to_copy
    rows = (f"http://{host}.example/{n},{n:040x}" for host in "ab" for n in range(9))
    (folder / "some.csv").write_text("\n".join(["url,digest", *rows]))
    db = str(folder / "some.duckdb")
    with (
        open(os.devnull, "w") as silent,
        contextlib.redirect_stdout(silent),
        contextlib.redirect_stderr(silent),
    ):
        for call in (["load", db, str(folder / "some.csv")], ["detect", db], ["info", db]):
            assert replicadb.cli.run(call) == 0


def serve(address: str) -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    for module in pkgutil.iter_modules(replicadb.cli.__path__, "replicadb.cli."):
        importlib.import_module(module.name)
    for name in replicadb.cli.app.MODULES:
        replicadb.cli.app.root_command(name)
    pa.array(["a list"])
    warm_up(Path(address).with_name("warm"))
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(address)
        here.listen()
        print("ready", flush=True)
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)  # as in conftest.py
        while True:
            there, _ = here.accept()
            if os.fork() == 0:
                here.close()
                answer(there)
            there.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def answer(there: socket.socket) -> None:
    """In a process of its own: run the call, and send how that ended."""
    size, streams, *_ = socket.recv_fds(there, 8, 3)
    call = b""
    while len(call) < int(size):
        call += there.recv(int(size) - len(call))
    code = run(streams, *ast.literal_eval(call.decode()))
    there.sendall(b"%d" % code)
    os._exit(0)


def run(streams: list[int], argv: list[str], folder: str, environment: dict[str, str]) -> int:
    """Do what the command does, with the streams, the folder and the environment of who called it;
    returns its exit code.
    """
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = argv
    code = 70
    try:
        replicadb.cli.main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    return code


if __name__ == "__main__":
    serve(sys.argv[1])
