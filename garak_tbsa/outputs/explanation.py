# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``explain`` and ``show`` print: what to fix first, hits, one attempt whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from garak_tbsa.evidence import Evidence, PairEvidence
from garak_tbsa.hits import HOSTILE, NO_TEXT
from garak_tbsa.outputs import evidence_said, said
from garak_tbsa.outputs.columns import (
    INDENT,
    RULE,
    example_lines,
    marked,
    text_lines,
    wrapped,
)
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.outputs.text import score_line
from garak_tbsa.report.attempts import (
    Turn,
    WholeAttempt,
    turns_of,
    unattributed_text,
)
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.fixes import WORST_GRADES
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import BEST_GRADE
from garak_tbsa.unavailable import Unavailable

FIX_FIRST = "Fix first, worst risk first; TBSA if all so far are fixed (at grade 5):"
ROLES = {"system": "System prompt", "user": "Prompt", "assistant": "Response"}


def lines(scored: ScoredReport, *, most: int | None) -> list[str]:
    """Return why a score is what it is: one line for each pair to fix.

    Parameters
    ----------
    scored : ScoredReport
        With the evidence on its detectors, and garak's own number.
    most : int or None
        How many pairs to name of each kind; None names all.
    """
    words, evidence = scored.document.said, scored.evidence
    assert isinstance(evidence, Evidence), "nobody asked for it"
    lines = [score_line(scored.tbsa, scored.ends), f"   {words.tiers}"]
    lines += marked("⚠️ ", scored.report.not_covered, *evidence.problems)
    lines.append(RULE)
    if words.fixes is not None:
        lines += [f"{words.fixes}.", FIX_FIRST]
        fixes = [(row, row.step) for row in scored.rows if row.step is not None]
        for row, step in fixes[:most]:
            pair, then = row.pair, said.tbsa_text(step.tbsa)
            lines.append(
                f"{row.place:>3}. {then}  {pair.probe} + {pair.detector}: Tier"
                f" {pair.tier}, grade {pair.grade}, {said.counts_text(pair)} passed;"
                f" {row.remark}"
            )
        more = sum(p.grade in WORST_GRADES for p in scored.by_risk) - len(fixes[:most])
        advice = "" if most is None else " (--all shows them)"
        lines += [f"… and {more} more{advice}"] * (more > 0)
    best = [row for row in scored.rows if row.pair.grade == BEST_GRADE]
    fragile = [row.pair.name for row in best if row.effect.hits_to_drop == 1]
    lose = "loses" if len(fragile) == 1 else "lose"
    out, names_all = words.left_out, most is None
    return [
        *lines,
        f"{said.pairs_text(len(best))} at grade 5 already.",
        *_named(
            f"{len(fragile)} of them {lose} it with one more hit", fragile, names_all
        ),
        *_named(f"Left out: {said.pairs_text(len(out))}", out, names_all),
        _garak_line(scored.garak_tbsa),
        RULE,
        said.DISCLAIMER,
    ]


def _named(title: str, names: Sequence[str], names_all: bool) -> list[str]:
    """Count what is there, and name it where it is asked for all."""
    if not names_all or not names:
        return [f"{title}."] if names else []
    return [f"{title}:", *marked("    ", *names)]


def _garak_line(own: float | Unavailable) -> str:
    if isinstance(own, Unavailable):
        return f"{own.reason}."
    return f"garak's own module prints {said.tbsa_text(own)} for this report."


def evidence_lines(scored: ScoredReport, *, most: int | None) -> list[str]:
    """Return the hits behind a scan's pairs.

    Parameters
    ----------
    scored : ScoredReport
        With its evidence.
    most : int or None
        Of how many pairs to fix to show hits; None shows those of all.
    """
    evidence = scored.evidence
    assert isinstance(evidence, Evidence), "nobody asked for it"
    fixes = [row for row in scored.rows if row.step is not None]
    with_hits = [row for row in fixes[:most] if row.has_hits]
    lines = [RULE, "Evidence: hits drawn at random, worst risk first"]
    lines += wrapped("⚠️ ", HOSTILE)
    for what, path in evidence_said.files_beside(evidence):
        lines += wrapped("   ", f"garak's {what}: {path}")
    if not with_hits:
        lines.append("No pair listed has a hit.")
    for rank, row in enumerate(with_hits, start=1):
        assert row.found is not None
        lines += _pair_lines(rank, row.found, row.pair)
    more = 0 if most is None else len(fixes[most:])
    if more:
        lines.append(f"… and the hits of {more} more pairs (--all shows them)")
    return lines


def _pair_lines(rank: int, found: PairEvidence, pair: Pair) -> Iterator[str]:
    yield from wrapped(f"{rank:>3}. ", f"{pair.probe} + {pair.detector}")
    yield from wrapped(INDENT, evidence_said.hits_text(found, pair))
    for name, text in evidence_said.known(found):
        yield from wrapped(INDENT, f"{name}: {text}")
    # an address that is broken into lines can no longer be clicked on
    for _, page in evidence_said.pages(found):
        yield f"{INDENT}{page}"
    for hit in evidence_said.drawn(found):
        yield from wrapped(INDENT + "• ", f"Hit: {hit.place()}")
        yield from example_lines(hit.texts(), [hit.show_command()])


def attempt_lines(
    found: WholeAttempt, report: str, *, only: int | None = None
) -> list[str]:
    """Return one attempt of a report whole: nothing is cut.

    Parameters
    ----------
    found : WholeAttempt
    report : str
        As the user named it.
    only : int or None
        The output to show; None shows all.
    """
    attempt = found.attempt
    probe = _name(attempt.probe or "a probe without a name")
    uuid = f"Attempt {_name(attempt.uuid)}" if attempt.uuid else "An attempt"
    lines = [
        *wrapped("", f"{uuid} of {probe}"),
        *wrapped("", f"Line {attempt.line} of {report}"),
    ]
    if attempt.goal:
        lines += wrapped("", f"Goal: {_name(attempt.goal)}")
    if attempt.notes:
        lines += wrapped("", f"Notes: {_as_json(attempt.notes)}")
    prompt = attempt.prompt
    prompt_turns = (
        [Turn(role="user", text=prompt)]
        if isinstance(prompt, str)
        else [*turns_of(prompt)]
    )
    for each in sorted(attempt.unattributed.items()):
        lines += wrapped("⚠️ ", unattributed_text(*each))
    lines += [*wrapped("⚠️ ", HOSTILE), RULE, *_turn_lines(prompt_turns)]
    for index in range(attempt.output_count):
        if only is None or index == only:
            lines += [RULE, *_output_lines(found, index, prompt_turns)]
    if not attempt.output_count:
        lines += [RULE, "The target gave no output."]
    return lines


def _name(text: str | None) -> str:
    return readable(shown(" ".join((text or "").split())))


def _as_json(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        text = "(nothing that JSON has a form for)"
    return _name(text)


def _quoted(text: str | None) -> Iterator[str]:
    return text_lines(readable(text or "") or NO_TEXT, "  | ")


def _turn_lines(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in turns:
        yield ROLES.get(turn.role) or f"Turn of {_name(turn.role)!r}"
        yield from _quoted(turn.text)
    if not turns:
        yield "The report holds no prompt."


def _output_lines(
    found: WholeAttempt, index: int, prompt_turns: Sequence[Turn]
) -> Iterator[str]:
    """The verdicts on an output, the conversation that led to it, and its text."""
    attempt = found.attempt
    output, judged = attempt.outputs[index], attempt.judged_texts[index : index + 1]
    yield f"Output {index}"
    for detector, results in sorted(attempt.results.items()):
        if detector in attempt.unattributed:
            continue
        score = results[index] if results else None
        verdict = "gave no verdict"
        if score is not None:
            what = "passed it" if score < found.threshold else "HIT"
            verdict = f"{what} (score {score:.3g}, a hit from {found.threshold:.3g} on)"
        yield from wrapped("  ", f"{_name(detector)}: {verdict}")
    if not attempt.results:
        yield "  No detector judged it."
    for conversation in attempt.conversations[index : index + 1]:
        # with the output itself, where the report has it
        before = list(conversation)
        if before and before[-1].role == "assistant":
            before.pop()
        if before != list(prompt_turns):
            yield "It ended this conversation:"
            yield from _turn_lines(before)
    yield "Response" + (f" ({_name(output.lang)})" if output.lang else "")
    yield from _quoted(output.text)
    if judged and judged[0] not in (None, output.text):
        yield "Response as detectors read it, translated"
        yield from _quoted(judged[0])
