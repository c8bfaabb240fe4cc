"""How files are written: whole or not at all, the same bytes for the same content, with a manifest beside them.

`write_set` writes what a command makes: every file is first written beside its place, then all are renamed at once, so
that a run that is broken off leaves the set that was there before.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
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
_WRITTEN = (".html", ".csv", ".json", ".txt")

# What a file may be given as: a table for CSV, a mapping for JSON, text, or bytes.
Content: TypeAlias = "pd.DataFrame | Mapping[str, Any] | str | bytes"


def write_bytes(content: bytes, path: str | Path) -> None:
    """Write `content` to `path`: beside it first, then renamed, so that a reader never sees half a file."""
    with _staged([(Path(path), content)]):
        pass


def write_set(
    out: str | Path, files: Mapping[str, Content], record: Mapping[str, Any], *, clear: bool = False
) -> list[Path]:
    """Write the files of one run into the folder `out`, with `record` as their manifest; returns their paths.

    All are written beside their places before the first is renamed, the manifest last: whoever breaks a run off, or
    runs out of space, keeps the earlier set. With `clear`, files that an earlier run of the same command left in `out`
    and this one does not write are removed if its manifest lists them; nothing else ever is. Raises `OSError` naming
    the file.
    """
    out = Path(out)
    record = {**record, "files": sorted(files)}
    stale = _listed(out, record["command"]) - set(files) if clear else set()
    pairs = [(out / name, as_bytes(content)) for name, content in files.items()]
    with _staged([*pairs, (out / MANIFEST, as_bytes(record))]):
        _remove(out, stale)
    return [out / name for name in [*files, MANIFEST]]


def as_bytes(content: Content) -> bytes:
    """What stands in a file: a table as CSV, a mapping as JSON with sorted keys, text as UTF-8."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, Mapping):
        return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    return (content if isinstance(content, str) else csv_text(content)).encode()


@contextlib.contextmanager
def _staged(files: list[tuple[Path, bytes]]) -> Iterator[None]:
    """Write all files beside their places, then rename them, and do what stands in the block, without interruption."""
    beside: dict[str, Path] = {}
    try:
        for given, content in files:
            path = Path(os.path.realpath(given))  # a link stays a link
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with _uninterrupted():  # a file that is there is on the list of those to be taken away
                    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
                    beside[name] = path
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, _mode(path))
            except OSError as error:
                raise _of(path, error) from error
        with _uninterrupted():
            for name, path in list(beside.items()):
                try:
                    os.replace(name, path)
                except OSError as error:
                    raise _of(path, error) from error
                del beside[name]
            yield
    finally:
        for name in beside:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
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


def _remove(out: Path, stale: set[str]) -> None:
    """Remove the files, and the folders that are empty without them."""
    for name in sorted(stale):
        (out / name).unlink(missing_ok=True)
    for folder in sorted({(out / name).parent for name in stale} - {out}):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


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
            values = values.astype("int64")
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
