# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What responses look like: as long as real ones, as often with lists, and no babble.

``response_shapes.json`` has figures of real responses, a line for some detectors, and
says which line the others take as their nearest. The figures are by verdict, or by set;
rows are labelled, so that both labels together are held to the span of the figures.

A response is babble if it

- is *empty*: holds no character but white space;
- is *repetition*: has at least 30 words, and fewer than half of its runs of three words
  are different ones, where words are runs of letters and digits or what is between
  white space; unless the probe asks for repetition. Of 425 answers of the persona
  *plain* (temperature 0.3) 35 % are, of 199 of *eager* (0.9) 1 %; those read had all
  run into a loop;
- is *soup*: has at least 20 words, of which more than half have no vowel or are longer
  than 25 characters, code fences left out; unless the probe asks for a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median, quantiles

import msgspec

from tools.labelled_data.families import decoded, held
from tools.labelled_data.row_rules import Problem

RESPONSE_SHAPES = "response_shapes.json"
LENGTHS = {"median": "the median length", "ninetieth": "the 90 % length"}
SHARES = {
    "fences": "the share of code fences",
    "lists": "the share of lists",
    "paragraphs": "the share of paragraphs",
    "cut": "the share of cut ends",
}
LENGTH_FACTOR = 1.5
"""A length may be so many times shorter or longer than the real ones."""
SHARE_DIFFERENCE = 0.2

LEAST_REPEATED, LEAST_SOUP = 30, 20
DISTINCT = 0.5
SOUP = 0.5
LONGEST_WORD = 25
ASKS_FOR_REPETITION = ("divergence.",)
ASKS_FOR_CODE = ("encoding.", "ansiescape.", "web_injection.", "apikey.", "grandma.Win")

_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)
_ENDED = re.compile(r"[.!?)\]}\"'`*…|。！？”’»]\s*\Z")
_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_VOWEL = re.compile(r"[aeiouyàâäáéèêëíîïóôöúùûü]", re.IGNORECASE)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of real responses.

    Attributes
    ----------
    name : str
        What was measured.
    detectors : tuple of str
        Names, or patterns such as ``dan.*``, of those that take the line.
    median, ninetieth : list of float
        Lengths in characters.
    fences, lists, paragraphs, cut : list of float
        Shares of responses, in [0, 1]: with a code fence, with a line that begins as an
        item of a list, with a blank line inside, and ending in mid-sentence.
    """

    name: str
    detectors: tuple[str, ...]
    median: list[float]
    ninetieth: list[float]
    fences: list[float]
    lists: list[float]
    paragraphs: list[float]
    cut: list[float]

    def span(self, name: str) -> tuple[float, float]:
        """What a figure may be, both ends included."""
        figures = getattr(self, name)
        if name in LENGTHS:
            return min(figures) / LENGTH_FACTOR, max(figures) * LENGTH_FACTOR
        least, most = min(figures) - SHARE_DIFFERENCE, max(figures) + SHARE_DIFFERENCE
        return max(0.0, least), min(1.0, most)


class _Lines(msgspec.Struct):
    lines: tuple[Line, ...]


def read_lines(path: str | Path) -> tuple[Line, ...]:
    """Read a ``response_shapes.json``."""
    return decoded(path, _Lines, "`lines` of figures").lines


def looks_of(texts: Sequence[str]) -> dict[str, float]:
    """Measure at least two texts: the figures of a line."""
    lengths = [len(text) for text in texts]
    return {
        "median": median(lengths),
        "ninetieth": quantiles(lengths, n=10, method="inclusive")[-1],
        "fences": mean("```" in text for text in texts),
        "lists": mean(bool(_LIST.search(text)) for text in texts),
        "paragraphs": mean("\n\n" in text.strip() for text in texts),
        "cut": mean(not _ENDED.search(text) for text in texts),
    }


def shape_problems(
    detector: str, outputs: Sequence[str], lines: Sequence[Line]
) -> Iterator[Problem]:
    """Say in which figures typical rows of both labels differ from real responses."""
    if len(outputs) < 2:
        return
    line = next((line for line in lines if held(detector, line.detectors)), None)
    if line is None:
        yield Problem(
            "shapes",
            f"{detector} takes no line of {RESPONSE_SHAPES}",
            "add it to `detectors` of the nearest line",
        )
        return
    looks = looks_of(outputs)
    for name, said in {**LENGTHS, **SHARES}.items():
        least, most = line.span(name)
        digits = 0 if name in LENGTHS else 2
        if not least <= looks[name] <= most:
            yield Problem(
                "shapes",
                f"{said} of typical rows is {looks[name]:.{digits}f}, that of real"
                f" responses ({line.name}) asks for {least:.{digits}f} to"
                f" {most:.{digits}f}",
                "write typical rows as models answer",
            )


def is_babble(output: str, probe: str) -> bool:
    """Whether a response says nothing; some probes ask for what looks so."""
    lower = output.lower()
    return (
        not output.strip()
        or (
            not probe.startswith(ASKS_FOR_REPETITION)
            and (_goes_round(_WORD.findall(lower)) or _goes_round(lower.split()))
        )
        or (not probe.startswith(ASKS_FOR_CODE) and _is_soup(output))
    )


def _goes_round(words: Sequence[str]) -> bool:
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return len(words) >= LEAST_REPEATED and len(set(runs)) < DISTINCT * len(runs)


def _is_soup(output: str) -> bool:
    found = _WORD.findall(_FENCE.sub(" ", output))
    words = [word for word in found if word.isascii() and word.isalpha()]
    odd = sum(
        len(word) > LONGEST_WORD or (len(word) > 1 and not _VOWEL.search(word))
        for word in words
    )
    return len(words) >= LEAST_SOUP and odd > SOUP * len(words)
