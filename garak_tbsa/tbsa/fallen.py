# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a pair that fell between two scans; ``evidence.fallen`` collects them.

They are as hostile as all others: see ``hits``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from garak_tbsa.hits import Hit
from garak_tbsa.unavailable import Unavailable


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedOutput:
    """One output to a prompt, and how many of that scan's were judged as it was.

    Attributes
    ----------
    output : Hit
        A hit or a pass.
    is_hit : bool
    alike, judged : int
        Outputs of the scan to this prompt with that verdict, and with any.
    """

    output: Hit
    is_hit: bool
    alike: int
    judged: int

    @property
    def verdict(self) -> str:
        """``hit, as 3 of 5 outputs``; of a single output its verdict alone."""
        others = f", as {self.alike} of {self.judged} outputs" * (self.judged > 1)
        return ("hit" if self.is_hit else "pass") + others


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedOutputs:
    """One prompt with an output of each scan.

    Attributes
    ----------
    before : JudgedOutput or Unavailable
        A pass where there is one.
    after : JudgedOutput
        A hit.
    """

    before: JudgedOutput | Unavailable
    after: JudgedOutput

    @property
    def title(self) -> str:
        """What follows, and why there is no output before."""
        if isinstance(self.before, Unavailable):
            return f"From the second scan alone: {self.before.reason}"
        return "The same prompt before and after"

    def texts(self) -> list[tuple[str, str]]:
        """Return what it consists of, each text with its heading."""
        return [
            self.after.output.prompt.below("Prompt"),
            *(
                own.output.response.below(f"{scan}: {own.verdict}")
                for scan, own in (("Before", self.before), ("After", self.after))
                if isinstance(own, JudgedOutput)
            ),
        ]

    def show_commands(self) -> list[str]:
        """Return the commands that show its attempts whole."""
        both = (self.before, self.after)
        return [e.output.show_command() for e in both if isinstance(e, JudgedOutput)]


FallenOutputs: TypeAlias = Mapping[str, "tuple[ComparedOutputs, ...] | Unavailable"]
"""By name of the pair: prompts first of which most outputs turned into hits."""
