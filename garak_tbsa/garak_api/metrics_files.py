# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the installed garak reads detector metrics: the user's file, else its own."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from garak_tbsa.errors import GarakMissingError
from garak_tbsa.garak_api.detectors import garak_module, garak_version

BELOW_A_DATA_FOLDER = ("data", "detectors_eval", "detector_metrics_summary.json")
FIRST_WITH_A_USERS = (0, 17)


@dataclass(frozen=True, kw_only=True)
class MetricsFiles:
    """Paths of the two files, of which garak reads the first that exists.

    Attributes
    ----------
    shipped : str or None
        None where the installed garak has no metrics of its own.
    """

    users: str
    shipped: str | None

    @property
    def in_use(self) -> str | None:
        """The file that garak reads now."""
        return self.users if os.path.isfile(self.users) else self.shipped


def metrics_files() -> MetricsFiles:
    """Ask the installed garak.

    Raises
    ------
    GarakMissingError
        garak is not installed, or older than 0.17, which read its own file only.
    """
    version = garak_version()
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or tuple(map(int, numbers.groups())) < FIRST_WITH_A_USERS:
        raise GarakMissingError(
            f"garak {version} reads no detector metrics of a user's; install garak 0.17"
            " or newer"
        )
    transient = garak_module("garak._config").transient
    shipped = os.path.join(transient.package_dir, *BELOW_A_DATA_FOLDER)
    return MetricsFiles(
        users=os.path.join(transient.data_dir, *BELOW_A_DATA_FOLDER),
        shipped=shipped if os.path.isfile(shipped) else None,
    )
