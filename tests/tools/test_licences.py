# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Requirements whose licence does not fit are refused, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import licences
from tools.licences import main, problems


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of distributions that Python finds: a package and its host."""
    monkeypatch.syspath_prepend(str(tmp_path))
    needs = ["needed; extra == 'extra'", "linter; extra == 'check'", "host"]
    extras = ["Provides-Extra: extra", "Provides-Extra: check"]
    install(tmp_path, "ours", *extras, *(f"Requires-Dist: {each}" for each in needs))
    own = "Requires-Dist: of-the-host"
    install(tmp_path, "host", "License-Expression: Apache-2.0", own)
    install(tmp_path, "of-the-host", "License-Expression: GPL-3.0-only")
    install(tmp_path, "linter", "License-Expression: GPL-3.0-only")
    return tmp_path


def install(folder: Path, name: str, *lines: str) -> None:
    place = folder / f"{name.replace('-', '_')}-1.dist-info"
    place.mkdir()
    head = ("Metadata-Version: 2.4", f"Name: {name}", "Version: 1")
    (place / "METADATA").write_text("\n".join((*head, *lines)) + "\n")


FITTING = [
    ["License-Expression: MIT"],
    ["License-Expression: BSD-3-Clause AND (0BSD OR MIT)"],
    ["License-Expression: GPL-2.0-only OR MIT"],
    ["Classifier: License :: OSI Approved :: BSD License", "License: BSD"],
    ["License: Apache 2.0"],
    [
        "Classifier: License :: OSI Approved :: MIT License",
        "License: Some",
        "        x",
    ],
]


@pytest.mark.parametrize("lines", FITTING)
def test_a_licence_that_fits_passes(installed: Path, lines: list[str]) -> None:
    install(installed, "needed", *lines)
    assert problems("ours", "host") == []


REFUSED = {
    "GPL-3.0-or-later": ["License-Expression: GPL-3.0-or-later"],
    "AGPL-3.0-only": ["License-Expression: AGPL-3.0-only"],
    "MIT AND GPL-2.0-only": ["License-Expression: MIT AND GPL-2.0-only"],
    "(MIT OR GPL-2.0-only) AND MIT": [
        "License-Expression: (MIT OR GPL-2.0-only) AND MIT"
    ],
    "GNU General Public License v3 (GPLv3)": [
        "Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"
    ],
    "BSD License and GPL": [
        "Classifier: License :: OSI Approved :: BSD License",
        "License: GPL",
    ],
    "Proprietary": ["License: Proprietary"],
}


@pytest.mark.parametrize("stated", REFUSED)
def test_another_licence_is_refused(installed: Path, stated: str) -> None:
    install(installed, "needed", *REFUSED[stated])
    (problem,) = problems("ours", "host")
    assert problem.startswith(f"needed: {stated} is not known to fit Apache-2.0")


def test_what_a_requirement_brings_is_looked_at(installed: Path) -> None:
    install(installed, "needed", "License: MIT", "Requires-Dist: deeper")
    install(installed, "deeper", "License-Expression: GPL-3.0-only")
    (problem,) = problems("ours", "host")
    assert problem.startswith("deeper: GPL-3.0-only")


def test_a_package_that_does_not_say_it_is_refused(installed: Path) -> None:
    (absent,) = problems("ours", "host")
    assert absent.startswith("needed: is not installed")
    install(installed, "needed", "License: UNKNOWN")
    (silent,) = problems("ours", "host")
    assert silent.startswith("needed: its metadata names no licence")


def test_ours_fit(
    installed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main() == 0
    install(installed, "needed", "License: GPL")
    monkeypatch.setattr(licences, "OURS", "ours")
    assert main() == 1
    assert capsys.readouterr().err.startswith("needed: GPL is not known to fit")
