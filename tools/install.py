# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Install with uv from where pip would: ``python tools/install.py -e .``.

pip takes minutes to choose garak's dependencies, uv seconds. But uv reads none of pip's
configuration, so it is handed what pip is told: without its indexes and folders, uv
would bring torch for CUDA where pip brings the build for processors.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping

STRATEGY = ("--index-strategy", "unsafe-best-match")
"""As pip does: the best version of all indexes, not of the first that has any."""
OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
"""Options of pip, which may hold several values, and those of uv."""
VARIABLES = {
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
}
"""Options of pip, and the variables that uv reads for them."""
SECTIONS = ("global", "install", ":env:")
"""Of pip's configuration; a later one counts more."""


def pip_settings(listed: str) -> dict[str, str]:
    """Return what ``pip config list`` says of installing, by option."""
    found: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        section, _, option = name.partition(".")
        if section in found:
            found[section][option] = str(ast.literal_eval(value))
    return {
        option: value
        for section in SECTIONS
        for option, value in found[section].items()
    }


def uv_options(settings: Mapping[str, str]) -> list[str]:
    """Return options of uv that say what pip's settings say."""
    options = [*STRATEGY]
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        options.append("--no-index")
    for option, name in OPTIONS.items():
        for value in settings.get(option, "").split():
            options += [name, value]
    return options


def uv_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables of uv that say what pip's settings say."""
    return {
        name: settings[option]
        for option, name in VARIABLES.items()
        if option in settings
    }


def main(arguments: list[str]) -> int:
    """Install into the environment that runs this."""
    pip = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(pip, capture_output=True, text=True, check=True).stdout
    settings = pip_settings(listed)
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
    return subprocess.run(
        [*uv, "--python", sys.executable, *uv_options(settings), *arguments],
        # what is set for uv itself counts more
        env={**uv_variables(settings), **os.environ},
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
