# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/settings.md from what the code reads; ``make docs`` does."""

from __future__ import annotations

import sys

from garak_tbsa.host.settings import KNOWN, LONGEST_TIME_LIMIT, read_settings
from garak_tbsa.outputs.registry import FORMATS
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.tbsa.gate_options import GATE_OPTIONS
from garak_tbsa.tbsa.score import FORMULAS
from tools.made_page import REFERENCE, cell, refilled, write_or_check

PAGE = REFERENCE / "settings.md"

OTHERS = {
    "enabled": (
        "true or false",
        "score scans; `tbsa: false` is short for `enabled: false`",
    ),
    "evidence": ("true or false", "show hits in page, Markdown and SARIF"),
    "repeat": (
        " or ".join(f"`{name}`" for name in REPEATS),
        "which prompts a repeat of the scan has; the same ones if the scan's seed is"
        " set and this is not, else fresh ones",
    ),
    "formula": (
        " or ".join(f"`{name}`" for name in FORMULAS),
        "the documented score, or the number of garak's own module",
    ),
    "time_limit": (
        f"seconds, 1 to {LONGEST_TIME_LIMIT}",
        "time for all work after a scan; what is not done by then is given up",
    ),
}
"""What each setting takes and does that is no gate option and no output."""

HEADER = (
    "| setting | values | default | what it does | option of `score` |",
    "| --- | --- | --- | --- | --- |",
)
UNSET = {"formula": "`documented`", "repeat": "none"}
"""What holds where nothing is said, if the settings themselves leave it open."""


def page() -> str:
    """Return the page by the settings of today."""
    return refilled(PAGE, settings="\n".join([*HEADER, *map(_row, KNOWN)]))


def _row(name: str) -> str:
    takes, purpose, option = _facts(name)
    return (
        f"| `{name}` | {cell(takes)} | {_default(name)} | {cell(purpose)} | {option} |"
    )


def _facts(name: str) -> tuple[str, str, str]:
    for form in FORMATS:
        if form.name == name:
            purpose = (
                f"write {form.purpose.partition(' (')[0]}: `<prefix>{form.ending}`"
            )
            return "true or false", purpose, f"`{form.options[0]}`"
    for option in GATE_OPTIONS:
        if option.name == name:
            needs = " or ".join(f"`{each}`" for each in option.needs)
            purpose = option.purpose + (f"; only with {needs}" if needs else "")
            return option.expected, purpose, f"`{option.flag}`"
    takes, purpose = OTHERS[name]
    flags = {"evidence": "`--no-evidence`", "repeat": "`--repeat`"}
    return takes, purpose, flags.get(name, "`--formula`" if name == "formula" else "")


def _default(name: str) -> str:
    settings = read_settings({})
    if name in {form.name for form in FORMATS}:
        return f"`{str(name in settings.outputs).lower()}`"
    if name in UNSET:
        return UNSET[name]
    for option in GATE_OPTIONS:
        if option.name == name:
            return _in_yaml(option.default)
    return _in_yaml(getattr(settings, name))


def _in_yaml(value: bool | float | None) -> str:
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else f'{value:g}'}`"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
