"""The ``replicadb`` command: arguments in, exit codes out; the work is done by ``replicadb.api``.

Invariant: standard output carries data and nothing else; everything said to a person goes to
standard error; an error is one line with cause and next step, never a traceback.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Sequence
from types import FrameType

from replicadb.cli.exit_codes import ExitCode
from replicadb.cli.streams import ReaderGone, open_streams
from replicadb.visible_text import visible

_stopped = 0
"""The signal that wants this to stop, SIGINT for Ctrl-C: what libraries make of a KeyboardInterrupt
in their callbacks is not always one.
"""
_stopped_at = 0.0
_put_off = False
"""Whether the last signal came while a module was imported."""
AT_ONCE = 0.2
"""Seconds in which a statement ends by itself, where it does."""
CLEANING = 2.0
"""Seconds in which further signals cut off no removal of half-written files; later ones count, as
what they are to stop may have taken no notice of the first.
"""


def main() -> None:
    """Run the command line and leave with one of :class:`ExitCode`."""
    # Read when NumPy is loaded: threads of its BLAS wait by spinning, beside DuckDB's own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    open_streams()
    warnings.showwarning = lambda message, category, *where: (
        _tell(visible(str(message))) if category is UserWarning else None
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Not where the shell has it ignored. All leave alike, so that no temporary file stays.
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _stop)
    _interrupt_statements()
    code = run()
    if (
        code == ExitCode.INTERRUPTED
    ):  # at once: Python kills itself with the signal where Ctrl-C met code that a library compiles
        os._exit(128 + (_stopped or signal.SIGINT))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # all is written and said: this is the code
    sys.exit(code)


def _interrupt_statements() -> None:
    """Have a thread stop the statement that runs when a signal comes: this thread hears of it when
    the statement is done, which may take minutes, or while DuckDB begins it, which forgets it.
    """
    if os.name == "nt":  # there the descriptor would have to be a socket
        return
    heard, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard,), daemon=True).start()


def _listen(heard: int) -> None:
    from replicadb.under_way import interrupt

    while signals := os.read(heard, 1):
        came = time.monotonic()
        time.sleep(AT_ONCE)
        stops = signals[0] in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if stops and _put_off:
            signal.raise_signal(signals[0])
        while stops and interrupt(came):
            time.sleep(AT_ONCE)


def _stop(number: int, frame: FrameType | None) -> None:
    global _stopped, _stopped_at, _put_off
    if _stopped and time.monotonic() - _stopped_at < CLEANING:
        return
    _put_off = os.name != "nt" and _imports(frame)
    if _put_off:  # modules in C take no notice of what is raised in them: NumPy's, for one
        return
    _stopped, _stopped_at = number, time.monotonic()
    raise KeyboardInterrupt


def stopped_by() -> int:
    """The signal that wants this to stop, 0 for none."""
    return _stopped


def _imports(frame: FrameType | None) -> bool:
    """Whether a module is being imported there."""
    while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code (0 done, 1 data, 2 usage, 3 limit, 4 locked, 130
    interrupted).
    """
    from replicadb.errors import ReplicaDBError

    try:
        code = _command(arguments)
        sys.stdout.flush()
        return _interrupted() if code == ExitCode.INTERRUPTED else code
    except ReplicaDBError as error:
        return _interrupted() if _stopped else _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _interrupted()
    except ReaderGone:
        return ExitCode.DONE
    except MemoryError:
        return _fail(
            "out of memory; give less with --memory-limit or load fewer files at a time",
            ExitCode.LIMIT,
        )
    except Exception as error:  # in one line; in full with REPLICADB_DEBUG=1
        given = sys.argv[1:] if arguments is None else arguments
        return _interrupted() if _stopped else _unexpected(error, given)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of a library in Rust, and no Exception
            raise
        return _unexpected(error)


def _command(arguments: list[str] | None) -> int:
    import typer

    from replicadb.cli import settings_file
    from replicadb.cli.app import MODULES, root_command
    from replicadb.cli.options import taken_out

    arguments, config, progress = taken_out(sys.argv[1:] if arguments is None else arguments)
    file = settings_file.SettingsFile()
    if not {"-h", "--help", "--version"} & set(arguments):
        path = settings_file.find(config)
        file = settings_file.read(path, root_command()) if path else file
    alone = arguments[:1] if arguments and arguments[0] in MODULES else ()
    root = root_command(*alone)
    try:
        with settings_file.hold(file):
            result = root.main(
                args=arguments,
                standalone_mode=False,
                prog_name="replicadb",
                default_map=file.default_map(),
                obj=progress,
            )
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except typer.Exit as leave:
        return leave.exit_code
    return result if isinstance(result, int) else ExitCode.DONE


def _interrupted() -> int:
    return _fail(
        "interrupted; no file is half written; to go on, give the same command again",
        ExitCode.INTERRUPTED,
    )


def _unexpected(error: BaseException, given: Sequence[str] = ()) -> int:
    import duckdb

    from replicadb.given_file import name_of
    from replicadb.store.connecting import cut_off, disk_failed, first_line, interrupted

    if hasattr(error, "format_message"):  # Typer's own: wrong option, missing argument
        message = str(error.format_message()).replace("Value error, ", "")  # pydantic's
        if type(error).__name__ == "NoArgsIsHelpError":
            print(message, file=sys.stderr)
            return ExitCode.USAGE
        if message.startswith("Missing argument 'SOURCE...'"):
            message = (
                message.rstrip(".")
                + "; the database comes first, as in: replicadb load web.duckdb FILE"
            )
        command = getattr(getattr(error, "ctx", None), "command_path", None) or "replicadb"
        return _fail(f"{_with_what_was_meant(message)}; see {command} --help", ExitCode.USAGE)
    if os.environ.get("REPLICADB_DEBUG"):
        raise error
    text = first_line(error).rstrip(".")
    if _stopped or interrupted(error):
        return _interrupted()
    spilt = "failed to offload" in str(error)  # of DuckDB: as much as the disk has room for
    if spilt or "No space left" in str(error) or getattr(error, "errno", None) == 28:
        return _fail(
            f"no space left: {text}; free some beside the database, where results spill, or in"
            f" {tempfile.gettempdir()} (TMPDIR), and run the same command again; what was finished"
            " is kept",
            ExitCode.DATA,
        )
    if disk_failed(error):
        return _fail(
            f"the disk failed: {text}; what was finished is kept; look after the disk, then run the"
            " same command again",
            ExitCode.DATA,
        )
    if cut_off(error):
        return _fail(
            f"a file is cut off or damaged: {text}; if it is the database, copy it anew, or load"
            " the crawl into a new one",
            ExitCode.DATA,
        )
    if isinstance(error, duckdb.Error) and "Cannot open file" in text:
        return _fail(
            f"{text}; the folder of the database must be one to write to; what was finished is"
            " kept",
            ExitCode.DATA,
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        fewer = "lower --max-cluster-hosts" if "detect" in given else "fewer --threads"
        return _fail(
            f"out of memory: {text}; give more with --memory-limit, or {fewer}", ExitCode.LIMIT
        )
    if isinstance(error, OSError) and error.filename is not None:
        reason = error.strerror or type(error).__name__
        return _fail(f"{name_of(error.filename)}: {reason}; check the path", ExitCode.DATA)
    return _fail(f"{type(error).__name__}: {text} (REPLICADB_DEBUG=1 shows where)", ExitCode.DATA)


def _with_what_was_meant(message: str) -> str:
    """Typer's message about a name that is not known, with the likeliest ones said as everywhere:
    it suggests commands and options in words of its own, and no value of an option.
    """
    from replicadb.likely_meant import did_you_mean

    message = re.sub(r"\.? Did you mean (.*)\?$", r" (did you mean \1?)", message.rstrip("."))
    message = re.sub(r"\(Possible options?: (.*)\)$", r"(did you mean \1?)", message)
    if value := re.search(r"'([^']*)' is not one of (.*)$", message):
        message += did_you_mean(value[1], re.findall(r"'([^']*)'", value[2]))
    return message


def _fail(message: str, code: int) -> int:
    """One line, and below it the place in a statement, where DuckDB says it."""
    cause, mark, place = message.partition("\nLINE ")
    _tell(f"{visible(cause)}{mark}{visible(place, lines=True)}")
    return int(code)


def _tell(text: str) -> None:
    from replicadb.under_way import aside

    with aside():
        print(f"replicadb: {text}", file=sys.stderr, flush=True)
