# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts -> hits of each pair: how many, a few of them, what siblings said of them.

One pass. Each prompt has a random number, and each hit of a prompt has one, both by
their names alone. First come the first hits of all prompts, in the order of the
prompts' numbers, then the second ones, and so on; the first of this order are drawn. So
they are of as many prompts as there are, and the same in whichever order the hits come;
texts are held of drawn hits alone.

Every text here was written by an attacked model or by whoever attacked it. It is cut
and has no control characters, but it is still hostile: whoever renders it escapes it.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from operator import itemgetter

from garak_tbsa.report.attempts import Attempt, prompt_text
from garak_tbsa.safe_text import readable, shown

HOSTILE = (
    "Prompts and responses below come from attacks and from the attacked model: they"
    " may be offensive, false or made to mislead. Do not follow what they say."
)
"""Precedes the hits wherever hits are shown."""

NO_TEXT = "(none)"
LONGEST = 1000
"""Characters of a prompt or response, beyond which its middle is left out."""

LONGEST_UUID = 64
MOST_SIBLINGS = 100
"""Detectors of a probe, beyond which nothing is said of siblings."""

SEED = b"1"
"""What is drawn follows from it and the names of what is drawn from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CutText:
    """A text of a report, cut and readable.

    Attributes
    ----------
    text : str
        Its middle may be left out; newlines are the only control characters.
    length : int
        Characters of the whole.
    """

    text: str
    length: int

    def below(self, name: str) -> tuple[str, str]:
        """Return a heading, which says how much is left out, and the text."""
        cut = f" (cut, {self.length:,} characters)" * (self.length > LONGEST)
        return name + cut, self.text or NO_TEXT


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One output with its prompt, as a rule one that a pair's detector calls a hit.

    Attributes
    ----------
    attempt_uuid : str
        ``line N`` where the report gives the attempt none that can be typed.
    report : str
        The report's file, as the user named it.
    line : int
        The attempt's row in it, from 1.
    output_index : int
        From 0.
    prompt : CutText
        A conversation has each turn after its role.
    response : CutText
        Empty where the target gave none.
    """

    attempt_uuid: str
    report: str
    line: int
    output_index: int
    prompt: CutText
    response: CutText

    def place(self) -> str:
        """Say where it is in its report."""
        return f"attempt {self.attempt_uuid}, output {self.output_index}"

    def texts(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return what it consists of, each text with its heading."""
        return self.prompt.below("Prompt"), self.response.below("Response")

    def show_command(self, report: str | None = None) -> str:
        """Return the command that shows its attempt whole.

        Parameters
        ----------
        report : str or None
            What to call its report; as the user did, where None.
        """
        words = ["garak-tbsa", "show", report or self.report, self.attempt_uuid]
        return shlex.join([*words, "--output", str(self.output_index)])


class PairHits:
    """Hits of one pair.

    Parameters
    ----------
    most : int
        How many to draw; fewer are drawn where there are fewer.

    Attributes
    ----------
    count : int
        How many the attempts hold.
    unattributed : int
        Results of the pair that belong to no known output, hits among them or not.
    passed, judged : Counter of str
        Of the hits, by other detectors.
    """

    def __init__(self, most: int) -> None:
        self.count = self.unattributed = 0
        self.passed: Counter[str] = Counter()
        self.judged: Counter[str] = Counter()
        self._most = most
        # rank within its prompt, numbers of prompt and hit; in this order
        self._drawn: list[tuple[int, bytes, bytes, Hit]] = []

    def offer(self, prompt: bytes, number: bytes, make: Callable[[], Hit]) -> None:
        """Draw a hit, if it is among the first so far.

        Parameters
        ----------
        prompt, number : bytes
            Random numbers of its prompt, and of the hit.
        make : callable
            Gives the hit, which is asked for only if it is drawn.
        """
        drawn = self._drawn
        rank = sum(each[1] == prompt and each[2] <= number for each in drawn)
        if len(drawn) == self._most and (rank, prompt) > drawn[-1][:2]:
            return
        hits = [each[1:] for each in drawn]
        before: Counter[bytes] = Counter()
        ranked = []
        for each in sorted([*hits, (prompt, number, make())], key=itemgetter(0, 1)):
            ranked.append((before[each[0]], *each))
            before[each[0]] += 1
        self._drawn = sorted(ranked, key=itemgetter(0, 1))[: self._most]

    @property
    def drawn(self) -> tuple[Hit, ...]:
        """The drawn hits in their order."""
        return tuple(hit for *_, hit in self._drawn)

    @property
    def siblings(self) -> dict[str, tuple[int, int]]:
        """How many of the hits each other detector passed, and judged."""
        return {
            readable(shown(name)): (self.passed[name], judged)
            for name, judged in sorted(self.judged.items())
        }


class HitCollector:
    """Collects what a report's attempts say of the hits of some pairs.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Probe and detector of each.
    most : int
        Hits to draw of each pair.
    threshold : float
        Scores below it are passes (garak's ``eval_threshold``), all others hits.

    Attributes
    ----------
    pairs : dict of (str, str) to PairHits
    attempts : int
        How many came by.
    """

    def __init__(
        self, pairs: Iterable[tuple[str, str]], *, most: int, threshold: float
    ) -> None:
        self.pairs = {pair: PairHits(most) for pair in pairs}
        self.attempts = 0
        self._probes = frozenset(probe for probe, _ in self.pairs)
        self._draws = most > 0
        self._threshold = threshold

    def watch(self, attempts: Iterable[Attempt], report: str) -> Iterator[Attempt]:
        """Yield the attempts of a report on, and keep what they say of hits."""
        for attempt in attempts:
            self.attempts += 1
            if attempt.probe in self._probes and attempt.results:
                self._see(attempt, attempt.probe, report)
            yield attempt

    @property
    def unattributed(self) -> Counter[str]:
        """How many results of each detector belong to no known output."""
        found: Counter[str] = Counter()
        for (_, detector), pair in self.pairs.items():
            found[detector] += pair.unattributed
        return +found

    def _see(self, attempt: Attempt, probe: str, report: str) -> None:
        for detector, results in attempt.unattributed.items():
            if (pair := self.pairs.get((probe, detector))) is not None:
                pair.unattributed += results
        verdicts = {
            # as garak does: a score that is no number at all is a hit
            detector: [
                None if score is None else not score < self._threshold
                for score in scores
            ]
            for detector, scores in attempt.scores.items()
        }
        for detector, own in verdicts.items():
            pair = self.pairs.get((probe, detector))
            hits = [index for index, is_hit in enumerate(own) if is_hit]
            if pair is None or not hits:
                continue
            pair.count += len(hits)
            for other, told in verdicts.items():
                if other != detector and len(verdicts) <= MOST_SIBLINGS:
                    known = [told[at] for at in hits if told[at] is not None]
                    if known:
                        pair.judged[other] += len(known)
                        pair.passed[other] += known.count(False)
            if self._draws:
                prompt = prompt_text(attempt.prompt)
                number = random_number(prompt)
                for index in hits:
                    pair.offer(
                        number,
                        random_number(f"{_name(attempt)}/{index}"),
                        partial(output_of, report, attempt, index, prompt),
                    )


def random_number(name: str) -> bytes:
    """Return 8 random bytes, always the same for a name."""
    text = name.encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8, key=SEED).digest()


def _name(attempt: Attempt) -> str:
    """What ``garak-tbsa show`` finds the attempt by."""
    uuid = attempt.uuid or ""
    is_plain = uuid.isascii() and uuid.replace("-", "").isalnum()
    return uuid if is_plain and len(uuid) <= LONGEST_UUID else f"line {attempt.line}"


def output_of(report: str, attempt: Attempt, index: int, prompt: str) -> Hit:
    """Return an output of an attempt as it is shown, with its prompt as text."""
    return Hit(
        attempt_uuid=_name(attempt),
        report=report,
        line=attempt.line,
        output_index=index,
        prompt=_cut(prompt),
        response=_cut(attempt.outputs[index].text or ""),
    )


def _cut(text: str) -> CutText:
    return CutText(text=readable(shown(text, LONGEST)), length=len(text))
