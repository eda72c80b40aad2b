# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a running garak knows of the scan that it has just ended."""

from __future__ import annotations


def ended_report() -> str | None:
    """Return the path of the report that garak has just closed, if any."""
    from garak import _config

    path = getattr(_config.transient, "report_filename", None)
    return None if path is None else str(path)


def reporting_settings() -> object:
    """Return ``reporting.tbsa`` of garak's configuration, unchecked."""
    from garak import _config

    return getattr(_config.reporting, "tbsa", None)
