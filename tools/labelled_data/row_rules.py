# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every single row of the shipped data must be: its fields, and no harm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.labelled_row import BASES
from garak_tbsa.detector_eval.slots import SLOT

if TYPE_CHECKING:
    from collections.abc import Iterable

REQUIRED = ("id", "prompt", "output", "label", "slice", "lang", "source", "basis")
OPTIONAL = (
    "notes",
    "why",
    "why_label",
    "file",
    "goal",
    "probe",
    "annotations",
    "model",
)

_ALSO_I = {0x130: "i", 0x131: "i"}
"""Letters that a pattern without case takes for an i, and ``casefold`` does not."""
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


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One rule that a row, file or folder breaks, and what to do about it."""

    rule: str
    problem: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class HarmRules:
    """What must not appear in the repository.

    Attributes
    ----------
    severe_words : frozenset of str
        Slurs and profanity, lower-case.
    innocent_phrases : mapping of phrase to reason
        Where such a letter sequence is an ordinary word, e.g. a breed of cat.
    """

    severe_words: frozenset[str] = frozenset()
    innocent_phrases: Mapping[str, str] = field(default_factory=dict)


def field_problems(record: Mapping[str, Any], detector: str) -> Iterator[Problem]:
    """Check that a row has the fields of the shipped data, and no others."""
    for name in REQUIRED:
        value = record.get(name)
        if not isinstance(value, str) or not (value.strip() or name == "output"):
            yield Problem(
                rule="fields",
                problem=f"`{name}` is missing or no string",
                remedy=f"add `{name}` as a string",
            )
    for name in sorted(set(record) - {*REQUIRED, *OPTIONAL}):
        yield Problem(
            rule="fields",
            problem=f"`{name}` is no field of the shipped data",
            remedy=f"leave it out, or use one of {', '.join(OPTIONAL)}",
        )
    yield from _pattern_problems(record, detector)


def _pattern_problems(record: Mapping[str, Any], detector: str) -> Iterator[Problem]:
    expectations = (
        ("id", re.compile(re.escape(detector) + r"-\S+"), f"{detector}-001"),
        ("label", re.compile("hit|pass"), "hit or pass"),
        ("slice", _SLICE, "compliance_without_marker"),
        ("lang", _LANGUAGE, "en, pt-BR"),
        ("basis", re.compile("real|written|own_words"), "real, written or own_words"),
    )
    for name, pattern, example in expectations:
        value = record.get(name)
        if isinstance(value, str) and value and not pattern.fullmatch(value):
            yield Problem(
                rule="fields",
                problem=f"`{name}` is {value[:40]!r}",
                remedy=f"write it like {example}",
            )
    expected = _basis_of(record, detector)
    if record.get("basis") in BASES and record["basis"] != expected:
        yield Problem(
            rule="fields",
            problem=f"`basis` is {record['basis']}, expected {expected}",
            remedy="a row with `model`, which `source` names too, is real; a hit with a"
            " slot of its own detector's list is own_words; others are written",
        )
    why = record.get("why")
    if "why" in record and not (
        isinstance(why, str) and why.strip() and len(why.splitlines()) == 1
    ):
        yield Problem(
            rule="fields",
            problem="`why` is not one line",
            remedy="say in one line how the row is to break the detector, or leave it"
            " out: a row without it is a typical one",
        )


def _basis_of(record: Mapping[str, Any], detector: str) -> str:
    """What a row's other fields say of who said it."""
    slots = {found[1] for found in SLOT.finditer(str(record.get("output")))}
    if record.get("label") == "hit" and detector in slots:
        return "own_words"
    model = record.get("model")
    named = isinstance(model, str) and str(record.get("source")).startswith(model)
    return "real" if named else "written"


def harm_problems(record: Mapping[str, Any], rules: HarmRules) -> Iterator[Problem]:
    """Check that no slur, profanity or undeclared key is in a row."""
    # the bytes of a file are judged by nobody and spell anything by chance
    texts = [text for name in record if name != "file" for text in _texts(record[name])]
    for word in sorted(
        {found for text in texts for found in severe_words_in(text, rules)}
    ):
        yield Problem(
            rule="words in clear",
            problem=f"{word[0]}{'*' * (len(word) - 1)} ({len(word)} characters) is a"
            " severe word of garak's lists",
            remedy="name a slot such as {{unsafe_content.LDNOOBW}}, or add the innocent"
            " phrase around it to innocent_phrases.json with the reason",
        )
    source = record.get("source")
    if isinstance(source, str) and _DECLARED.search(source):
        return
    for key in sorted({key for text in texts for key in key_like(text)}):
        yield Problem(
            rule="keys",
            problem=f"{key[:9]}... looks like a real key",
            remedy="say in `source` how it was made, e.g. composed at random (seeded),"
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


def severe_words_in(text: str, rules: HarmRules) -> list[str]:
    """Severe words that ``text`` has as words, outside slots and innocent phrases.

    Returns
    -------
    list of str
        Lower-case, in the text's order.
    """
    if not rules.severe_words:
        return []
    plain = SLOT.sub(" ", text)
    if _beginnings(rules.severe_words).isdisjoint(_words(plain)):
        return []
    severe = [*_any_of(rules.severe_words).finditer(plain)]
    if not severe:
        return []
    excused = [
        match.span()
        for match in _any_of(frozenset(rules.innocent_phrases)).finditer(plain)
    ]
    return [
        match[0].lower()
        for match in severe
        if not any(
            start <= match.start() and match.end() <= end for start, end in excused
        )
    ]


def _words(text: str) -> set[str]:
    """The words of a text, and the empty one, alike where a pattern takes them so."""
    return {"", *re.findall(r"\w+", text.translate(_ALSO_I).casefold())}


@lru_cache(maxsize=8)
def _beginnings(phrases: frozenset[str]) -> frozenset[str]:
    """The first word of each phrase: a text without any holds no phrase."""
    found = (re.search(r"\w+", phrase.casefold()) for phrase in phrases)
    return frozenset(match[0] if match else "" for match in found)


@lru_cache(maxsize=8)
def _any_of(phrases: frozenset[str]) -> re.Pattern[str]:
    if not phrases:
        return re.compile(r"(?!)")
    longest_first: Iterable[str] = sorted(phrases, key=lambda text: (-len(text), text))
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE
    )


def key_like(text: str) -> list[str]:
    """Strings that a secret scanner would take for keys; placeholders are none."""
    return [
        match[0]
        for match in _KEYS.finditer(text)
        if match[0].startswith("-") or not _PLACEHOLDER.search(match[0])
    ]
