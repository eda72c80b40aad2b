# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the installed garak reads detector metrics."""

import os
from pathlib import Path

import pytest

from garak_tbsa.garak_api.detectors import garak_module
from garak_tbsa.report import garak_here as installed
from garak_tbsa.report.garak_here import Installation, MetricsInUse, metrics_files
from tests.garak_own import needs_garak_017


@needs_garak_017
def test_the_two_files_are_those_that_garak_looks_for() -> None:
    transient = garak_module("garak._config").transient
    name = "detectors_eval/detector_metrics_summary.json"
    found = metrics_files()
    assert found.users == str(transient.data_dir / "data" / name)
    assert found.shipped == str(transient.package_dir / "data" / name)
    # garak itself, where the user has no file
    assert not os.path.exists(found.users)
    assert str(garak_module("garak.data").path / "detectors_eval" / name[15:]) == (
        found.shipped
    )


def test_garak_reads_metrics_of_a_users_from_0_17_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And it may have none of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    users = Path(metrics_files().users)
    users.parent.mkdir(parents=True)
    users.write_text('{"results": {"a.A": {}}}')
    monkeypatch.setattr(installed, "garak_folder", lambda: str(tmp_path))
    versions = dict.fromkeys(("0.16.0", "0.9", "unknown"), False)
    versions |= dict.fromkeys(("0.17.0", "0.17rc1", "0.18.0.pre1", "1.0"), True)
    for version, reads in versions.items():
        (tmp_path / "__init__.py").write_text(f'__version__ = "{version}"')
        garak = installed.installation()
        assert isinstance(garak, Installation)
        is_users = isinstance(garak.metrics, MetricsInUse) and garak.metrics.is_users
        assert is_users is reads
    assert metrics_files().shipped is None
    monkeypatch.setattr(installed, "garak_folder", lambda: None)
    assert metrics_files().shipped is None
