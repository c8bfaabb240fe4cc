"""The files a run was given: what they are called, what is in them, and which lie beside them.

Formats see files only through a `Shelf`, take from it the groups of files they read as one, and never touch the disk
themselves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from ratinglab.decode import NotText, decode
from ratinglab.history import Source
from ratinglab.output import sha256
from ratinglab.problems import ERROR, WARNING, Problem

# What stands beside event files and is not one; everything else is looked into.
_PASSED_OVER = frozenset(
    (".md", ".rst", ".html", ".htm", ".css", ".js", ".json", ".ipynb", ".py", ".pl", ".png", ".jpg", ".jpeg", ".gif",
     ".svg", ".ico", ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ods", ".zip", ".gz", ".bz2", ".xz", ".tar", ".db",
     ".dbf", ".yml", ".yaml", ".toml", ".log")
)  # fmt: skip
LIKELY = frozenset((".t", ".tsh", ".trf", ".trfx", ".csv", ".tsv", ".txt"))


@dataclass(frozen=True, eq=False)
class File:
    """One file. `shown` is its path as given (for problems), `source` starts at the given argument (for manifests)."""

    path: Path
    shown: str
    source: str
    explicit: bool = False

    @property
    def suffix(self) -> str:
        """The ending of the name, in lower case."""
        return self.path.suffix.casefold()

    @property
    def folder(self) -> Path:
        """The folder it lies in, with its real name."""
        return self.path.resolve().parent

    @cached_property
    def content(self) -> bytes:
        """The bytes."""
        return self.path.read_bytes()

    @cached_property
    def text(self) -> str:
        """The text; raises `NotText` or `OSError`."""
        return decode(self.content)

    @cached_property
    def sample(self) -> str | None:
        """The text to recognise the file by: None where there is none (binary, unreadable, empty)."""
        try:
            return self.text if self.text.strip() else None
        except (NotText, OSError):
            return None

    @cached_property
    def nature(self) -> str:
        """What the file is, for a message that says it is not what was wanted."""
        try:
            return "text in no such form" if self.text.strip() else "an empty file"
        except NotText as error:
            return error.found
        except OSError as error:
            return f"a file that cannot be read ({error.strerror})"

    def as_source(self) -> Source | None:
        """The file's name and hash, for the manifest; None for a file that cannot be read."""
        try:
            return Source(self.source, sha256(self.content))
        except OSError:
            return None


@dataclass(frozen=True, eq=False)
class Group:
    """Files that one format reads together; the first is the one that stands for them."""

    files: tuple[File, ...]
    where: str  # the folder that tells two events of one name apart

    @property
    def sources(self) -> tuple[Source, ...]:
        """What was read, for the manifest."""
        return tuple(source for file in self.files if (source := file.as_source()) is not None)

    @property
    def main(self) -> File:
        """The file that stands for the group."""
        return self.files[0]


@dataclass(frozen=True, eq=False)
class Shelf:
    """The files still to be read, in reading order, and a way to those that lie beside them.

    `forced` means that the user named the format: then files named explicitly are taken for what they are said to be.
    """

    files: tuple[File, ...]
    known: dict[Path, File] = field(default_factory=dict)
    forced: bool = False

    def beside(self, file: File, name: str) -> File | None:
        """The file `name` (a relative path) in the folder of `file`, letters of either case, or None."""
        target = file.path.parent / name.replace("\\", "/")
        try:
            if not target.is_file():
                folder, wanted = target.parent, target.name.casefold()
                alike = sorted(p for p in folder.iterdir() if p.name.casefold() == wanted and p.is_file())
                if not alike:
                    return None
                target = alike[0]
            resolved = target.resolve()
        except (OSError, ValueError):
            return None
        if resolved in self.known:
            return self.known[resolved]
        relative = os.path.relpath(target, file.path.parent).replace(os.sep, "/")
        shown, source = (_joined(str(PurePosixPath(whole).parent), relative) for whole in (file.shown, file.source))
        # one File for one file, so that a group is compared by its members
        return self.known.setdefault(resolved, File(target, shown, source))

    def instead_of(self, file: File, name: str) -> str:
        """What stands where `beside` finds no file `name`, for a message."""
        target = file.path.parent / name.replace("\\", "/")
        try:
            if target.is_dir():
                return f"{name}, a folder"
            if target.is_symlink():
                return f"{name}, a link to a file that is not there"
            return f"{name}, which is neither file nor folder" if target.exists() else f"no file {name} there"
        except (OSError, ValueError):  # a name no system allows
            return "no such file"

    def without(self, taken: Iterable[File], forced: bool = False) -> Shelf:
        """The shelf when these files are gone from it."""
        gone = set(map(id, taken))
        return Shelf(tuple(f for f in self.files if id(f) not in gone), self.known, forced)

    def by_folder(self) -> Iterator[list[File]]:
        """The files, folder by folder, in the order in which each folder's first file comes."""
        folders: dict[Path, list[File]] = {}
        for file in self.files:
            folders.setdefault(file.path.parent, []).append(file)
        yield from folders.values()


def _joined(folder: str, relative: str) -> str:
    return os.path.normpath(f"{folder}/{relative}").replace(os.sep, "/") if folder != "." else relative


def gather(paths: Iterable[str | Path]) -> tuple[Shelf, list[Problem]]:
    """The files that `paths` name, folders walked in sorted order, each file once; and what is wrong with the paths."""
    files: list[File] = []
    known: dict[Path, File] = {}
    problems = []
    for given in paths:
        path = Path(given)
        shown = path.as_posix()
        try:
            found = list(_files_of(path))
        except OSError as error:
            problems.append(
                Problem(shown, 0, 0, ERROR, "a file or folder", error.strerror or "one that cannot be read")
            )
            continue
        except ValueError as error:  # a name no system allows, such as one with a NUL in it
            problems.append(Problem(repr(shown), 0, 0, ERROR, "a file or folder", str(error)))
            continue
        fresh = {file.path.resolve(): file for file in found}
        again = [file for file in fresh if file in known]
        if again:
            what = f"{len(again)} of its files given before" if path.is_dir() else "one given before"
            problems.append(Problem(shown, 0, 0, WARNING, "each file once", f"{what}; read once"))
        elif not found and path.is_dir():
            problems.append(Problem(shown, 0, 0, ERROR, "a folder with event files", "none in it"))
        for resolved, file in fresh.items():
            if resolved not in known:
                known[resolved] = file
                files.append(file)
    return Shelf(tuple(files), known), problems


def _files_of(path: Path) -> Iterator[File]:
    name = path.name if path.name not in ("", "..") else path.resolve().name
    if path.is_file():
        yield File(path, path.as_posix(), name, explicit=True)
        return
    if not path.exists():
        raise FileNotFoundError(0, "nothing of that name")
    if not path.is_dir():
        raise OSError(0, "something that is neither")

    def fail(error: OSError) -> None:
        raise error

    for folder, below, names in os.walk(path, onerror=fail):
        below[:] = sorted(sub for sub in below if not sub.startswith((".", "__")))
        inside = Path(folder).relative_to(path)
        for base in sorted(names):
            file = Path(folder) / base
            if not base.startswith(".") and file.suffix.casefold() not in _PASSED_OVER and file.is_file():
                yield File(file, file.as_posix(), (PurePosixPath(name) / inside / base).as_posix())
