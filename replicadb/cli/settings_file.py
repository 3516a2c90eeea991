"""``replicadb.toml``: settings that hold where no option says another.

A table of the file is a command (``[detect]``, ``[rewrite.learn]``), its keys are the options of
that command and, of ``[detect]``, the settings that have no option; what stands above the tables
holds for every command that has the option. ``[robust]``, ``[drops]`` and the other tables of
:data:`replicadb.constant_tables.TABLES` change the numbers of that name.

Invariant: a key is known and its value can be meant before any command begins; what opens a door
(files of a statement, a browser to run) is never taken from a file that lies in a folder.
"""

from __future__ import annotations

import contextlib
import math
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from replicadb.constant_tables import FIXED, TABLES, changed_constants
from replicadb.errors import DataError, ReplicaDBError, UsageError
from replicadb.given_file import given_text
from replicadb.likely_meant import did_you_mean, did_you_mean_file
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.settings import Settings

NAME = "replicadb.toml"
BY_HAND = ("help", "version", "files", "write", "browser", "force", "config", "progress")
"""Options that are only ever given by hand."""
SETTINGS_OF: dict[str, Any] = {"detect": Settings, "fingerprint": PageOptions}
OTHERWISE = {"clusters", "keep"}
"""Settings whose option takes more than the setting does."""
USED_BY = {
    "robust": ("detect", "evaluate"),
    "kinds": ("detect", "evaluate", "score"),
    "calibration": ("detect", "evaluate"),
    "drops": ("detect", "export", "evaluate"),
    "labels": ("detect",),
    "copies": ("copies-of", "watch", "recheck"),
    "names": ("aliases", "families", "wildcards"),
    "page_pairs": ("pages classify",),
    "rewriting": ("rewrite learn", "rewrite apply"),
}
"""By table of constants, the commands that go by them."""
WORDS = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}
MOST_WEIGHT = 50.0
"""Units of match weight, either way: beyond them nothing changes any more."""
COMMON = ("memory_limit", "threads", "quiet")
"""Options that may stand above the tables."""


@dataclass
class SettingsFile:
    """What one file says, checked against the commands."""

    path: str = ""
    """'' where there is no file."""
    by_command: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Values by command (``rewrite learn``) and by parameter."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of a detection that have no option."""
    common: dict[str, Any] = field(default_factory=dict)
    """What stands above the tables; in ``by_command``, too."""
    constants: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Values by table and name."""
    spelled: dict[tuple[str, str], str] = field(default_factory=dict)
    """By command and parameter the key as the file has it, where that is another: ``as``."""
    used: frozenset[str] = frozenset()
    """Parameters of the running command whose value is the file's."""

    def default_map(self) -> dict[str, Any]:
        """The values as a command line takes its defaults."""
        found: dict[str, Any] = {}
        for command, values in self.by_command.items():
            at = found
            for word in command.split():
                at = at.setdefault(word, {})
            at.update(values)
        return found

    def key(self, command: str, parameter: str) -> str:
        """A parameter's key in the file."""
        return self.spelled.get((command, parameter), parameter)

    def said(self, command: str) -> str:
        """What of it the running command goes by, in one line; '' for nothing."""
        values = self.by_command.get(command, {})
        used = (name for name in values if name in self.used and name not in self.common)
        said = [f"{self.key(command, name)} = {values[name]}" for name in used]
        if command == "detect":
            said += [f"{name} = {value}" for name, value in self.settings.items()]
        said += [
            f"{table}.{name} = {value}"
            for table, changed in self.constants.items()
            for name, value in changed.items()
            if command in USED_BY[table]
        ]
        return f"{self.path} says {', '.join(said)}" if said else ""


CURRENT = SettingsFile()
"""The one of this process; replaced by :func:`hold`."""


@contextlib.contextmanager
def hold(file: SettingsFile) -> Iterator[None]:
    """While inside, the file's settings are in force; constants, too."""
    global CURRENT
    before, CURRENT = CURRENT, file
    try:
        with contextlib.ExitStack() as stack:
            for table, changed in file.constants.items():
                stack.enter_context(changed_constants(TABLES[table], changed))
            yield
    finally:
        CURRENT = before


def without_idle(
    given: dict[str, Any], refuse: Callable[[dict[str, Any]], None], beside: Iterable[str] = ()
) -> dict[str, Any]:
    """The settings without those of the file that do nothing beside the others: a file holds for
    all methods, and only what was given by hand is refused.

    Args:
        refuse: raises UsageError for a setting that does nothing; beside: what it is to see, too.

    Raises:
        UsageError: one that was given by hand does nothing.
    """
    kept = dict(given)
    others = {name: given[name] for name in beside if given.get(name) is not None}
    for name in given:
        if given[name] is None or not (name in CURRENT.used or name in CURRENT.settings):
            continue
        try:
            refuse(others | {name: given[name]})
        except UsageError:
            kept[name] = None
    refuse(kept)
    return kept


def find(given: str | None) -> Path | None:
    """The file that was named, else the one of the working directory, if there is one.

    Raises:
        DataError: the one that was named is not there.
    """
    path = Path(given or NAME)
    if path.is_file():
        return path
    if given is None:
        return None
    raise DataError(f"{given}: no such file{did_you_mean_file(given)}")


def read(path: Path, root: Any) -> SettingsFile:
    """A file of settings, checked against a command line's commands.

    Args:
        root: the group of all commands, as Typer makes it.

    Raises:
        DataError: it cannot be read, is no TOML, has an unknown key or a value that cannot be
            meant; in one line, with the file and the key.
    """
    try:
        parsed = tomllib.loads(given_text(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise DataError(f"{path}: cannot be read: {reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"{path}: is no TOML: {error}") from error
    found = SettingsFile(path=str(path))
    try:
        _take(found, parsed, _commands(root))
    except ReplicaDBError as error:
        raise DataError(f"{path}: {error}") from error
    return found


def _commands(group: Any, before: str = "") -> dict[str, Any]:
    """The commands by name, those of groups as ``rewrite learn``."""
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found |= _commands(command, f"{before}{name} ")
        else:
            found[f"{before}{name}"] = command
    return found


def _take(found: SettingsFile, parsed: Mapping[str, Any], commands: Mapping[str, Any]) -> None:
    tables: dict[str, Mapping[str, Any]] = {}
    for key, value in parsed.items():
        if isinstance(value, dict):
            tables |= _tables(key, value, commands)
    for name, values in tables.items():
        if name in TABLES:
            found.constants[name] = {
                key: _constant(name, key, value) for key, value in values.items()
            }
            continue
        if name not in commands:
            known = [*commands, *TABLES]
            raise UsageError(
                f"no table [{_dotted(name)}] is known{did_you_mean(name, known)}; a table is a"
                f" command, or one of: {', '.join(TABLES)}"
            )
        options = _options(commands[name])
        for key, value in values.items():
            _take_one(found, name, options, key, value)
    everywhere = {key: value for key, value in parsed.items() if not isinstance(value, dict)}
    _take_everywhere(found, everywhere, commands)


def _tables(key: str, value: Mapping[str, Any], commands: Iterable[str]) -> dict[str, Any]:
    """``[rewrite.learn]`` is one table, of the command ``rewrite learn``."""
    if not any(command.startswith(f"{key} ") for command in commands):
        return {key: value}
    if plain := [name for name, inner in value.items() if not isinstance(inner, dict)]:
        raise UsageError(
            f"[{key}] {plain[0]} belongs to one of its commands, as in [{key}.COMMAND]"
        )
    return {f"{key} {name}": inner for name, inner in value.items()}


def _options(command: Any) -> dict[str, Any]:
    """The options of a command by every name that the file may use for them."""
    found: dict[str, Any] = {}
    for option in command.params:
        if option.param_type_name == "option" and option.name not in BY_HAND:
            found[option.name] = option
            for spelled in (*option.opts, *option.secondary_opts):
                if spelled.startswith("--") and spelled not in option.secondary_opts:
                    found[spelled[2:].replace("-", "_")] = option
    return found


def _take_one(
    found: SettingsFile, command: str, options: Mapping[str, Any], key: str, value: Any
) -> None:
    name, place = key.replace("-", "_"), f"[{_dotted(command)}] {key}"
    if name in options:
        given = _value(options[name], place, value)
        parameter = options[name].name
        found.by_command.setdefault(command, {})[parameter] = given
        of = SETTINGS_OF.get(command)
        settings = {item.name for item in fields(of)} if of else set()
        if of and name in settings - OTHERWISE:
            of().with_changes(**{name: given})  # refuses what cannot be meant
        if name != parameter and parameter not in settings:
            found.spelled[command, parameter] = name
        return
    no_option = {item.name: item for item in fields(Settings)} if command == "detect" else {}
    if name in no_option:
        _same_kind(place, value, type(no_option[name].default))
        Settings().with_changes(**{name: value})  # refuses what cannot be meant
        found.settings[name] = value
        return
    if name in BY_HAND:
        raise UsageError(f"{place} is only ever given by hand, as --{name.replace('_', '-')}")
    known = sorted({*options, *no_option})
    raise UsageError(f"{place} is not known{did_you_mean(name, known)}")


def _take_everywhere(
    found: SettingsFile, everywhere: Mapping[str, Any], commands: Mapping[str, Any]
) -> None:
    """What stands above the tables goes to every command that has the option and no own value."""
    shared = {command: _options(of) for command, of in commands.items()}
    for key, value in everywhere.items():
        name = key.replace("-", "_")
        if name not in COMMON:
            homes = [f"[{_dotted(command)}]" for command, of in shared.items() if name in of]
            meant = did_you_mean(name, [*COMMON, *commands, *TABLES])
            stands = f"; it belongs under {' or '.join(homes[:3])}" if homes else meant
            raise UsageError(f"{key} is not known above the tables{stands}")
        found.common[name] = value
        for command, options in shared.items():
            if name in options:
                own = found.by_command.setdefault(command, {})
                own.setdefault(options[name].name, _value(options[name], key, value))


def _value(option: Any, place: str, value: Any) -> Any:
    """The value, where the command line could have given it.

    Raises:
        UsageError: it cannot be meant.
    """
    annotation = option.type_descriptor.annotation
    many = get_origin(annotation) is list
    if isinstance(value, list) and not many:
        raise UsageError(f"{place} takes one value, not a list")
    values = value if isinstance(value, list) else [value]
    for one in values:
        if get_origin(annotation) is Literal:
            choices = [str(choice) for choice in get_args(annotation)]
            if one not in choices:
                meant = f"{one!r}{did_you_mean(one, choices)}"
                raise UsageError(f"{place} cannot be {meant}; choose one of: {', '.join(choices)}")
            continue
        _same_kind(place, one, annotation if annotation in WORDS else str)
        low, high = option.min, option.max
        if (low is not None and one < low) or (high is not None and one > high):
            reach = f"{low} or more" if high is None else f"{low} to {high}"
            raise UsageError(f"{place} cannot be {one!r}; it is {reach}")
    return values if many else value


def _same_kind(place: str, value: Any, wanted: type) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number if wanted is float else wanted in WORDS and type(value) is not wanted:
        raise UsageError(f"{place} cannot be {value!r}; it is {WORDS[wanted]}")


def _constant(table: str, key: str, value: Any) -> Any:
    name, place = key.replace("-", "_"), f"[{table}] {key}"
    known = {item.name: item for item in fields(TABLES[table])}
    if name not in known:
        raise UsageError(f"{place} is not known{did_you_mean(name, known)}")
    _same_kind(place, value, type(known[name].default))
    if name in FIXED.get(table, ()):
        raise UsageError(f"{place} is fixed: what replicadb has learned goes by it")
    low, high, reach = _reach(table, known[name])
    if not low <= value <= high:
        raise UsageError(f"{place} cannot be {value!r}; it is {reach}")
    return value


def _reach(table: str, item: Field[Any]) -> tuple[float, float, str]:
    """The least and the greatest value of a constant, and both in words."""
    unit = item.metadata["unit"]
    share = unit.split()[0] in ("share", "probability", "part")
    if share or (table == "kinds" and isinstance(item.default, float)):
        return 0.0, 1.0, "0 to 1"
    if table == "calibration" and unit == "units of match weight":
        return -MOST_WEIGHT, MOST_WEIGHT, f"{-MOST_WEIGHT:g} to {MOST_WEIGHT:g}"
    if table in ("drops", "copies") or unit == "distinct pages":
        return 0.0, math.inf, "0 or more"
    if isinstance(item.default, int):
        return 1.0, math.inf, "1 or more"
    return sys.float_info.epsilon, math.inf, "above 0"


def _dotted(command: str) -> str:
    return command.replace(" ", ".")


def in_force(file: SettingsFile) -> dict[str, Any]:
    """What the file says, by table and key: ``{"detect.max_wrong": 0.01}``."""
    return dict(file.common) | {
        f"{_dotted(table)}.{file.key(table, name)}": value
        for found in (file.by_command, {"detect": file.settings}, file.constants)
        for table, values in found.items()
        for name, value in values.items()
        if file.common.get(name) != value
    }


def of_detection(file: SettingsFile) -> dict[str, Any]:
    """The constants that the file changes and a detection goes by, with their defaults."""
    return {
        f"{table}.{name}": getattr(type(TABLES[table]), name)
        for table, changed in file.constants.items()
        for name in changed
        if "detect" in USED_BY[table]
    }


def every_setting(file: SettingsFile) -> list[tuple[str, str, Any, str]]:
    """Every setting with what is in force: (table, name, value, where from)."""
    kinds: dict[str, Any] = {"detect": Settings, "fingerprint": PageOptions, **TABLES}
    rows: list[tuple[str, str, Any, str]] = []
    for table, kind in kinds.items():
        says = {
            **file.by_command.get(table, {}),
            **(file.settings if table == "detect" else {}),
            **file.constants.get(table, {}),
        }
        for item in fields(kind):
            value = says.get(item.name, item.default)
            rows.append((table, item.name, value, file.path if item.name in says else "default"))
    shown = {f"{table}.{name}" for table, name, *_ in rows}
    for key, value in in_force(file).items():
        if key not in shown:
            rows.append((*key.rpartition(".")[::2], value, file.path))
    return rows
