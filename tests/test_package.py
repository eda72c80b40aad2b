# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``import garak_tbsa`` costs nothing, and offers what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest

import garak_tbsa as tbsa


def printed_by(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_the_import_imports_nothing() -> None:
    code = (
        "import sys; import garak_tbsa.host._register; had = set(sys.modules);"
        " import garak_tbsa; dir(garak_tbsa);"
        " print(sorted(n for n in set(sys.modules) - had if 'garak' in n))"
    )
    assert printed_by(code) == "[]\n"
    code = (
        "import sys; had = set(sys.modules); import garak_tbsa;"
        " print(*sorted(n for n in set(sys.modules) - had if 'garak_tbsa.' in n))"
    )
    names = printed_by(code).split()
    assert [name for name in names if not name.startswith("garak_tbsa.host")] == []


@pytest.mark.parametrize("name", tbsa.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    found = getattr(tbsa, name)
    assert found == tbsa.__version__ or found.__doc__
    assert name in dir(tbsa)


def test_audit_is_the_function_whatever_was_imported() -> None:
    code = (
        "import garak_tbsa.labels.audit, garak_tbsa.api.audit;"
        " import garak_tbsa as tbsa; print(tbsa.audit.__module__)"
    )
    assert printed_by(code) == "garak_tbsa.api.audit\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match=r"^module 'garak_tbsa' has no attribute 'scores'$"
    ):
        tbsa.scores  # type: ignore[attr-defined]  # noqa: B018
