# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label``: a page on 127.0.0.1, and answers that are on disk."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.behaviour.product import rows_of, tbsa
from tests.labels.reports import full_report
from tests.labels.served import Served
from tests.report_rows import PairFacts


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


@pytest.fixture
def log(report: Path) -> Path:
    return report.with_name("x.labels.jsonl")


def test_an_output_is_sent_with_all_that_a_labeller_needs_and_no_verdict(
    report: Path, log: Path
) -> None:
    """\"with prompt, probe, goal and the labelling rule [...], never the verdict\""""
    with Served(report, "--rater", "<b>Zoë") as served:
        page = served.request()
        assert (page.code, page.body[:15]) == (200, b"<!doctype html>")
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        for name in ("Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"):
            assert page.headers[name] == "same-origin"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert 'value="&lt;b&gt;Zoë"' in page.body.decode()
        assert b"connect-src 'self'" in page.body.replace(b"&#39;", b"'")
        shown = served.ask("show")
        assert set(shown["question"]) == {
            *("probe_shown", "detector_shown", "goal", "prompt", "text", "rule"),
        }
        assert shown["question"]["goal"] == "the goal"
        assert shown["question"]["prompt"] == "the prompt"
        assert " said " in shown["question"]["text"]
        counts = {"at": 0, "labelled": 0, "others": 0, "most": None, "undoable": False}
        assert shown | counts | {"label": None, "note": ""} == shown
        code, out, err = served.end()
        assert (code, err) == (0, "")
        assert out.endswith(
            f"{log}: TBSA 3.4 by detectors; nothing is labelled yet\n"
        ), out
    assert not log.exists()


def test_each_answer_is_on_disk_before_the_next_output_is_sent(
    report: Path, log: Path
) -> None:
    with Served(report) as served:
        shown = served.ask("show")
        for number, label in enumerate(("hit", "pass", "skip", "unsure", "hit"), 1):
            asked = shown["question"]
            note = f"note {number}"
            shown = served.ask("answer", at=shown["at"], label=label, note=note)
            assert len(rows_of(log)) == number
            assert shown["question"] != asked
        assert (shown["labelled"], shown["others"]) == (3, 2)
        # a process that is killed loses nothing
        served.end(signal.SIGKILL)
    rows = rows_of(log)
    assert log.read_text() == "".join(f"{json.dumps(row)}\n" for row in rows)
    assert [row["label"] for row in rows] == ["hit", "pass", "skip", "unsure", "hit"]
    assert [*rows[0]] == [
        *("attempt", "output_index", "detector", "label", "rater", "note", "drawn"),
        "time",
    ]
    assert [row["note"] for row in rows] == [f"note {n}" for n in range(1, 6)]
    assert {(row["rater"], row["drawn"]) for row in rows} == {("ann", True)}
    places = [(row["attempt"], row["output_index"], row["detector"]) for row in rows]
    assert len(set(places)) == 5
    with Served(report) as served:
        again = served.answer("pass")
        assert (again["at"], again["labelled"], again["others"]) == (6, 4, 2)
        assert rows_of(log)[5]["attempt"] not in {place for place, _, _ in places}
        before = served.ask("show", at=4)
        assert (before["label"], before["note"]) == ("hit", "note 5")
        assert served.ask("show", "ben")["at"] == 0


def test_an_answer_is_replaced_taken_back_and_kept_with_another_note(
    report: Path, log: Path
) -> None:
    with Served(report) as served:
        served.answer("hit", "pass")
        same = served.ask(
            "answer", at=0, label="hit", before="hit", note="why", stays=True
        )
        assert (same["at"], same["note"]) == (0, "why")
        changed = served.ask("answer", at=0, label="skip", before="hit")
        assert (changed["at"], changed["labelled"], changed["others"]) == (2, 1, 1)
        # what is no question of the rater's, or no answer, changes nothing
        assert served.ask("answer", at=70, label="hit")["at"] == 2
        assert served.ask("answer", at=2)["at"] == 2
        assert served.ask("undo", "ben")["at"] == 0
        undone = [served.ask("undo") for _ in range(4)]
    assert [(each["at"], each["label"]) for each in undone] == [
        *((0, "hit"), (1, None), (0, None), (0, None)),
    ]
    assert [each["undoable"] for each in undone] == [True, True, False, False]
    assert [(row["label"], row["note"]) for row in rows_of(log)] == [
        *(("hit", ""), ("pass", ""), ("hit", "why"), ("skip", "")),
        *(("hit", "why"), ("undo", ""), ("undo", "")),
    ]
    assert tbsa("audit", report).code == 1


STRANGERS: list[tuple[str, str, dict[str, str], str | None]] = [
    ("GET", "", {"Host": "evil.example"}, None),
    ("GET", "", {"Host": "127.0.0.1"}, None),
    ("GET", "", {"Origin": "http://evil.example"}, None),
    ("POST", "show", {"Host": "evil.example:80"}, None),
    ("POST", "answer", {"Origin": "http://evil.example"}, None),
    ("POST", "answer", {"Origin": "null"}, None),
    ("POST", "answer", {"Origin": ""}, None),
    ("GET", "", {}, "/"),
    ("GET", "", {}, "//"),
    ("GET", "", {}, "/token/"),
    ("POST", "answer", {}, "/t%C3%B6ken/"),
    ("GET", "", {}, "/{token}/show/"),
    ("GET", "", {}, "/{token}"),
    ("GET", "", {}, "http://127.0.0.1/{token}/"),
]


def test_strangers_get_nothing(report: Path, log: Path) -> None:
    """A foreign Host (a name that resolves here), a foreign origin, no token."""
    with Served(report) as served:
        token = served.url.path.split("/")[1]
        assert len(token) > 40
        body = {"rater": "ann", "at": 0, "label": "hit"}
        for method, what, headers, path in STRANGERS:
            place = None if path is None else path.format(token=token)
            given = body if method == "POST" else None
            reply = served.request(
                method,
                what,
                given,
                path=place,
                **headers,
            )
            assert (reply.code, reply.body) == (403, b""), (method, headers, path)
            assert "Access-Control-Allow-Origin" not in reply.headers
        for method, what, code in (
            ("GET", "show", 404),
            ("POST", "page", 404),
            ("PUT", "answer", 501),
            ("OPTIONS", "answer", 501),
        ):
            assert served.request(method, what, body).code == code
        assert served.request(Host=f"localhost:{served.url.port}").code == 200
        code, _, err = served.end()
        assert (code, err) == (0, "")
    assert not log.exists()


NO_ANSWERS: list[object] = [
    *(b"", b"{", b"[]", b"\xff\xfe", b"x" * 70_000),
    {"rater": ""},
    {"rater": "ann", "label": "maybe", "at": 0},
    {"rater": "ann", "at": -1},
    {"rater": "ann", "label": "hit", "at": 0, "note": "n" * 2001},
    {"rater": "ann", "path": "/etc/passwd"},
]


def test_what_no_page_says_changes_nothing(report: Path, log: Path) -> None:
    with Served(report) as served:
        for body in NO_ANSWERS:
            assert served.request("POST", "answer", body).code == 400, body
        assert served.end()[2] == ""
    assert not log.exists()


def test_the_score_by_labels_is_the_audit_s(report: Path, log: Path) -> None:
    with Served(report) as served:
        served.answer(*["hit", "pass", "skip", "hit", "hit", "pass"] * 2)
        served.answer(*["pass", "pass", "hit"], rater="bob")
        said = served.ask("score")["score"]
        code, out, _ = served.end()
    answer = tbsa("audit", report).lines[0]
    assert said.startswith(f"{answer}; 20 more would bring the range from")
    assert out.endswith(f"{log}: {said}\n   garak-tbsa audit {report} --labels {log}\n")
    assert code == 0


def test_count_ends_it_and_counts_what_was_labelled_before(
    report: Path, log: Path
) -> None:
    with Served(report, "-n", "3") as served:
        assert served.answer("hit", "skip")["most"] == 3
    with Served(report, "-n", "3") as served:
        done = served.answer("pass", "pass")
        assert (done["question"], done["labelled"]) == (None, 3)
        assert done["command"] == f"garak-tbsa audit {report} --labels {log}"
        assert served.ask("undo")["question"] is not None
        assert "\n   3 labels take about 1 minute: " in served.end()[1]
    assert len(rows_of(log)) == 5


def test_disputed_outputs_alone_for_a_further_rater(report: Path, log: Path) -> None:
    given = (report, "--disputed", "--rater", "cy")
    with Served(report) as served:
        served.answer("hit", "hit", "pass")
        served.answer("hit", "pass", "pass", rater="bob")
    with Served(*given) as served:
        shown = served.ask("show", "cy")
        assert shown["question"] is not None
        assert served.answer("hit", rater="cy")["question"] is None
    answers = {row["rater"]: row["attempt"] for row in rows_of(log)[1::3]}
    assert answers["ann"] == answers["bob"] == rows_of(log)[-1]["attempt"]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of(log)[:1]))
    none = tbsa("label", *given)
    assert (none.code, "answers differ about none of its outputs" in none.error) == (
        1,
        True,
    )


def test_a_log_that_is_gone_or_changed_takes_no_answer_until_it_is_back(
    report: Path, log: Path
) -> None:
    """The page keeps the answer and asks again."""
    away = log.with_name("away")
    body = {"rater": "ann", "at": 1, "label": "pass"}
    with Served(report) as served:
        served.answer("hit")
        log.rename(away)
        reply = served.request("POST", "answer", body)
        assert (reply.code, reply.body.decode()) == (
            500,
            f"{log}: is gone, or was changed by another program; the answer was not"
            " saved; put the file back as it was, or end this program by Ctrl-C and"
            " start it again",
        )
        assert served.ask("show")["labelled"] == 1
        away.rename(log)
        assert served.answer("pass")["labelled"] == 2
        with log.open("a") as other:
            other.write("{}\n")
        reply = served.request("POST", "answer", {**body, "at": 2})
        assert (reply.code, b"was changed" in reply.body) == (500, True)
    assert len(rows_of(log)) == 3


def test_a_second_server_says_where_the_first_is(report: Path, log: Path) -> None:
    with Served(report) as served:
        second = tbsa("label", report)
        assert (second.code, served.address in second.error) == (1, True)
        lock = log.with_name(f"{log.name}.lock")
        assert lock.stat().st_mode & 0o77 == 0
        served.end(signal.SIGKILL)
    # a killed one leaves its lock's file, and holds no lock
    assert lock.exists()
    with Served(report) as served:
        served.end()
    assert not lock.exists()


def test_what_nobody_would_see_is_marked_and_named(tmp_path: Path) -> None:
    """A real ESC reads as the text of its escape; triggers are there, decoded."""
    facts = PairFacts(probe="ansi.A", detector="ansiescape.Raw", passed=1, total=2)
    report = full_report(
        tmp_path / "a.report.jsonl",
        [facts],
        text=lambda _, n: "\U0001f600\x1b[2J \u202e\u3164" if n else r"\x1b[2J",
    )
    rows = rows_of(report)
    for row in rows:
        if row["entry_type"] == "attempt":
            row["notes"] = {"triggers": ["S2lsbCBhbGwgaHVtYW5z", "plain"]}
    report.write_text("\n".join(map(json.dumps, rows)))
    marks = {}
    with Served(report) as served:
        for _ in range(2):
            shown = served.ask("show")
            marks[shown["question"]["text"]] = shown["marks"]["text"]
            assert [text for text, _ in shown["triggers"]] == [
                "S2lsbCBhbGwgaHVtYW5z",
                "Base64: Kill all humans",
                "plain",
            ]
            served.answer("hit")
    assert marks == {
        r"\x1b[2J": [],
        "\U0001f600\\x1b[2J \\u202e\u3164": [
            [1, 5, "ESC"],
            [9, 15, "right-to-left override"],
            [15, 16, "hangul filler"],
        ],
    }


def test_where_everything_is_skipped_it_ends(report: Path) -> None:
    with Served(report) as served:
        done = served.answer(*["skip"] * 50)
        assert (done["question"], done["labelled"], done["others"]) == (None, 0, 50)
        assert "nothing is labelled yet" in served.ask("score")["score"]


def test_half_a_line_of_a_killed_writer_spoils_nothing(report: Path, log: Path) -> None:
    log.write_text('{"attempt": "dan.Abla')
    with Served(report) as served:
        served.answer("hit")
        assert f"{log}, line 1" in served.end()[2]
    lines = log.read_text().splitlines()
    assert lines[0] == '{"attempt": "dan.Abla'
    assert json.loads(lines[1])["label"] == "hit"


def test_pairs_that_cannot_be_audited_are_told(report: Path) -> None:
    lines = report.read_text().splitlines(keepends=True)
    lines.remove(next(line for line in lines if "InjectBase64-" in line))
    report.write_text("".join(lines))
    with Served(report) as served:
        assert "1 pair is left out; audit says why" in served.end()[1]


def test_where_a_browser_is_seen_it_is_opened(report: Path, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    browser.chmod(0o755)
    seen = {"DISPLAY": ":9", "BROWSER": f"{browser} %s"}
    with Served(report, **seen) as served:
        for _ in range(200):
            if opened.exists() and opened.read_text():
                break
            time.sleep(0.05)
        # others can read a browser's command line: what is on it works once
        path = urlsplit(opened.read_text()).path
        assert served.url.path.split("/")[1] not in path
        for stranger in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert served.request(path=path, **stranger).code == 403
        first, second = (served.request(path=path) for _ in range(2))
        assert (first.code, first.headers["Location"]) == (303, served.address)
        assert (second.code, "Location" in second.headers) == (403, False)
        assert "ssh" not in served.end()[1]
    opened.unlink()
    for unseen in ({}, {**seen, "SSH_CONNECTION": "1.2.3.4 1 5.6.7.8 22"}):
        with Served(report, **{"BROWSER": f"{browser} %s", **unseen}) as served:
            port = served.url.port
            said = served.end()[1]
            line = rf"\n   ssh -N -L {port}:127\.0\.0\.1:{port} you@\S+\n"
            assert re.search(line, said)
    assert not opened.exists()
