# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan in this environment would be followed by its score, and why not."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path
from typing import Any

import garak_tbsa
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.installed import installation, origin_of
from garak_tbsa.garak_api.scan import settings_in_files
from garak_tbsa.host.settings import read_settings

PTH = "garak_tbsa_register.pth"
SWITCH = "GARAK_TBSA"
REGISTER = "garak_tbsa.host._register"
SERVED = ("garak.analyze.tbsa", "garak.analyze.detector_eval")


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
    here = Path(__file__).parent
    files = {module: origin_of(module) for module in SERVED}
    return {
        "follows_scans": off is None and garak["installed"],
        "hook": {"active": off is None, "off_because": off},
        "garak_tbsa": {"version": garak_tbsa.__version__, "folder": str(here.parent)},
        "python": {
            "version": sys.version.split()[0],
            "executable": sys.executable,
        },
        "served": {
            module: {"file": file, "ours": bool(file and Path(file).parent == here)}
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
