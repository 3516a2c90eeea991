"""The command ``replicadb`` without what it costs to begin: a process that has imported the package
forks for each call. For sessions of many commands, where that a process begins is not the claim.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import replicadb.cli.app

IMPORTED = ("replicadb.api", "replicadb.cli.app", "replicadb.evaluation.evaluate", "polars")
"""What most calls import; and pandas, which Arrow looks for."""
SHIM = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as there:
    there.connect({address!r})
    call = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(there, [b"%8d" % len(call)], [0, 1, 2])
    there.sendall(call)
    sys.exit(int(there.recv(8) or b"70"))
"""


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


def serve(address: str) -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    for module in pkgutil.iter_modules(replicadb.cli.__path__, "replicadb.cli."):
        importlib.import_module(module.name)
    for name in replicadb.cli.app.MODULES:
        replicadb.cli.app.root_command(name)
    pa.array(["a list"])
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(address)
        here.listen()
        print("ready", flush=True)
        while True:
            there, _ = here.accept()
            if os.fork() == 0:
                answer(there)
            there.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def answer(there: socket.socket) -> None:
    """In a process of its own: run the call in one more, and send how that ended."""
    size, streams, *_ = socket.recv_fds(there, 8, 3)
    call = b""
    while len(call) < int(size):
        call += there.recv(int(size) - len(call))
    worker = os.fork()
    if worker == 0:
        there.close()
        run(streams, *json.loads(call))
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    there.sendall(b"%d" % (code if code >= 0 else 128 - code))
    os._exit(0)


def run(streams: list[int], argv: list[str], folder: str, environment: dict[str, str]) -> None:
    """What the command does, with the streams, the folder and the environment of who called it."""
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
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
