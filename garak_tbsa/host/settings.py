# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``reporting.tbsa`` in garak's configuration, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import UsageError
from garak_tbsa.gates.options import GATE_OPTIONS, GateOption, GateRules, rules_of
from garak_tbsa.outputs.registry import FORMATS
from garak_tbsa.statistics.repeat_prompts import REPEATS

OUTPUTS = tuple(form.name for form in FORMATS)
WHERE = "reporting.tbsa"
REPORT_ENDING = ".report.jsonl"
DEFAULT_TIME_LIMIT, LONGEST_TIME_LIMIT = 60.0, 86_400
SHOWN = 60
"""Characters of a wrong value that an error quotes."""


def _switch(name: str, default: bool, purpose: str) -> GateOption:
    return GateOption(name=name, default=default, kind=bool, purpose=purpose)


OWN = (
    _switch(
        "enabled", True, "score scans; `tbsa: false` is short for `enabled: false`"
    ),
    *(
        _switch(
            form.name,
            form.name == "json",
            f"write {form.purpose.partition(' (')[0]}: `<prefix>{form.ending}`",
        )
        for form in FORMATS
    ),
    _switch("evidence", True, "show hits in page, Markdown and SARIF"),
    GateOption(
        name="repeat",
        default=None,
        kind=str,
        choices=REPEATS,
        purpose="which prompts a repeat of the scan has; the same ones if the scan's"
        " seed is set and this is not, else fresh ones",
    ),
    GateOption(
        name="time_limit",
        default=DEFAULT_TIME_LIMIT,
        kind=float,
        low=1.0,
        high=LONGEST_TIME_LIMIT,
        purpose="seconds for all work after a scan; what is not done by then is given"
        " up",
    ),
)
SETTINGS = (*OWN, *GATE_OPTIONS)
KNOWN = tuple(option.name for option in SETTINGS)


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterScanSettings:
    """What to do after a scan.

    Attributes
    ----------
    enabled : bool
        Whether to score at all.
    outputs : tuple of str
        The names of the forms to write beside the report, of
        :data:`~garak_tbsa.outputs.registry.FORMATS`.
    evidence : bool
        Whether those that can show hits do.
    rules : GateRules
    repeat : str or None
        ``same-prompts`` or ``fresh-prompts``: which prompts a repeat has;
        None where nothing is said.
    time_limit : float
        Seconds after which the rest is given up, 1-86,400.
    """

    enabled: bool = True
    outputs: tuple[str, ...] = ("json",)
    evidence: bool = True
    rules: GateRules = field(default_factory=GateRules)
    repeat: str | None = None
    time_limit: float = DEFAULT_TIME_LIMIT


def output_paths(report: str, settings: AfterScanSettings) -> dict[str, str]:
    """Return the path of each output that the settings ask for, beside the report."""
    prefix = report.removesuffix(REPORT_ENDING)
    return {
        form.name: prefix + form.ending
        for form in FORMATS
        if form.name in settings.outputs
    }


def require_room(report: str, settings: AfterScanSettings) -> None:
    """Refuse outputs beside a report that would replace what is not ours.

    Raises
    ------
    UsageError
        Names the setting, the path, and what is there.
    """
    for form, path in output_paths(report, settings).items():
        require_replaceable(f"{WHERE}.{form}", path, form)


def read_settings(raw: object) -> AfterScanSettings:
    """Check the settings.

    Parameters
    ----------
    raw : object
        The mapping under ``reporting.tbsa``, or None; a bare true or false
        is short for ``enabled``.

    Raises
    ------
    UsageError
        An unknown setting or a value of the wrong type; names it.
    """
    if raw is None or isinstance(raw, bool):
        raw = {"enabled": raw}
    if not isinstance(raw, dict):
        raise UsageError(
            f"{WHERE}: expected settings such as fail_under: 3.5, found {_shown(raw)}"
        )
    for key in sorted(map(str, raw.keys() - set(KNOWN))):
        near = get_close_matches(key.lower().replace("-", "_")[:SHOWN], KNOWN, n=1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        expected = "" if near else f"; expected one of {', '.join(KNOWN)}"
        raise UsageError(f"{WHERE}.{_cut(key)}: not a setting{meant}{expected}")

    rules = rules_of(raw, f"{WHERE}.", _shown)
    found = {
        option.name: option.default
        if (value := raw.get(option.name)) is None
        else option.taken(f"{WHERE}.{option.name}", value, _shown)
        for option in OWN
    }
    outputs = tuple(name for name in OUTPUTS if found.pop(name))
    return AfterScanSettings(outputs=outputs, rules=rules, **found)


def _shown(value: object) -> str:
    # garak makes its mappings defaultdicts, whose text says nothing to a user
    if isinstance(value, dict):
        return "a mapping"
    try:
        return _cut(repr(value))
    except ValueError:
        return "a number of too many digits"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
