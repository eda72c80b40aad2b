# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a report is read, so that no input takes all memory or all time."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_LINE = 4 << 20
"""Lines up to 4 MiB are parsed without a look: they take at most 200 MiB."""

LEAST_PER_BYTE = 3
"""A line is held as bytes, as text, and as values that are mostly texts."""

SLICE = 4 << 20
MOST_TEXTS = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadLimits:
    """What a report may ask of the machine.

    Attributes
    ----------
    decoded : int
        Bytes that are read of a compressed report, a pipe, a device or an address.
        A plain file may be of any size.
    line : int
        Bytes of one line. Parsing takes several times as much memory, and a line is
        parsed only if that is less than 5/4 of this limit; attempts are not parsed.
    """

    decoded: int = 32 << 30
    line: int = 256 << 20

    @property
    def parsing(self) -> int:
        """Memory that the parsed values of one line may take, in bytes."""
        return self.line * 5 // 4

    @property
    def parsed_line(self) -> int:
        """Bytes that a line may have at most if its values are to fit."""
        return self.parsing // LEAST_PER_BYTE


DEFAULT_LIMITS = ReadLimits()
MOST_BLANK_LINES = 1_000_000
"""Of one report, in which garak writes none; packed, they take hardly any room."""

MOST_PAIRS = 5_000
"""Results of one report; garak 0.17 has 600 pairs of probe and detector."""

MOST_PROBES = 100_000
"""Probes whose tier one file may tell."""


def memory_to_parse(line: bytes) -> int:
    """Return how much memory the values of a JSON text take at most, in bytes.

    Counted from the signs that begin values, at what CPython takes for each; a text
    of ``[[],[],...]`` takes 22 times its length. Keys are counted by how many
    different ones there are, since the parser keeps each once.
    """
    if len(line) <= SMALL_LINE:
        return 50 * len(line)
    quotes, keys = line.count(b'"'), line.count(b'":')
    # one wide character, as itself or escaped, makes 4 bytes of each of its text's
    per_byte = LEAST_PER_BYTE
    if not line.isascii():
        per_byte = 9
    elif b"\\u" in line:
        per_byte = 6
    return (
        per_byte * len(line)
        + 200 * line.count(b"{")
        + 72 * line.count(b"[")
        + 40 * line.count(b",")
        + 60 * max(0, quotes // 2 - keys)
        + 250 * (_different_texts(line) + line.count(b'\\"'))
    )


def _different_texts(line: bytes) -> int:
    """How many different pieces are between quotes, up to a limit."""
    seen: set[bytes] = set()
    for start in range(0, len(line), SLICE):
        seen.update(line[start : start + SLICE].split(b'"'))
        if len(seen) > MOST_TEXTS:
            # too many to tell apart in little memory: all may be
            return line.count(b'"')
    return len(seen)
