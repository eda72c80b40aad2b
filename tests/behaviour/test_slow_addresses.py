# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A server that answers slowly, not at all, or with half of a report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import pytest

from tests.behaviour.product import GOLD, PROGRAM, Shown, python, tbsa
from tests.behaviour.scans import scan
from tests.http_servers import serving

REPORT = GOLD / "no-digest.report.jsonl"
CONTENT = REPORT.read_bytes()
NAME = "scan.report.jsonl"
WAIT = 0.4
LIMIT = "garak_tbsa.report.opening.LONGEST_WAIT"

released = Event()


class Slow(BaseHTTPRequestHandler):
    """Answers as the first part of the path says.

    ``whole`` and ``half`` have ranges, and ``half`` stops in the first one. ``stream``
    and ``begun`` do not say how long they are, and ``begun`` stops. ``never`` says
    nothing.
    """

    def do_HEAD(self) -> None:
        self._answer(is_asked=False)

    def do_GET(self) -> None:
        self._answer(is_asked=True)

    def _answer(self, *, is_asked: bool) -> None:
        kind = self.path.split("/")[1]
        if kind == "never":
            released.wait(60)
            return
        content = CONTENT
        if kind in {"whole", "half"}:
            wanted = self.headers.get("Range", "bytes=0-").partition("=")[2]
            first, last = (int(each or len(CONTENT)) for each in wanted.split("-"))
            content = CONTENT[first : last + 1]
            self.send_response(206)
            until = first + len(content) - 1
            self.send_header("Content-Range", f"bytes {first}-{until}/{len(CONTENT)}")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Accept-Ranges", "bytes")
        else:
            self.send_response(200)
        self.end_headers()
        if is_asked and kind in {"half", "begun"}:
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            released.wait(60)
        elif is_asked:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server here."""
    with serving(Slow) as address:
        yield address
        released.set()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMIT, WAIT)


def without_name(shown: Shown, name: object) -> str:
    return shown.out.replace(str(name), "NAME")


@pytest.mark.parametrize("kind", ["whole", "stream"])
def test_a_server_with_and_without_ranges_gives_the_report(
    kind: str, server: str
) -> None:
    address = f"{server}/{kind}/{NAME}"
    shown, plain = tbsa("score", address), tbsa("score", REPORT)
    assert (shown.code, shown.err) == (0, "")
    assert without_name(shown, address) == without_name(plain, REPORT)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("never", "cannot be opened (no answer for 0.4 seconds)"),
        ("half", "cannot be read (no answer for 0.4 seconds)"),
        ("begun", "cannot be read further (no answer for 0.4 seconds)"),
    ],
)
def test_a_server_that_stops_is_one_line(
    kind: str, problem: str, server: str, tmp_path: Path
) -> None:
    address = f"{server}/{kind}/{NAME}"
    for gate in ((), ("-q", "--fail-under", 2)):
        shown = tbsa("score", address, *gate)
        assert shown.code == 1
        assert shown.error.startswith(f"garak-tbsa: {address}")
        assert problem in shown.error
    scanned = scan(tmp_path)
    baseline = ("-q", scanned, "--baseline", address)
    for shown in (
        tbsa("compare", address, scanned),
        tbsa("score", *baseline),
        tbsa("score", *baseline, "--baseline-optional"),
    ):
        assert (shown.code, problem in shown.err) == (1, True), shown
    shown = tbsa("history", scanned, address)
    assert shown.code == 0
    assert problem in shown.err


@pytest.mark.usefixtures("impatient")
def test_a_folder_that_is_never_listed_is_one_line(server: str) -> None:
    for command in ("score", "history"):
        shown = tbsa(command, f"{server}/never")
        assert shown.code == 1
        assert "cannot be listed (no answer for 0.4 seconds)" in shown.error


def test_the_program_ends_though_the_server_does_not(
    server: str, tmp_path: Path
) -> None:
    script = tmp_path / "impatient.py"
    module, _, name = LIMIT.rpartition(".")
    script.write_text(
        f"import sys, {module} as stores\n"
        f"stores.{name} = {WAIT}\n"
        "from garak_tbsa.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n",
        encoding="utf-8",
    )
    for kind in ("never", "begun"):
        began = time.monotonic()
        shown = python(script, "score", f"{server}/{kind}/{NAME}", folder=tmp_path)
        assert shown.code == 1
        assert shown.error.startswith(f"{PROGRAM}: {server}")
        assert time.monotonic() - began < 30
