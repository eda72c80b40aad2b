# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Small inputs read whole; outputs: whole files or none, never in an input's place."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping

from garak_tbsa import terminal
from garak_tbsa.errors import DatasetError, OutputError, UsageError, reason_of
from garak_tbsa.safe_text import file_without_commands

STANDARD_OUTPUT = "-"
PART_START, PART_ENDING = ".garak-tbsa.", ".part"

STREAMS = {STANDARD_OUTPUT: 1, "/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)", re.ASCII)
LOCAL_SCHEMES = ("file://", "local://")


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
        raise DatasetError(
            f"{path}: cannot be read ({reason_of(error)}); {advice}"
        ) from None
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


def leads_to(given: str, file: str) -> bool:
    """Whether a path or address that is read leads to a file, by links as well."""
    path = _local_path(given)
    return path is not None and not {*_places(path)}.isdisjoint(_places(file))


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
    goes_on = is_stream(path)
    if isinstance(content, str):
        # a build's runner reads what is printed
        printed = file_without_commands(content) if goes_on else content
        content = printed.encode("utf-8", "replace")
    if goes_on:
        _write_stream(path, content)
        return
    write_pieces(path, (content,))


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
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    number = os.urandom(4).hex()
    name = f"{PART_START}{os.getpid()}.{number}{PART_ENDING}"
    beside = os.path.join(folder, name)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(beside, "xb") as handle:
            for piece in pieces:
                handle.write(piece)
            handle.flush()
            os.fsync(handle.fileno())
        if check is not None:
            check(beside)
        if os.path.exists(target):
            os.chmod(beside, os.stat(target).st_mode & 0o7777)
        os.replace(beside, target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        _remove_if_there(beside)


def remove_parts(target: str, process: int) -> None:
    """Remove what a process that was killed has written beside ``target``."""
    folder = glob.escape(os.path.dirname(os.path.realpath(target)))
    parts = f"{PART_START}{process}.*{PART_ENDING}"
    for part in glob.glob(os.path.join(folder, parts)):
        _remove_if_there(part)


def _descriptor(path: str) -> int | None:
    """The open file that a path such as ``/dev/stdout`` means, None for others."""
    number = DESCRIPTOR.fullmatch(path)
    return int(number[1]) if number else STREAMS.get(path)


def _write_stream(path: str, data: bytes) -> None:
    """Write to a device, pipe or open file, which nothing replaces."""
    descriptor = _descriptor(path)
    try:
        if descriptor == 1 and sys.stdout is not None:
            sys.stdout.flush()
        # a redirected stdout, opened by its name, would be written over from its start
        opened = path if descriptor is None else os.dup(descriptor)
        with terminal.room_made(), open(opened, "wb") as handle:
            handle.write(data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: str, error: OSError) -> OutputError:
    reason = error.strerror or type(error).__name__
    return OutputError(
        f"{path}: cannot be written ({reason}); nothing was changed there; choose a"
        " writable place with free space"
    )


def _remove_if_there(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
