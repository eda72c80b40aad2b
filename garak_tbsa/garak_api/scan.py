# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a running garak knows of its scan and of what it was asked to do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from garak_tbsa.garak_api.config_files import (
    ConfigFile,
    read_config_files,
    site_files,
)

SETTINGS = "tbsa"
"""Our part of ``reporting`` in garak's configuration."""

CORE = ("resources", "garak.core.yaml")
"""garak's defaults, in its package."""


def ended_report() -> str | None:
    """Return the path of the latest report that garak has opened, if any."""
    from garak import _config

    path = getattr(_config.transient, "report_filename", None)
    return None if path is None else str(path)


def reporting_settings() -> object:
    """Return ``reporting.tbsa`` of garak's configuration, unchecked."""
    from garak import _config

    return getattr(_config.reporting, SETTINGS, None)


def loaded_files() -> Iterator[ConfigFile]:
    """Yield the configuration files that garak has merged, in that order."""
    from garak import _config

    return read_config_files(getattr(_config, "config_files", ()))


def unread_files(arguments: Sequence[str]) -> Iterator[ConfigFile]:
    """Yield configuration files of a command line that garak has not merged.

    Of several ``--config`` it takes the last.
    """
    from garak import _config

    merged = {os.path.realpath(path) for path in getattr(_config, "config_files", ())}
    return read_config_files(
        path
        for path in _configs_given(arguments)
        if os.path.isfile(path) and os.path.realpath(path) not in merged
    )


def garaks_own_settings() -> object:
    """Return garak's defaults."""
    from garak import _config

    core = os.path.join(_config.transient.package_dir, *CORE)
    return next((file.content for file in read_config_files([core])), None)


def coming_report() -> str | None:
    """Return the path of the report that a scan will write, None for a fresh name.

    Known from garak's configuration, once its command line is in it.
    """
    from garak import _config

    prefix = getattr(_config.reporting, "report_prefix", None)
    folder = getattr(_config.reporting, "report_dir", None)
    if not prefix or folder is None:
        return None
    name = f"{prefix}.report.jsonl"
    return os.path.join(_config.transient.data_dir, folder, name)


def command_line() -> object:
    """Return what garak last parsed of a command line, None before it ever did."""
    from garak import _config

    return getattr(_config.transient, "cli_args", None)


def is_interactive() -> bool:
    """Whether garak runs as an interactive session."""
    return bool(getattr(command_line(), "interactive", None))


def scans_nothing(parsed: object) -> bool:
    """Whether a parsed command line lists, converts or talks instead of scanning."""
    return any(getattr(parsed, option, None) for option in _options_of_no_scan())


def names_no_scan(arguments: Sequence[str]) -> bool:
    """Whether an unparsed command line asks for something else than a scan."""
    given = {argument.partition("=")[0] for argument in arguments}
    return any(f"--{option}" in given for option in _options_of_no_scan())


def _options_of_no_scan() -> Sequence[str]:
    from garak import cli

    return tuple(getattr(cli, "command_options", ()))


def probes_by_tier() -> dict[int, list[str]]:
    """Return ``module.Class`` names by garak's ``Tier``, each tier present."""
    from garak._plugins import enumerate_plugins, plugin_info
    from garak.probes import Tier

    tiers: dict[int, list[str]] = {tier: [] for tier in Tier}
    for plugin, _ in enumerate_plugins("probes"):
        tiers[Tier(plugin_info(plugin)["tier"])].append(plugin.split(".", 1)[1])
    return tiers


def settings_in_files(arguments: Sequence[str] = ()) -> object:
    """Read ``reporting.tbsa`` from the files that garak reads; it is not imported.

    For ``status``, and for runs that ended before garak read them, over a usage error
    as an example.

    Parameters
    ----------
    arguments : sequence of str
        garak's command line.

    Returns
    -------
    object
        The run's settings over the site's; None where no file has any. A file that
        cannot be read has none.
    """
    merged: object = None
    for file in read_config_files(_settings_files(arguments)):
        content = file.content
        reporting = content.get("reporting") if isinstance(content, dict) else None
        found = reporting.get(SETTINGS) if isinstance(reporting, dict) else None
        if isinstance(merged, dict) and isinstance(found, dict):
            merged = {**merged, **found}
        elif found is not None:
            merged = found
    return merged


def _settings_files(arguments: Sequence[str]) -> Iterator[str]:
    yield from site_files()
    yield from _configs_given(arguments)


def _configs_given(arguments: Sequence[str]) -> Iterator[str]:
    for position, argument in enumerate(arguments):
        option, equals, path = argument.partition("=")
        if option == "--config":
            given = [path] if equals else arguments[position + 1 : position + 2]
            for each in given:
                yield each if os.path.isfile(each) else f"{each}.json"
