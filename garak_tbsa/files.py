# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Small inputs read whole; outputs: whole files or none, never in an input's place."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import IO

from garak_tbsa import terminal
from garak_tbsa.errors import DatasetError, OutputError, UsageError

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

STANDARD_OUTPUT = "-"
PART_ENDING = ".part"
PART_TRIES = 3
"""A file system without locks gets an unlocked part after as many."""

DESCRIPTORS = {
    STANDARD_OUTPUT: 1,
    "/dev/stdout": 1,
    "/dev/stderr": 2,
}
DESCRIPTOR_FOLDERS = ("/dev/fd/", "/proc/self/fd/")
LOCAL_SCHEMES = ("file://", "local://")
NAME_LIMIT = 255
"""Longest name of a file on the usual file systems, in bytes."""


def read_small(path: str, most: int, kind: str, advice: str) -> bytes:
    """Read a file that is known to be small.

    Parameters
    ----------
    path : str
    most : int
        Bytes that it may have, whole MiB.
    kind : str
        What was expected: ``a summary file``.
    advice : str
        What to do where it cannot be read.

    Raises
    ------
    DatasetError
        It cannot be read, or is larger.
    """
    try:
        with open(path, "rb") as handle:
            content = handle.read(most + 1)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise DatasetError(f"{path}: cannot be read ({reason}); {advice}") from None
    if len(content) > most:
        raise DatasetError(
            f"{path}: more than {most >> 20} MiB; expected {kind}, which is far smaller"
        )
    return content


def require_distinct(
    outputs: Mapping[str, str | None], inputs: Iterable[str | None]
) -> None:
    """Refuse an output that would replace an input or another output.

    Two paths are the same place if they lead to one real path, or to one file by
    hard links. Devices, pipes and ``-`` (standard output) replace nothing and may
    come as often as wanted.

    Parameters
    ----------
    outputs : mapping of str to str or None
        Path by option, as ``{"--html": "page.html"}``; None where not asked for.
    inputs : iterable of str or None
        Paths that are read; None, ``-`` and remote addresses are passed over.

    Raises
    ------
    UsageError
        Names the option, the path, and what it would replace.
    """
    taken: dict[object, str] = {}
    wanted = [
        (option, path)
        for option, path in outputs.items()
        if path and not is_stream(path)
    ]
    if not wanted:
        return
    for given in inputs:
        path = _local_path(given)
        if path is not None:
            for place in _places(path):
                taken.setdefault(place, f"the input {given}")
    for option, path in wanted:
        places = _places(path)
        for place in places:
            if place in taken:
                raise UsageError(
                    f"{option} {path}: would overwrite {taken[place]};"
                    " give each output a path of its own"
                )
        taken.update((place, f"the output of {option}") for place in places)


def _local_path(path: str | None) -> str | None:
    if path is None or is_stream(path):
        return None
    for scheme in LOCAL_SCHEMES:
        path = path.removeprefix(scheme)
    return None if "://" in path else path


def is_stream(path: str) -> bool:
    """Whether writing goes on to whoever reads, and replaces no file."""
    if _descriptor(path) is not None:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def is_standard_output(path: str) -> bool:
    """Whether what is written there goes to standard output."""
    return _descriptor(path) == 1


def _places(path: str) -> list[object]:
    """What tells a file from others: its real path, and its number where it exists."""
    real = os.path.realpath(path)
    places: list[object] = [real]
    try:
        found = os.stat(real)
    except OSError:
        return places
    return [*places, (found.st_dev, found.st_ino)]


def write_whole(path: str, content: str | bytes) -> None:
    """Write ``content`` to ``path`` so that no reader ever sees half of it.

    What a killed process left beside the target is removed.

    Parameters
    ----------
    path : str
        The target, ``-`` for standard output. Missing folders are made. An existing
        file keeps its mode.
    content : str or bytes
        Text is written as UTF-8.

    Raises
    ------
    OutputError
        The folder cannot be written to or the disk is full; an existing file at
        ``path`` is unchanged.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if is_stream(path):
        _write_stream(path, data)
        return
    write_pieces(path, (data,))


def write_pieces(
    path: str, pieces: Iterable[bytes], check: Callable[[str], None] | None = None
) -> None:
    """Write a file piece by piece; as :func:`write_whole`, but never to a stream.

    Parameters
    ----------
    path : str
    pieces : iterable of bytes
        What it raises leaves an existing file as it is.
    check : callable, optional
        Called with the path of the whole file before it takes its place, which it
        does not where this raises.

    Raises
    ------
    OutputError
        It cannot be written; an existing file at ``path`` is unchanged.
    """
    target, beside = os.path.realpath(path), None
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        remove_left_parts(target)
        with open_part(target) as handle:
            beside = handle.name
            for piece in pieces:
                handle.write(piece)
            handle.flush()
            os.fsync(handle.fileno())
            if check is not None:
                check(beside)
            if os.path.exists(target):
                os.chmod(beside, os.stat(target).st_mode & 0o7777)
            if os.name == "posix":
                # still locked, so that nobody takes it for left behind
                os.replace(beside, target)
        if os.name != "posix":
            os.replace(beside, target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        if beside is not None:
            _remove_if_there(beside)


def open_part(target: str) -> IO[bytes]:
    """Open a file beside ``target`` that no other process takes for left behind.

    Raises
    ------
    OSError
        It cannot be made.
    """
    for tries_left in reversed(range(PART_TRIES)):
        path = part_of(target)
        handle = open(path, "xb")  # noqa: SIM115, the caller closes it
        # before it was locked, another process may have removed it as left behind
        if lock(handle.fileno()) and os.path.exists(path):
            break
        if tries_left:
            handle.close()
            _remove_if_there(path)
    return handle


def part_of(target: str) -> str:
    """Return a name beside ``target`` that no other writer has.

    ``<target>.<process>.<8 hex digits>.part``; a long name is cut to fit.
    """
    folder, name = os.path.split(target)
    ending = f".{os.getpid()}.{os.urandom(4).hex()}{PART_ENDING}"
    return os.path.join(folder, _stem(name, len(ending)) + ending)


def _stem(name: str, room: int) -> str:
    return os.fsdecode(os.fsencode(name)[: NAME_LIMIT - room])


def remove_left_parts(target: str) -> None:
    """Remove the parts of ``target`` whose writer is gone, as after ``kill -9``.

    A living writer holds a lock on its part, whichever container it runs in.
    """
    folder, name = os.path.split(target)
    for entry in os.listdir(folder or os.curdir):
        if entry.endswith(PART_ENDING) and _is_part(entry, name):
            _remove_if_left(os.path.join(folder, entry))


def _is_part(entry: str, name: str) -> bool:
    stem, _, middle = entry.removesuffix(PART_ENDING).rpartition(".")
    if middle.isdecimal() and stem == name:
        return True  # as 0.1.0 named them
    stem, _, process = stem.rpartition(".")
    return (
        len(middle) == 8
        and all(char in "0123456789abcdef" for char in middle)
        and process.isdecimal()
        and stem == _stem(name, len(entry) - len(stem))
    )


def _remove_if_left(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, AttributeError):
        return  # another user's, or no POSIX
    try:
        if lock(descriptor):
            _remove_if_there(path)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> bool:
    """Lock a file for as long as it is open; False where another holds it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _descriptor(path: str) -> int | None:
    """The open file that a path such as ``/dev/stdout`` means, None for others."""
    if path in DESCRIPTORS:
        return DESCRIPTORS[path]
    for folder in DESCRIPTOR_FOLDERS:
        number = path.removeprefix(folder)
        if number != path and number.isascii() and number.isdecimal():
            return int(number)
    return None


def _write_stream(path: str, data: bytes) -> None:
    """Write to a device, pipe or open file, which nothing replaces."""
    descriptor = _descriptor(path)
    try:
        if descriptor == 1:
            _flush_standard_output()
        # a redirected stdout, opened by its name, would be written over from its start
        opened = path if descriptor is None else os.dup(descriptor)
        with terminal.room_made(), open(opened, "wb") as handle:
            handle.write(data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _flush_standard_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _cannot_write(path: str, error: OSError) -> OutputError:
    reason = error.strerror or type(error).__name__
    return OutputError(
        f"{path}: cannot be written ({reason}); nothing was changed there; choose a"
        " writable place with free space"
    )


def _remove_if_there(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
