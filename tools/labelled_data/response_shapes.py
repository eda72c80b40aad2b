# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether typical rows look like what real models answer.

``response_shapes.json`` has figures of real responses, a line for some detectors, and
says which line the others take as their nearest. The figures are by verdict, or by set;
rows are labelled, so that both labels together are held to the span of the figures.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.errors import DatasetError
from tools.labelled_data.looks import looks_of
from tools.labelled_data.row_rules import Problem

RESPONSE_SHAPES = "response_shapes.json"
LENGTHS = ("median", "ninetieth")
SHARES = ("fences", "lists", "paragraphs", "cut")

LENGTH_FACTOR = 1.5
"""A length may be so many times shorter or longer than the real ones."""

SHARE_DIFFERENCE = 0.2

_SAID = {
    "median": "the median length",
    "ninetieth": "the 90 % length",
    "fences": "the share of code fences",
    "lists": "the share of lists",
    "paragraphs": "the share of paragraphs",
    "cut": "the share of cut ends",
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """What a figure may be, both ends included."""

    least: float
    most: float

    def holds(self, value: float) -> bool:
        """Whether a figure is within."""
        return self.least <= value <= self.most


@dataclass(frozen=True, kw_only=True)
class Line:
    """Figures of real responses.

    Attributes
    ----------
    name : str
        What was measured.
    detectors : tuple of str
        Names, or patterns such as ``dan.*``, of those that take the line.
    spans : mapping of str to Span
        By the names of :class:`~tools.labelled_data.looks.Looks`, tolerance included.
    """

    name: str
    detectors: tuple[str, ...]
    spans: Mapping[str, Span]

    def holds(self, detector: str) -> bool:
        """Whether a detector's rows are held to this line."""
        return any(fnmatch.fnmatchcase(detector, each) for each in self.detectors)


def read_lines(path: str | os.PathLike[str]) -> tuple[Line, ...]:
    """Read a ``response_shapes.json``.

    Raises
    ------
    DatasetError
        The file cannot be read, or an entry is no line.
    """
    where = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as handle:
            raw = json.load(handle)["lines"]
        return tuple(map(_line, raw))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DatasetError(
            f"{where}: expected `lines` with name, detectors, {', '.join(LENGTHS)},"
            f" {', '.join(SHARES)}; found something else ({type(error).__name__})"
        ) from None


def _line(raw: Mapping[str, Any]) -> Line:
    spans = {}
    for name in LENGTHS:
        figures = [float(figure) for figure in raw[name]]
        spans[name] = Span(
            least=min(figures) / LENGTH_FACTOR, most=max(figures) * LENGTH_FACTOR
        )
    for name in SHARES:
        figures = [float(figure) for figure in raw[name]]
        spans[name] = Span(
            least=max(0.0, min(figures) - SHARE_DIFFERENCE),
            most=min(1.0, max(figures) + SHARE_DIFFERENCE),
        )
    return Line(
        name=str(raw["name"]),
        detectors=tuple(map(str, raw["detectors"])),
        spans=spans,
    )


def line_of(detector: str, lines: Sequence[Line]) -> Line | None:
    """Return the line that a detector takes; None where it has none."""
    return next((line for line in lines if line.holds(detector)), None)


def shape_problems(
    detector: str, outputs: Sequence[str], lines: Sequence[Line]
) -> Iterator[Problem]:
    """Say in which figures typical rows differ from real responses.

    Parameters
    ----------
    detector : str
    outputs : sequence of str
        Typical responses of both labels; fewer than two are not measured.
    lines : sequence of Line
    """
    if len(outputs) < 2:
        return
    line = line_of(detector, lines)
    if line is None:
        yield Problem(
            rule="shapes",
            problem=f"{detector} takes no line of {RESPONSE_SHAPES}",
            remedy="add it to `detectors` of the nearest line",
        )
        return
    looks = looks_of(outputs)
    for name, span in line.spans.items():
        value = getattr(looks, name)
        if not span.holds(value):
            yield Problem(
                rule="shapes",
                problem=f"{_SAID[name]} of typical rows is {_written(name, value)},"
                f" that of real responses ({line.name}) asks for"
                f" {_written(name, span.least)} to {_written(name, span.most)}",
                remedy="write typical rows as models answer",
            )


def _written(name: str, value: float) -> str:
    return f"{value:.0f}" if name in LENGTHS else f"{value:.2f}"
