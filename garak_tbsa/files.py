# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Small inputs read whole; outputs: whole files or none, never in an input's place."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress

from garak_tbsa import terminal
from garak_tbsa.errors import DatasetError, OutputError, UsageError, reason_of
from garak_tbsa.safe_text import file_without_commands

STANDARD_OUTPUT = "-"
PART = ".garak-tbsa.{}.{}.part"
"""The name of a file that is not whole yet: its process, and what chance gave."""

STREAMS = {STANDARD_OUTPUT: 1} | {
    place: number
    for number, name in enumerate(("stdout", "stderr"), 1)
    for place in (f"/dev/{name}", f"/dev/fd/{number}", f"/proc/self/fd/{number}")
}
"""Open files by the paths that mean them."""


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
    for given in inputs:
        taken |= dict.fromkeys(_places(given), f"the input {given}")
    for option, path in outputs.items():
        places = _places(path)
        for place in places & taken.keys():
            raise UsageError(
                f"{option} {path}: would overwrite {taken[place]};"
                " give each output a path of its own"
            )
        taken |= dict.fromkeys(places, f"the output of {option}")


def leads_to(given: str, file: str) -> bool:
    """Whether a path or address that is read leads to a file, by links as well."""
    return not _places(given).isdisjoint(_places(file))


def _places(path: str | None) -> set[object]:
    """What tells a file from others: its real path, and its number where it exists."""
    for scheme in ("file://", "local://"):
        path = path and path.removeprefix(scheme)
    if not path or "://" in path or is_stream(path):
        return set()
    real = os.path.realpath(path)
    places: set[object] = {real}
    with suppress(OSError):
        found = os.stat(real)
        places.add((found.st_dev, found.st_ino))
    return places


def is_stream(path: str) -> bool:
    """Whether writing goes on to whoever reads, and replaces no file."""
    if path in STREAMS:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def is_standard_output(path: str) -> bool:
    """Whether what is written there goes to standard output."""
    return STREAMS.get(path) == 1


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
    if not goes_on:
        write_pieces(path, (content,))
        return
    descriptor = STREAMS.get(path)
    try:
        if descriptor == 1 and sys.stdout is not None:
            sys.stdout.flush()
        # a redirected stdout, opened by its name, would be written over from its start
        opened = path if descriptor is None else os.dup(descriptor)
        with terminal.room_made(), open(opened, "wb") as handle:
            handle.write(content)
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """Write a file piece by piece; as :func:`write_whole`, but never to a stream.

    Parameters
    ----------
    path : str
    pieces : iterable of bytes
        What it raises leaves an existing file as it is.

    Raises
    ------
    OutputError
        It cannot be written; an existing file at ``path`` is unchanged.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    part = os.path.join(folder, PART.format(os.getpid(), os.urandom(4).hex()))
    try:
        os.makedirs(folder, exist_ok=True)
        with open(part, "xb") as handle:
            handle.writelines(pieces)
            handle.flush()
            os.fsync(handle.fileno())
        if os.path.exists(target):
            os.chmod(part, os.stat(target).st_mode & 0o7777)
        os.replace(part, target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        with suppress(OSError):
            os.unlink(part)


def remove_parts(target: str, process: int) -> None:
    """Remove what a process that was killed has written beside ``target``."""
    folder = glob.escape(os.path.dirname(os.path.realpath(target)))
    for part in glob.glob(os.path.join(folder, PART.format(process, "*"))):
        with suppress(OSError):
            os.unlink(part)


def _cannot_write(path: str, error: OSError) -> OutputError:
    reason = error.strerror or type(error).__name__
    return OutputError(
        f"{path}: cannot be written ({reason}); nothing was changed there; choose a"
        " writable place with free space"
    )
