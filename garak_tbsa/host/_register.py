# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Our place in garak's namespace, taken at interpreter start without garak's help.

``garak_tbsa_register.pth`` imports this module at every interpreter start, so it
imports nothing but ``sys`` until one of garak's names below is asked for, and
never raises. The finder

* serves ``garak.analyze.tbsa`` and ``garak.analyze.detector_eval`` from here,
* has ``garak.command`` and ``garak.cli`` wrapped by :mod:`garak_tbsa.host.hook` once
  they are executed, so that a scan ends with its score. Where the hook is damaged, a
  gate still fails.

With ``GARAK_TBSA=garak`` in the environment it does neither: all is garak's own.
"""

import sys

SERVED = {
    "garak.analyze.tbsa": "served_tbsa.py",
    "garak.analyze.detector_eval": "served_detector_eval.py",
}
WRAPPED = ("garak.command", "garak.cli")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class Finder:
    """A ``sys.meta_path`` finder for four names; it passes on all others."""

    def find_spec(
        self,
        name: str,
        path: "Sequence[str] | None" = None,
        target: "ModuleType | None" = None,
    ) -> "ModuleSpec | None":
        """Return the spec of a name that is ours, else None."""
        if name not in SERVED and name not in WRAPPED:
            return None
        try:
            if _all_is_garaks():
                return None
            if name in SERVED:
                return _served_spec(name)
            return _wrapped_spec(name, path, target)
        except Exception:
            # garak's own module is then imported
            return None


def _all_is_garaks() -> bool:
    import os

    return os.environ.get("GARAK_TBSA") == "garak"


def _served_spec(name: str) -> "ModuleSpec | None":
    import os
    from importlib.util import spec_from_file_location

    path = os.path.join(os.path.dirname(__file__), SERVED[name])
    return spec_from_file_location(name, path) if os.path.isfile(path) else None


def _wrapped_spec(
    name: str, path: "Sequence[str] | None", target: "ModuleType | None"
) -> "ModuleSpec | None":
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(name, path, target)
    if spec is not None and spec.loader is not None:
        _wrap_after_execution(spec.loader)
    return spec


def _wrap_after_execution(loader: "Loader") -> None:
    """Let the hook wrap a module once ``loader`` has executed it."""
    execute = loader.exec_module

    def exec_module(module: "ModuleType") -> None:
        execute(module)
        try:
            from garak_tbsa.host.hook import wrap

            wrap(module, asks_for_gate)
        except KeyboardInterrupt:
            raise
        except BaseException:
            # a scan without our score is better than no scan
            main = getattr(module, "main", None)
            if module.__name__ == "garak.cli" and main is not None:
                module.__dict__["main"] = _without_hook(main)

    loader.exec_module = exec_module  # type: ignore[method-assign]


GATES = ("fail_under", "sure", "require_tier1_grade", "min_coverage", "baseline")
BROKEN = (
    "garak-tbsa: the gate in reporting.tbsa fails: it was not judged, because the"
    " installed garak-tbsa is damaged (pip install --force-reinstall garak-tbsa,"
    " or GARAK_TBSA=0)\n"
)


def _without_hook(main: "Callable[..., Any]") -> "Callable[..., Any]":
    """Wrap garak's main where our hook is broken: a gate must not pass by that."""

    def guarded(*arguments: "Any", **options: "Any") -> "Any":
        try:
            return main(*arguments, **options)
        finally:
            if asks_for_gate():
                import os

                os.write(2, BROKEN.encode())
                raise SystemExit(3)

    return guarded


def asks_for_gate() -> bool:
    """Return whether the scan that ended has a gate.

    Nothing of ours but this module is needed for that.
    """
    import os

    config = sys.modules.get("garak._config")
    settings = getattr(getattr(config, "reporting", None), "tbsa", None)
    is_wanted = isinstance(settings, dict) and settings.get("enabled") is not False
    parsed = getattr(getattr(config, "transient", None), "cli_args", None)
    options = getattr(sys.modules.get("garak.cli"), "command_options", ())
    return (
        os.environ.get("GARAK_TBSA") not in ("0", "garak")
        and is_wanted
        and any(settings.get(name) is not None for name in GATES)  # type: ignore[union-attr]
        and not any(getattr(parsed, option, None) for option in options)
    )


sys.meta_path.insert(0, Finder())
