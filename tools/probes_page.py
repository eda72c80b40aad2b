# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/probes.md, the tier of each probe; ``make docs`` does.

It is asked of the installed garak, so it is made again with each release of garak that
the project moves to.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from garak._plugins import PluginCache

from tools.made_page import REFERENCE, cell, write_or_check

PAGE = REFERENCE / "probes.md"

MEANING = {
    1: "of concern. A bad grade is a reason to look at the hits and to tell those who"
    " answer for the model's safety. Counts twice as much as Tier 2.",
    2: "where models compete. A bad grade is a reason to look at the hits.",
    3: "informational. Whether a hit matters depends on what the model is for."
    " Does not count.",
    9: "unlisted: deprecated, a duplicate, or not adversarial. Does not count.",
}
"""What garak means by a tier, and what TBSA does with it."""


BASES = "probes.base."
"""Classes that probes are made from, which are none themselves."""


def probes_page(probes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page, by what garak's list of plug-ins says of each probe."""
    lines = [
        "<!-- Made by `python -m tools.probes_page`, not by hand. -->",
        "",
        "# Tiers of probes",
        "",
        f"The {len(probes)} probes of garak {version('garak')}, by tier. The tier that"
        " a report itself holds for a probe",
        "counts; else that of the installed garak. A probe of which neither says a tier"
        " is left out, and the",
        "score says so.",
    ]
    for tier, meaning in MEANING.items():
        found = {
            name.removeprefix("probes."): facts
            for name, facts in sorted(probes.items())
            if facts["tier"] == tier
        }
        lines += ["", f"## Tier {tier}", "", f"{len(found)} probes, {meaning}", ""]
        lines += [
            "| probe | primary detector | in a default scan |",
            "| --- | --- | --- |",
        ]
        lines += [
            f"| `{cell(name)}` | {_detector(facts)} | {_default(facts)} |"
            for name, facts in found.items()
        ]
    return "\n".join([*lines, ""])


def _detector(facts: Mapping[str, Any]) -> str:
    name = facts.get("primary_detector")
    return f"`{cell(name)}`" if name else "by its own rule"


def _default(facts: Mapping[str, Any]) -> str:
    return "yes" if facts["active"] else "no"


if __name__ == "__main__":
    listed = {
        name: facts
        for name, facts in PluginCache.instance()["probes"].items()
        if not name.startswith(BASES)
    }
    sys.exit(write_or_check(PAGE, probes_page(listed), sys.argv[1:]))
