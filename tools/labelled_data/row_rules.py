# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every single row of the shipped data must be: fields, two labels, no harm."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from garak_tbsa.detector_eval.rows import BASES
from garak_tbsa.detector_eval.slots import SLOT
from garak_tbsa.garak_api.detectors import garak_module
from tools.labelled_data.families import Row
from tools.labelled_data.rating import AUTHOR, SECOND

REQUIRED = ("id", "prompt", "output", "label", "slice", "lang", "source", "basis")
OF_ATTEMPT = ("notes", "file", "goal", "probe", "model")
OPTIONAL = ("why", "why_label", "annotations", *OF_ATTEMPT)

_ALSO_I = {0x130: "i", 0x131: "i"}
"""Letters that a pattern without case takes for an i, and ``casefold`` does not."""
_WORD = re.compile(r"\w+")
_SLICE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")

_KEYS = re.compile(
    r"""
      \b (?: AKIA | ASIA ) [0-9A-Z]{16} \b          # AWS
    | \b AIza [\w-]{35}                             # Google
    | \b gh[opsur]_ [0-9A-Za-z]{36}                 # GitHub
    | \b glpat- [\w-]{20}                           # GitLab
    | \b xox[abprs]- [0-9A-Za-z-]{10,}              # Slack
    | \b [rs]k_ (?: live | test ) _ [0-9A-Za-z]{10,}  # Stripe
    | \b sk- (?: proj- | ant- )? [\w-]{20,}         # OpenAI, Anthropic
    | \b hf_ [A-Za-z]{30,}                          # Hugging Face
    | \b key- [0-9a-f]{32} \b                       # Mailgun
    | \b (?: SK | AC ) [0-9a-f]{32} \b              # Twilio
    | \b SG\. [\w-]{16,} \. [\w-]{16,}              # SendGrid
    | \b eyJ [\w-]{10,} \. [\w-]{10,} \. [\w-]{5,}  # JSON Web Token
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----
    | \b (?= [A-Z-]*\d ) (?: [0-9A-Z]{5}- ){4} [0-9A-Z]{5} \b  # product keys
    """,
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(
    r"(.)\1{3}|(\w{5})-.*\2|1234|ABCDE|EXAMPLE|YOUR", re.IGNORECASE
)
_DECLARED = re.compile(
    r"\b(composed|invented|placeholder|documents?|documentation|never issued)\b"
)


SEVERE_ON_SURGE_LIST = "Severe"
SEVERE_ON_OFCOM_LIST = 3
"""Of 0 to 4; garak's own detectors start at 2."""


class Problem(NamedTuple):
    """One rule that a row, file or folder breaks, and what to do about it."""

    rule: str
    problem: str
    remedy: str


def field_problems(record: Row, detector: str) -> Iterator[Problem]:
    """Check that a row has the fields of the shipped data, and no others."""
    for name in REQUIRED:
        value = record.get(name)
        if not isinstance(value, str) or not (value.strip() or name == "output"):
            missing = f"`{name}` is missing or no string"
            yield Problem("fields", missing, f"add `{name}` as a string")
    for name in sorted(set(record) - {*REQUIRED, *OPTIONAL}):
        yield Problem(
            "fields",
            f"`{name}` is no field of the shipped data",
            f"leave it out, or use one of {', '.join(OPTIONAL)}",
        )
    for name, pattern, example in (
        ("id", re.compile(re.escape(detector) + r"-\S+"), f"{detector}-001"),
        ("label", re.compile("hit|pass"), "hit or pass"),
        ("slice", _SLICE, "compliance_without_marker"),
        ("lang", _LANGUAGE, "en, pt-BR"),
        ("basis", re.compile("real|written|own_words"), "real, written or own_words"),
    ):
        value = record.get(name)
        if isinstance(value, str) and value and not pattern.fullmatch(value):
            odd = f"`{name}` is {value[:40]!r}"
            yield Problem("fields", odd, f"write it like {example}")
    expected = _basis_of(record, detector)
    if record.get("basis") in BASES and record["basis"] != expected:
        yield Problem(
            "fields",
            f"`basis` is {record['basis']}, expected {expected}",
            "a row with `model`, which `source` names too, is real; a hit with a"
            " slot of its own detector's list is own_words; others are written",
        )
    why = record.get("why", "typical")
    if not isinstance(why, str) or not why.strip() or len(why.splitlines()) > 1:
        yield Problem(
            "fields",
            "`why` is not one line",
            "say in one line how the row is to break the detector, or leave it"
            " out: a row without it is a typical one",
        )


def _basis_of(record: Row, detector: str) -> str:
    """What a row's other fields say of who said it."""
    slots = {found[1] for found in SLOT.finditer(str(record.get("output")))}
    if record.get("label") == "hit" and detector in slots:
        return "own_words"
    model = record.get("model")
    named = isinstance(model, str) and str(record.get("source")).startswith(model)
    return "real" if named else "written"


def rating_problems(row: Row) -> Iterator[Problem]:
    """A row has two labels; that its ``label`` is theirs is a rule of every row."""
    labels = row.get("annotations")
    if not isinstance(labels, Mapping) or set(labels) != {AUTHOR, SECOND}:
        yield Problem(
            "ratings",
            f"`annotations` does not have the labels of {AUTHOR} and {SECOND}",
            "let a second rater label it: `python -m tools.labelled_data blind`,"
            " then `annotate`",
        )
    elif (
        "why" in row
        and labels[AUTHOR] != row.get("label")
        and row.get("why_label") != row.get("label")
    ):
        yield Problem(
            "ratings",
            f"`why` argues for {labels[AUTHOR]}, the label of its author, and the"
            f" label is {row.get('label')}",
            "say why the row may mislead the detector with the label that it has,"
            " and name that label in `why_label`",
        )


def harm_problems(record: Row, innocent: frozenset[str]) -> Iterator[Problem]:
    """Check that no slur, profanity or undeclared key is in a row."""
    # the bytes of a file are judged by nobody and spell anything by chance
    texts = [text for name in record if name != "file" for text in _texts(record[name])]
    words = {found for text in texts for found in severe_words_in(text, innocent)}
    for word in sorted(words):
        yield Problem(
            "words in clear",
            f"{word[0]}{'*' * (len(word) - 1)} ({len(word)} characters) is a severe"
            " word of garak's lists",
            "name a slot such as {{unsafe_content.LDNOOBW}}, or add the innocent"
            " phrase around it to innocent_phrases.json with the reason",
        )
    if not _DECLARED.search(str(record.get("source"))):
        for key in sorted({key for text in texts for key in key_like(text)}):
            yield Problem(
                "keys",
                f"{key[:9]}... looks like a real key",
                "say in `source` how it was made, e.g. composed at random (seeded),"
                " never issued",
            )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


@lru_cache(maxsize=1)
def severe_words() -> frozenset[str]:
    """The words that garak's lists call severe, lower-case."""
    folder = garak_module("garak.data").path
    with open(folder / "profanity_en.csv", encoding="utf-8", newline="") as file:
        surge = {
            row["text"]
            for row in csv.DictReader(file)
            if row["severity_description"] == SEVERE_ON_SURGE_LIST
        }
    with open(folder / "ofcom-potentially-offensive.txt", encoding="utf-8") as file:
        ofcom = {
            term
            for _, term, strength in csv.reader(file, delimiter="\t")
            if int(strength) >= SEVERE_ON_OFCOM_LIST
        }
    return frozenset(word.strip().lower() for word in surge | ofcom) - {""}


def severe_words_in(text: str, innocent: frozenset[str]) -> list[str]:
    """Severe words that ``text`` has as words, outside slots and innocent phrases.

    Lower-case, in the text's order.
    """
    plain = SLOT.sub(" ", text)
    # a text without the first word of any phrase holds no phrase
    words = {"", *_WORD.findall(plain.translate(_ALSO_I).casefold())}
    if words.isdisjoint(_beginnings(severe_words())):
        return []
    excused = [match.span() for match in _any_of(innocent).finditer(plain)]
    return [
        match[0].lower()
        for match in _any_of(severe_words()).finditer(plain)
        if not any(
            low <= match.start() and match.end() <= high for low, high in excused
        )
    ]


@lru_cache(maxsize=8)
def _beginnings(phrases: frozenset[str]) -> frozenset[str]:
    found = (_WORD.search(phrase.casefold()) for phrase in phrases)
    return frozenset(match[0] if match else "" for match in found)


@lru_cache(maxsize=8)
def _any_of(phrases: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=lambda text: (-len(text), text))
    wanted = "|".join(map(re.escape, longest_first)) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{wanted})(?!\w)", re.IGNORECASE)


def key_like(text: str) -> list[str]:
    """Strings that a secret scanner would take for keys; placeholders are none."""
    return [
        match[0]
        for match in _KEYS.finditer(text)
        if match[0].startswith("-") or not _PLACEHOLDER.search(match[0])
    ]
