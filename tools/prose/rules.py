# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is refused in our prose, and what to write instead, as checks of proselint."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proselint import checks
from proselint.registry.checks import Check, CheckFlags, CheckResult
from proselint.registry.checks.engine import Fancy

MOST_WORDS = 40
"""Of a sentence; more of them, and its beginning is forgotten at its end."""

PROSELINT: tuple[Check, ...] = checks.__register__
"""All checks that proselint has."""

LEFT_OUT = {
    "annotations": "a page may name a marker such as TODO",
    "dates_times.am_pm": "it takes '1 among' for an hour",
    "misc.phrasal_adjectives": "it takes any word in -ly for an adverb",
    "psychology.p_equals_zero": "it takes p = 0.003 for p = 0.00",
    "redundancy.ras_syndrome": "a JSONL line is not redundant",
    "restricted": "off by default: the thousand commonest words alone",
    "typography": "quotes and ellipses are those that garak and commands print",
    "weasel_words.very": "ours says what to do about it",
}
"""Checks of proselint that are not ours, and why."""

INSTEAD = {
    r"mend(?:ed|s|ing)?": "fix, correct or repair",
    r"anew": "again",
    r"seldom(?:er)?": "rarely",
    r"whom": "who or that; or turn the sentence round",
    r"(?:there|here|where)(?:of|by|in|upon|from|to)": "of it, by it, in it",
    r"(?:stand|stands|stood|standing)(?! (?:out|between)\b)": "is, means or holds",
    r"laws?(?! of succession)": "distribution; rule where it is one",
    r"save for|save that|but for": "except",
    r"lest": "so that ... not",
    r"upon": "on",
    r"amongst": "among",
    r"whilst": "while",
    r"hence": "so, therefore",
    r"thus": "so",
    r"nought|naught": "nothing, 0",
    r"bespeaks?|betokens?|beget\w*": "means, causes",
    r"very|quite|rather(?! than)": "a number, or nothing",
    r"simply|obviously|clearly|of course|basically": "nothing: leave it out",
    r"utili[sz]\w+": "use",
    r"in order to": "to",
    r"leverag\w+": "use",
}
"""Words that make a reader stop, as patterns, each with what to write instead."""

BRITISH = {
    r"label(ed|ing)": "labelled, labelling",
    r"(?:behavior|color|favor|honor|neighbor)\w*": "-our-",
    r"(?:center)(?:s|ed)?": "centre",
    r"(?:analyz|categoriz|customiz|generaliz|initializ|maximiz|minimiz|normaliz)\w*": (
        "-ise, -yse"
    ),
    r"(?:optimiz|organiz|parametriz|randomiz|recogniz|serializ|standardiz)\w*": "-ise",
    r"(?:summariz|visualiz)\w*": "-ise",
    r"(?:cancel|model|travel|signal)(?:ed|ing)": "-lled, -lling",
    r"gray": "grey",
    r"judgments?": "judgement",
    r"catalogs?": "catalogue",
}
"""American spellings; the project spells as the British do."""


def _refuse(path: str, pattern: str, message: str) -> Check:
    compiled = re.compile(rf"(?<![\w'-])(?:{pattern})(?![\w'-]|\.\w)", re.IGNORECASE)

    def found(text: str, check: Check) -> Iterator[CheckResult]:
        for match in compiled.finditer(text):
            yield CheckResult(
                check_path=check.path,
                message=message.format(word=match[0]),
                span=match.span(),
                replacements=None,
            )

    return Check(
        check_type=found,
        path=path,
        engine=Fancy(),
        flags=CheckFlags(allow_quotes=True),
    )


OURS = (
    *(
        _refuse("ours.words", word, f"'{{word}}': write {instead}")
        for word, instead in INSTEAD.items()
    ),
    *(
        _refuse("ours.british", word, f"'{{word}}': we spell it {instead}")
        for word, instead in BRITISH.items()
    ),
)


def chosen() -> tuple[Check, ...]:
    """The checks that our prose has to pass: proselint's, less some, and ours."""
    theirs = (
        check
        for check in PROSELINT
        if not any(check.matches_partial(path) for path in LEFT_OUT)
    )
    return (*theirs, *OURS)
