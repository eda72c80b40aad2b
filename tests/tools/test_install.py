# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``tools/install.py``: uv installs from where pip would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed import REPOSITORY
from tools.install import pip_settings, uv_options, uv_variables

LISTED = """\
:env:.cert='/etc/a.pem'
:env:.find-links='/wheels'
global.extra-index-url='https://a.example/simple\\nfile:///b/simple'
global.find-links='/other'
global.index-url='https://mirror.example/simple'
download.index-url='https://not.this/simple'
install.trusted-host='mirror.example'
"""


def test_what_pip_is_told_reaches_uv() -> None:
    """A variable counts more than a section, install more than global."""
    settings = pip_settings(LISTED)
    assert uv_options(settings) == [
        *("--index-strategy", "unsafe-best-match"),
        *("--default-index", "https://mirror.example/simple"),
        *("--index", "https://a.example/simple", "--index", "file:///b/simple"),
        *("--find-links", "/wheels", "--allow-insecure-host", "mirror.example"),
    ]
    assert uv_variables(settings) == {"SSL_CERT_FILE": "/etc/a.pem"}


def test_no_configuration_leaves_uv_as_it_is() -> None:
    assert uv_options(pip_settings("")) == ["--index-strategy", "unsafe-best-match"]
    assert uv_variables(pip_settings("")) == {}


@pytest.mark.parametrize(("value", "given"), [("1", True), ("false", False)])
def test_an_index_that_pip_must_not_ask(value: str, given: bool) -> None:
    assert ("--no-index" in uv_options({"no-index": value})) == given


def test_uv_takes_the_wheel_of_a_folder_that_pip_was_told_of(tmp_path: Path) -> None:
    """As torch's build for processors, which no index has, is found where pip looks."""
    project, wheels = tmp_path / "project", tmp_path / "wheels"
    project.mkdir()
    (project / "only_here.py").touch()
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "only-here"\nversion = "1"\n'
        '[tool.hatch.build.targets.wheel]\ninclude = ["only_here.py"]\n'
    )
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    subprocess.run(
        [*build, "--outdir", wheels, project], check=True, capture_output=True
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
    environment |= {"PIP_FIND_LINKS": str(wheels), "PIP_NO_INDEX": "1"}
    done = subprocess.run(
        [
            *(sys.executable, str(REPOSITORY / "tools" / "install.py")),
            *("--target", str(tmp_path / "target"), "only-here"),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "target" / "only_here.py").exists()
