# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a scan's addresses hold besides host and path is in no output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.behaviour.product import document, tbsa
from tests.report_rows import pairs_named, report_rows, write_report

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "s3cr3t-0123456789"
PLACES = {
    "a query": "https://example.org/v1/{path}?key={secret}",
    "a second key of a query": "https://example.org/v1/{path}?a=b&auth={secret}",
    "a fragment": "https://example.org/v1/{path}#{secret}",
    "a query without path": "wss://example.org?{path}={secret}",
    "a password": "https://me:{secret}@example.org/v1/{path}",
    "a user": "https://{secret}@example.org/v1/{path}",
    "no scheme": "//me:{secret}@example.org/v1/{path}?{secret}",
    "a sentence": "ask http://example.org/{path}?key={secret}, http://a/?{secret}",
}


def address(place: str, secret: str = SECRET, path: str = "models") -> str:
    return PLACES[place].format(secret=secret, path=path)


def a_report(folder: Path, uri: str, *, digest: bool = True) -> str:
    """Write a report of a scan whose target and translator are at an address."""
    setup = {
        "run.langproviders": [{"language": "en,de", "options": {"uris": [uri]}}],
        "plugins.target_name": uri,
    }
    rows: list[Any] = report_rows(pairs_named((1, 9, 10)), setup=setup, digest=digest)
    if digest:
        rows[-1]["meta"]["target_name"] = uri
    folder.mkdir(exist_ok=True)
    return write_report(folder / "scan.report.jsonl", rows)


FORMS = {
    "score": ("-j", "--html", "--markdown", "--junit", "--sarif"),
    "compare": ("-j", "--html", "--markdown"),
    "history": ("--jsonl", "--html"),
    "explain": ("-j",),
}
OPTIONS = {"score": ("-v", "--explain-checksum")}


@pytest.mark.parametrize("place", PLACES)
def test_no_output_holds_what_an_address_holds(tmp_path: Path, place: str) -> None:
    """And scans with other keys compare."""
    for digest in (True, False):
        report = a_report(tmp_path / "one", address(place), digest=digest)
        other = a_report(tmp_path / "two", address(place, "another"), digest=digest)
        for command, forms in FORMS.items():
            outputs = [tmp_path / f"{command}{number}" for number in range(len(forms))]
            options = [x for both in zip(forms, outputs, strict=True) for x in both]
            compares = command in ("compare", "history")
            reports = (report, other) if compares else (report,)
            shown = tbsa(command, *reports, *OPTIONS.get(command, ()), *options)
            assert shown.code == 0, shown
            assert SECRET not in shown.out + shown.err
            for output in outputs:
                assert SECRET not in output.read_text(encoding="utf-8")
        first, second = (document(tmp_path, "score", each) for each in (report, other))
        assert first["checksum"] == second["checksum"]
        assert first["target_name"] == second["target_name"]
        assert "example.org" in first["target_name"]


PUBLIC = [
    "https://example.org:8000/v1/models",
    "http://localhost/a@b",
    "What is 2 // 3? A #question, by me@example.org",
    "package.module#function",
]


def test_what_is_no_secret_stays_and_is_in_the_checksum(tmp_path: Path) -> None:
    for text in PUBLIC:
        found = document(tmp_path, "score", a_report(tmp_path, text))
        assert found["target_name"] == text
        parts = found["checksum_parts"]["configuration:run.langproviders"]
        assert parts[0]["options"]["uris"] == [text]
    uris = [address("a query"), address("a query", path="others"), PUBLIC[0]]
    checksums = {
        document(tmp_path, "score", a_report(tmp_path, uri))["checksum"] for uri in uris
    }
    assert len(checksums) == len(uris)
