# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan in this environment would be followed by its score, and why not."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import garak_tbsa
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.installation import Installation, installation, origin_of
from garak_tbsa.host.settings import read_settings
from garak_tbsa.unavailable import Unavailable

PTH = "garak_tbsa_register.pth"
REGISTER = "garak_tbsa.host._register"
SERVED = ("garak.analyze.tbsa", "garak.analyze.detector_eval")
SWITCH = "GARAK_TBSA"


@dataclass(frozen=True, kw_only=True)
class Status:
    """What garak-tbsa is in this environment.

    Attributes
    ----------
    version : str
        garak-tbsa's.
    package : str
        Where it is.
    python : str
        Its version.
    executable : str
    hook_off : Unavailable or None
        Why a scan is not followed by its score; None where it is.
    served : dict of str to str or None
        Each module of garak's that we answer for, and the file that answers.
    garak : Installation or Unavailable
    settings_problem : str or None
        What is wrong with ``reporting.tbsa`` in the site's configuration.
    """

    version: str
    package: str
    python: str
    executable: str
    hook_off: Unavailable | None
    served: dict[str, str | None]
    garak: Installation | Unavailable
    settings_problem: str | None

    @property
    def follows_scans(self) -> bool:
        """Whether a scan with this Python would be followed by its score."""
        return self.hook_off is None and not isinstance(self.garak, Unavailable)

    def is_ours(self, module: str) -> bool:
        """Whether we answer for a module of garak's."""
        origin = self.served[module]
        return origin is not None and Path(origin).parent == Path(__file__).parent


def status(site_settings: Callable[[], object]) -> Status:
    """Look at this environment.

    Parameters
    ----------
    site_settings : callable
        Returns what is under ``reporting.tbsa`` in the site's configuration.
    """
    garak = installation()
    raw = None if isinstance(garak, Unavailable) else site_settings()
    enabled, problem = True, None
    try:
        enabled = read_settings(raw).enabled
    except UsageError as error:
        problem = str(error)
    return Status(
        version=garak_tbsa.__version__,
        package=str(Path(garak_tbsa.__file__).parent),
        python=sys.version.split()[0],
        executable=sys.executable,
        hook_off=_why_off(enabled=enabled),
        served={module: origin_of(module) for module in SERVED},
        garak=garak,
        settings_problem=problem,
    )


def _why_off(*, enabled: bool) -> Unavailable | None:
    if not _is_registered():
        return Unavailable(reason=_why_not_registered())
    if os.environ.get(SWITCH) == "0":
        return Unavailable(reason=f"{SWITCH}=0 is set in the environment")
    if not enabled:
        return Unavailable(
            reason="reporting.tbsa.enabled is false in garak's site configuration"
        )
    return None


def _is_registered() -> bool:
    # importing the module would register it
    register = sys.modules.get(REGISTER)
    return register is not None and any(
        isinstance(finder, register.Finder) for finder in sys.meta_path
    )


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
