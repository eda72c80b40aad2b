# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Names of garak's probes and detectors -> pages of garak's documentation."""

from __future__ import annotations

import re

DOCUMENTATION = "https://reference.garak.ai/en/latest"
PROBES, DETECTORS = "probes", "detectors"
PLUGIN = re.compile(r"([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})", re.ASCII)


def plugin_page(category: str, name: str) -> str | None:
    """Return the address of a plugin's documentation.

    Parameters
    ----------
    category : str
        ``probes`` or ``detectors``.
    name : str
        ``module.Class``, as a report has it; None is returned for anything else, so
        that no report can choose what is linked to.
    """
    found = PLUGIN.fullmatch(name)
    if found is None:
        return None
    anchor = f"garak.{category}.{name}"
    return f"{DOCUMENTATION}/{category}/{found[1]}.html#{anchor}"
