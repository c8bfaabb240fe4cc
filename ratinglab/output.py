"""How files are written: whole or not at all, the same bytes for the same content, with a manifest beside them.

`write_set` writes what a command makes: every file is first written beside its place, then all are renamed in one go,
so that a run that is broken off leaves the set that was there before. Only a run that is killed, or a power cut, in the
moment of renaming can leave files of two runs: such a folder has no manifest.json. What a killed run left beside its
places, under hidden names, the next run into the folder takes away.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

    from ratinglab.history import Source

# The packages whose version can change a figure or a picture.
_VERSIONED = ("numpy", "scipy", "pandas", "matplotlib")
MANIFEST = "manifest.json"
# Kept in the folder of the reports by those who use it; no run writes or removes them.
_KEPT = ("README.md", "decisions")
# The hidden name of a file beside its place: that of the process that writes it stands in it.
_BESIDE = re.compile(r"\..+\.(\d+)\.(?:[^.]*\.new|old)", re.DOTALL)
_WRITTEN = (".html", ".csv", ".json", ".txt", ".xlsx", ".pdf", ".svg", ".png")

# What a file may be given as: a table for CSV, a mapping for JSON, text, or bytes.
Content: TypeAlias = "pd.DataFrame | Mapping[str, Any] | str | bytes"


def write_bytes(content: bytes, path: str | Path) -> None:
    """Write `content` to `path`: beside it first, then renamed, so that a reader never sees half a file."""
    _write([(Path(path), content)])


def write_set(
    out: str | Path, files: Mapping[str, Content], record: Mapping[str, Any], *, clear: bool = False
) -> list[Path]:
    """Write the files of one run into the folder `out`, with `record` as their manifest; returns their paths.

    All are written beside their places before the first is renamed: whoever breaks a run off, runs out of space or
    keeps a file open where that locks it, keeps the earlier set. The earlier manifest goes first and the new one comes
    last, so that a folder with a manifest holds the files of that run. With `clear`, files that an earlier run of the
    same command left in `out` and this one does not write are removed if its manifest lists them; nothing else ever
    is. Raises `OSError` naming the file.
    """
    out = Path(out)
    record = {**record, "files": sorted(files)}
    stale = sorted(_listed(out, record["command"]) - set(files)) if clear else []
    pairs = [(out / name, as_bytes(content)) for name, content in files.items()]
    _write([*pairs, (out / MANIFEST, as_bytes(record))], [out / name for name in [MANIFEST, *stale]])
    for folder in sorted({(out / name).parent for name in stale} - {out}):
        with contextlib.suppress(OSError):  # not empty, and so not ours to remove
            folder.rmdir()
    return [out / name for name in [*files, MANIFEST]]


def require_writable(out: str | Path) -> None:
    """Raise `OSError` where the folder `out` cannot be written or made, so that long work is not done in vain."""
    there = Path(os.path.realpath(out))
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(there))


def as_bytes(content: Content, *, bom: bool = False) -> bytes:
    """What stands in a file: a table as CSV, a mapping as JSON with sorted keys, text as UTF-8.

    With `bom` it begins with the mark by which Excel knows UTF-8.
    """
    if bom:
        return codecs.BOM_UTF8 + as_bytes(content).removeprefix(codecs.BOM_UTF8)
    if isinstance(content, bytes):
        return content
    if isinstance(content, Mapping):
        return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    return (content if isinstance(content, str) else csv_text(content)).encode()


def _write(files: list[tuple[Path, bytes]], gone: Sequence[Path] = ()) -> None:
    """Write all files beside their places, then rename them all, and remove those that are `gone`, or do nothing."""
    beside: dict[Path, Path] = {}
    _sweep({Path(os.path.realpath(path)).parent for path in [*(given for given, _ in files), *gone]})
    try:
        for given, content in files:
            path = Path(os.path.realpath(given))  # a link stays a link
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with uninterrupted():  # a file that is there is on the list of those to be taken away
                    handle, name = tempfile.mkstemp(
                        dir=path.parent, prefix=f".{path.name}.{os.getpid()}.", suffix=".new"
                    )
                    beside[Path(name)] = path
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, _mode(path))
            except OSError as error:
                raise _of(path, error) from error
        with uninterrupted():
            _rename(beside, [Path(os.path.realpath(path)) for path in gone])
    finally:
        for left in beside:
            left.unlink(missing_ok=True)


def _sweep(folders: set[Path]) -> None:
    """Remove what processes that are no more left beside the places of their files.

    It may hold what the set that is now written must not, such as the names of a committee's set in a public one.
    """
    if os.name != "posix":  # elsewhere a process cannot be asked for without harm to it
        return
    for folder in folders:
        for path in folder.glob(".*") if folder.is_dir() else ():
            found = _BESIDE.fullmatch(path.name)
            if found and not _runs(int(found.group(1))):
                with contextlib.suppress(OSError):  # somebody else's: it is in nobody's way
                    path.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _rename(beside: dict[Path, Path], gone: Sequence[Path]) -> None:
    """Take away what is `gone`, then rename each file to its place and strike it from the list; all or nothing."""
    kept: list[tuple[Path, Path | None]] = []  # what was in a place, under a name beside it
    place = Path()
    try:
        for place in gone:
            if place.exists():
                kept.append((place, _second_name(place)))
                place.unlink()
        for new, place in list(beside.items()):
            if place.is_dir():  # told before a rename that says so differently on each system
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            kept.append((place, _second_name(place) if place.exists() else None))
            os.replace(new, place)
            del beside[new]
    except OSError as error:
        for path, old in reversed(kept):
            if old is None:
                path.unlink(missing_ok=True)
            else:
                os.replace(old, path)
                old.unlink(missing_ok=True)  # a rename between two names of one file leaves both
        raise _of(place, error) from error
    for _, old in kept:
        if old is not None:
            old.unlink()


def _second_name(path: Path) -> Path:
    """The file under a hidden name beside it too (a copy of it where there are no links)."""
    second = path.with_name(f".{path.name}.{os.getpid()}.old")
    second.unlink(missing_ok=True)
    try:
        os.link(path, second)
    except OSError:
        try:
            shutil.copy2(path, second)
        except OSError:
            second.unlink(missing_ok=True)
            raise
    return second


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is ever interrupted
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        signal.raise_signal(signal.SIGINT)


def _listed(out: Path, command: str) -> set[str]:
    """The files that the manifest of an earlier run of the command lists, as far as they are a run's own."""
    try:
        told = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    if not isinstance(told, Mapping) or told.get("command") != command or not isinstance(told.get("files"), list):
        return set()
    return {name for name in told["files"] if isinstance(name, str) and _own(name)}


def _own(name: str) -> bool:
    """Whether a run could have written a file of this name: a page or a table, inside its folder."""
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and path.parts[:1] != ()
    return inside and path.parts[0] not in _KEPT and path.suffix in _WRITTEN


def _mode(path: Path) -> int:
    """The permissions that the file has, or that a new one gets (mkstemp makes files that only their owner reads)."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _of(path: Path, error: OSError) -> OSError:
    """The error, told of the file that was to be written and not of the one beside it."""
    return type(error)(error.errno, error.strerror, str(path))


def csv_text(table: pd.DataFrame) -> str:
    """The table as CSV: ISO dates, floats whole (repr), missing as nothing, line ends LF."""
    import pandas as pd

    shown = {}
    for column in table.columns:
        values = table[column]
        if isinstance(values.dtype, type(pd.Series(dtype="datetime64[us]").dtype)) and values.dtype.kind == "M":
            values = values.dt.strftime("%Y-%m-%d")
        elif values.dtype.kind == "b":
            values = values.astype("Int64")  # yes or no may be missing
        shown[column] = values
    return pd.DataFrame(shown, index=table.index).to_csv(index=False, lineterminator="\n")


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """Write the table as UTF-8 CSV, whole or not at all."""
    write_bytes(as_bytes(table), path)


def sha256(content: bytes) -> str:
    """The SHA-256 of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def manifest(
    command: str,
    sources: tuple[Source, ...],
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """What an output was made from: inputs with their hashes, system, parameters, seed and versions."""
    return {
        "ratinglab": metadata.version("ratinglab"),
        "command": command,
        "inputs": [{"name": source.name, "sha256": source.sha256} for source in sources],
        "system": system,
        "parameters": dict(parameters or {}),
        "seed": seed,
        "versions": {name: metadata.version(name) for name in _VERSIONED},
    }
