# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa status``: whether scans are scored here, by what, and why not."""

from __future__ import annotations

import argparse
import os
import site
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import garak_tbsa
from garak_tbsa.cli.outputs import claim_outputs
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, UsageError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.installed import (
    NEWEST,
    OLDER,
    OLDEST,
    SUPPORTED,
    installation,
    origin_of,
)
from garak_tbsa.garak_api.scan import settings_in_files
from garak_tbsa.host.settings import read_settings
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.terminal import write_lines

SCHEMA_VERSION = 1
PTH = "garak_tbsa_register.pth"
SWITCH = "GARAK_TBSA"
REGISTER = "garak_tbsa.host._register"
SERVED = ("garak.analyze.tbsa", "garak.analyze.detector_eval")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say whether garak scans with this Python end with their score. The exit code"
        " is 0 if so, and 1 if not, with the reason."
    )
    parser.add_argument(
        *("-j", "--json", "--json_output"),
        dest="json",
        metavar="PATH",
        help="write the same as JSON",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; 0 where scans end with their score, 1 where not."""
    claim_outputs({"-j": options.json}, [])
    facts = status()
    write_lines(lines(facts))
    if options.json:
        write_whole(options.json, json_text(facts))
    return EXIT_DONE if facts["follows_scans"] else EXIT_COULD_NOT


def status() -> dict[str, Any]:
    """Look at this environment.

    Returns
    -------
    dict
        JSON-ready: ours, Python, each module of garak's that we answer for with the
        file that answers, garak, and whether a scan is followed by its score.
    """
    garak = installation()
    raw = settings_in_files() if garak["installed"] else None
    enabled, problem = True, None
    try:
        enabled = read_settings(raw).enabled
    except UsageError as error:
        problem = str(error)
    off = _why_off(enabled=enabled)
    package = Path(garak_tbsa.__file__).parent
    files = {module: origin_of(module) for module in SERVED}
    return {
        "schema_version": SCHEMA_VERSION,
        "follows_scans": off is None and garak["installed"],
        "hook": {"active": off is None, "off_because": off},
        "garak_tbsa": {"version": garak_tbsa.__version__, "folder": str(package)},
        "python": {
            "version": sys.version.split()[0],
            "executable": sys.executable,
        },
        "served": {
            module: {
                "file": file,
                "ours": bool(file and Path(file).parent == package / "host"),
            }
            for module, file in files.items()
        },
        "site_settings_problem": problem,
        "garak": garak,
    }


def _why_off(*, enabled: bool) -> str | None:
    # importing the module would register it
    register = sys.modules.get(REGISTER)
    if register is None or not any(
        isinstance(finder, register.Finder) for finder in sys.meta_path
    ):
        return _why_not_registered()
    if os.environ.get(SWITCH) == "0":
        return f"{SWITCH}=0 is set in the environment"
    if not enabled:
        return "reporting.tbsa.enabled is false in garak's site configuration"
    return None


def _why_not_registered() -> str:
    folder = Path(garak_tbsa.__file__).parent.parent
    if sys.flags.no_site:
        return "Python runs with -S, so it reads no .pth files"
    if not folder.is_dir():
        return f"the package is in an archive ({folder}), where .pth files are not read"
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    for place in (*site.getsitepackages(), *users):
        if os.path.isfile(os.path.join(place, PTH)):
            return (
                f"{PTH} in {place} failed; python -c 'import garak_tbsa.host._register'"
                " may show why"
            )
    if (folder / PTH).is_file():
        return (
            f"{folder} is not a site-packages folder of this Python, as with"
            " pip install --target, so its .pth files are not read"
        )
    return f"{PTH} is in no site-packages folder of this Python; pip install garak-tbsa"


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same in words, one line each."""
    garak, off = facts["garak"], facts["hook"]["off_because"]
    if off is None and not garak["installed"]:
        off = "there is no garak"
    yield "garak-tbsa {version} in {folder}".format(**facts["garak_tbsa"])
    yield "   Python {version}, {executable}".format(**facts["python"])
    if off is None:
        yield "✔️ scans end with their score"
    else:
        yield f"❌ scans do not end with their score: {off}"
    if facts["site_settings_problem"] is not None:
        yield f"❌ site configuration: {facts['site_settings_problem']}"
    if not garak["installed"]:
        yield f"❌ garak: {garak['missing_because']}; pip install garak"
        return
    for module, by in facts["served"].items():
        if by["ours"]:
            yield f"✔️ {module}: provided by garak-tbsa"
        else:
            file = by["file"]
            answer = "is not there" if file is None else f"is provided by {file}"
            yield f"❌ {module} {answer}, not by garak-tbsa"
    yield from _garak_lines(garak)


def _garak_lines(garak: Mapping[str, Any]) -> Iterator[str]:
    oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
    said = f"garak {garak['version'] or 'of unknown version'} in {garak['folder']}"
    if garak["support"] == SUPPORTED:
        yield f"✔️ {said}: supported"
    elif garak["support"] == OLDER:
        yield f"⚠️ {said}: not supported; the oldest is {oldest}"
    else:
        yield f"⚠️ {said}: not tested, {oldest} to {newest} are"
    graded, metrics = garak["calibration"], garak["detector_metrics"]
    if "missing_because" in graded:
        yield f"⚠️ calibration: none, {graded['missing_because']}"
    else:
        date = (graded["date"] or "")[:10] or "unknown date"
        yield f"   calibration: of {date}, {graded['pairs']} pairs, {graded['path']}"
    if "missing_because" in metrics:
        yield f"   detector metrics: none, {metrics['missing_because']}"
    else:
        whose = "the user's, in place of " * metrics["is_users"] + "garak's own"
        count = f"{metrics['detectors']} detectors"
        yield f"   detector metrics: {count}, {whose}, {metrics['path']}"
