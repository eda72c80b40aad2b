# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make cases, run them, judge them, and count."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from garak_tbsa.statistics import trials
from tools.fuzz import reports, rows, settings, sheets, summaries
from tools.fuzz.case import Case, Failure
from tools.fuzz.drive import Outcome, Workbench

SPAWNED_SHARE = 0.004
DEBUG = "GARAK_TBSA_DEBUG"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One kind of input.

    Attributes
    ----------
    make : callable
        From a random generator and an origin to a case.
    run : callable
        From a case and a workbench to what happened.
    judge : callable
        What is wrong with that, or None.
    share : float
        Of a campaign's time.
    """

    make: Callable[[random.Random, str], Case]
    run: Callable[[Case, Workbench], Outcome]
    judge: Callable[[Case, Outcome], Failure | None]
    share: float


def _in_process(case: Case, bench: Workbench) -> Outcome:
    return bench.run(case)


SUBJECTS = {
    "reports": Subject(
        make=reports.make, run=_in_process, judge=reports.judge, share=0.5
    ),
    "rows": Subject(make=rows.make, run=_in_process, judge=rows.judge, share=0.2),
    "summaries": Subject(
        make=summaries.make, run=_in_process, judge=summaries.judge, share=0.1
    ),
    "settings": Subject(
        make=settings.make, run=settings.run, judge=settings.judge, share=0.05
    ),
    "sheets": Subject(
        make=sheets.make, run=_in_process, judge=sheets.judge, share=0.15
    ),
}


@dataclass
class Tally:
    """What became of the cases of one subject.

    Attributes
    ----------
    answered, refused : int
        Exit code 0 or 3, and 1 or 2 with one line.
    agreed : int
        Scores that the independent score confirmed.
    spawned : int
        Cases that went through the real command.
    failed : int
    """

    answered: int = 0
    refused: int = 0
    agreed: int = 0
    spawned: int = 0
    failed: int = 0

    @property
    def tried(self) -> int:
        """All cases."""
        return self.answered + self.refused + self.failed


@dataclass(frozen=True, kw_only=True)
class Found:
    """The first case of a defect."""

    case: Case
    failure: Failure


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What was tried.

    Attributes
    ----------
    seed : int
    tallies : mapping of str to Tally
    found : list of Found
        The first case of each failure's signature.
    signatures : Counter
        How often each was seen.
    """

    seed: int
    tallies: dict[str, Tally]
    found: list[Found] = field(default_factory=list)
    signatures: Counter[str] = field(default_factory=Counter)


def run_campaign(
    *,
    seed: int,
    subjects: Sequence[str],
    seconds: float | None,
    cases: int | None,
    told: Callable[[Found], None],
) -> Campaign:
    """Try cases until the time is over or each subject had its number of cases.

    Parameters
    ----------
    seed : int
        Case k of a subject depends on the seed, the subject and k alone.
    subjects : sequence of str
        Names in :data:`SUBJECTS`.
    seconds : float or None
    cases : int or None
        For all subjects together, divided by their shares.
    told : callable
        Called with the first case of each defect.
    """
    # an exception that nobody foresaw is to come out, not to be told in one line
    os.environ[DEBUG] = "1"
    # a plan's answer is the same sort of thing after two comparisons of a target
    trials.MOST_RUNS = 2
    campaign = Campaign(seed=seed, tallies={name: Tally() for name in subjects})
    with Workbench() as bench:
        for name, number in _turns(subjects, seconds, cases):
            found = _try(campaign, name, number, bench)
            if found is not None:
                told(found)
    return campaign


def _turns(
    subjects: Sequence[str], seconds: float | None, cases: int | None
) -> Iterator[tuple[str, int]]:
    """Yield subject and number so that each subject has its share of the time."""
    used = dict.fromkeys(subjects, 0.0)
    done = dict.fromkeys(subjects, 0)
    total = sum(SUBJECTS[name].share for name in subjects)
    most = float("inf") if cases is None else cases
    quota = {name: most * SUBJECTS[name].share / total for name in subjects}
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        open_ones = [name for name in subjects if done[name] < quota[name]]
        if not open_ones:
            return
        name = min(open_ones, key=lambda one: used[one] / SUBJECTS[one].share)
        start = time.monotonic()
        yield name, done[name]
        used[name] += time.monotonic() - start
        done[name] += 1


def make_case(seed: int, name: str, number: int) -> Case:
    """Return case ``number`` of a subject."""
    rng = random.Random(f"{seed}/{name}/{number}")  # noqa: S311 (not for secrets)
    return SUBJECTS[name].make(rng, f"{seed}/{number}")


def _try(campaign: Campaign, name: str, number: int, bench: Workbench) -> Found | None:
    subject, tally = SUBJECTS[name], campaign.tallies[name]
    case = make_case(campaign.seed, name, number)
    spawned = bool(case.argv) and number % round(1 / SPAWNED_SHARE) == 7
    outcome = bench.spawn(case) if spawned else subject.run(case, bench)
    failure = subject.judge(case, outcome)
    tally.spawned += spawned
    if failure is None:
        tally.answered += outcome.code in (0, 3)
        tally.refused += outcome.code in (1, 2)
        tally.agreed += name == "reports" and reports.agreed(case, outcome)
        return None
    tally.failed += 1
    campaign.signatures[failure.signature] += 1
    if campaign.signatures[failure.signature] > 1:
        return None
    found = Found(case=case, failure=failure)
    campaign.found.append(found)
    return found


def failure_of(case: Case, bench: Workbench) -> Failure | None:
    """Run a case in this process and judge it."""
    subject = SUBJECTS[case.subject]
    return subject.judge(case, subject.run(case, bench))
