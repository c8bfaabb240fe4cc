"""How files are written: whole or not at all, the same bytes for the same content, with a manifest beside them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from ratinglab.history import Source

# The packages whose version can change a figure or a picture.
_VERSIONED = ("numpy", "scipy", "pandas", "matplotlib")


def write_bytes(content: bytes, path: str | Path) -> None:
    """Write `content` to `path`: beside it first, then renamed, so that a reader never sees half a file."""
    path = Path(os.path.realpath(path))  # a link stays a link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _of(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, _mode(path))
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise _of(path, error) from error
        raise


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
    write_bytes(csv_text(table).encode(), path)


def write_json(content: Mapping[str, Any], path: str | Path) -> None:
    """Write JSON with sorted keys, whole or not at all."""
    write_bytes((json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode(), path)


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
