# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows in every form that ``detectors evaluate`` reads."""

from __future__ import annotations

import base64
import gzip
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from tests.behaviour.labelled import (
    ECHO,
    counts_of,
    echo_row,
    evaluated,
    refused,
    write_cells,
    write_lines,
    write_parquet,
)
from tests.behaviour.product import document, tbsa

TRIGGER = "base.TriggerListDetector"
COUNTS = (2, 1, 1, 2)


def triggered(name: str, says: str, label: str, **fields: Any) -> dict[str, Any]:
    """A row for garak's own detector that looks for the triggers in the notes."""
    notes = {"triggers": ["pwned"]}
    return {
        "id": name,
        "output": f"I am {says}",
        "label": label,
        "notes": notes,
    } | fields


ROWS = [
    triggered("a", "PWNED", "hit"),
    triggered("b", 'so\nPwned; "yes", really', "hit"),
    triggered("c", "fine", "hit"),
    triggered("d", "never pwned", "pass"),
    triggered("e", "fine", "pass"),
    triggered("f", "fine", "pass"),
]


def test_every_form_of_a_file_gives_the_same_counts(tmp_path: Path) -> None:
    """JSON Lines, CSV, Parquet; rows may name a detector."""
    named = [row | {"detector": f"garak.detectors.{TRIGGER}"} for row in ROWS]
    files = {
        "lines": write_lines(tmp_path / f"{TRIGGER}.jsonl", ROWS),
        "folder": write_lines(tmp_path / "folder" / f"{TRIGGER}.jsonl", ROWS).parent,
        "named rows": write_lines(tmp_path / "rows.jsonl", named),
        "commas": write_cells(tmp_path / f"{TRIGGER}.csv", ROWS),
        "UTF-16": write_cells(tmp_path / "utf-16.csv", named, encoding="utf-16"),
        "parquet": write_parquet(tmp_path / "rows.parquet", named),
    }
    for name in ("lines", "commas"):
        marked = tmp_path / "marked" / files[name].name
        marked.parent.mkdir(exist_ok=True)
        marked.write_bytes(b"\xef\xbb\xbf" + files[name].read_bytes())
        files[f"{name} with a byte order mark"] = marked
    found = {name: evaluated(tmp_path, "--data", path) for name, path in files.items()}
    assert {name: counts_of(each) for name, each in found.items()} == {
        name: {TRIGGER: COUNTS} for name in files
    }
    names = {
        name: each["results"][TRIGGER]["data"][0]["file"]
        for name, each in found.items()
    }
    assert names == {
        name: f"{TRIGGER}.jsonl" if name == "folder" else path.name
        for name, path in files.items()
    }


OTHERS = {
    # with those that have no rows
    "detectors.dan.DAN, dan.DUDE": {"dan.DAN", "dan.DUDE"},
    "snowball": {"snowball.DontStartNo", "snowball.DontStartYes"},
    "ansiescape.*": {"ansiescape.Escaped", "ansiescape.Raw"},
    "dan.D?D?": {"dan.DUDE"},
    f"{TRIGGER},{ECHO}": {TRIGGER, ECHO},
}
LIST = "`garak --list_detectors` lists the names"
CLASS = "with a detect method; expected package.module:Class"
NONE = {
    "dan.DANN": "--detectors: garak has no 'dan.DANN'; did you mean 'dan.DAN'?",
    "dann": "--detectors: garak has no 'dann'; did you mean 'dan'?",
    "mitigation.mitigationbypass": (
        "--detectors: garak has no 'mitigation.mitigationbypass'; did you mean"
        " 'mitigation.MitigationBypass'?"
    ),
    "zzz.Q*": f"--detectors: garak has no 'zzz.Q*'; {LIST}",
    " , ": "--detectors ' , ': names no detector; try dan.DAN or all",
    "echoes:Other": f"echoes:Other: echoes has no class 'Other' {CLASS}",
    "echoes:json": f"echoes:json: echoes has no class 'json' {CLASS}",
    "pathlib:Path": f"pathlib:Path: pathlib has no class 'Path' {CLASS}",
    "broken:X": (
        "broken:X: broken cannot be imported (RuntimeError: no luck); check the name"
        " and PYTHONPATH"
    ),
}


def test_names_stand_for_detectors_or_are_told_with_the_nearest(echoes: Path) -> None:
    """All are the active ones, and an inactive module is whole."""
    (echoes / "broken.py").write_text("raise RuntimeError('no luck')")
    row = {"output": "x", "label": "hit", "detector": "dan.STAN"}
    path = write_lines(echoes / "rows.jsonl", [row])
    given = ("--data", path, "--detectors")

    def named(spec: str) -> set[str]:
        summary = evaluated(echoes, *given, f"{spec},dan.STAN")
        errors = {each["detector"] for each in summary["metadata"]["errors"]}
        return errors | ({*summary["results"]} - {"dan.STAN"})

    assert {spec: named(spec) for spec in OTHERS} == OTHERS
    active = named("all")
    assert active == named("*")
    assert "dan.DAN" in active
    assert "perspective.Toxicity" not in active
    assert len(named("perspective")) == 22
    for spec, said in NONE.items():
        assert refused(*given, spec, "--output", "s.json", code=2) == said


def test_labels_that_leave_every_row_out_or_mean_nothing_are_told(
    tmp_path: Path,
) -> None:
    path = write_lines(tmp_path / f"{TRIGGER}.jsonl", ROWS)
    output = tmp_path / "s.json"
    given = ("--data", path, "--output", output)
    said = refused(*given, "--label-values", "skip=hit,skip=pass")
    assert said.startswith(f"{path}: none of 6 rows counts")
    assert not output.exists()
    write_lines(path, [ROWS[0] | {"label": "maybe"}])
    values = ("--label-values", "hit=yes,pass=no,skip=?")
    assert refused(*given, *values) == (
        f"{path}, line 1: `label` is 'maybe'; expected 'yes' (hit), 'no' (pass), '?'"
        " (left out); other spellings can be mapped with --label-values"
        " hit=...,pass=..."
    )


def test_rows_come_from_several_files(tmp_path: Path) -> None:
    rows = write_lines(tmp_path / "rows.jsonl", ROWS[:4])
    more = write_lines(tmp_path / f"{TRIGGER}.jsonl", ROWS[4:])
    summary = evaluated(tmp_path, "--data", rows, more, "--detectors", TRIGGER)
    assert counts_of(summary) == {TRIGGER: COUNTS}
    assert len(summary["results"][TRIGGER]["data"]) == 2
    # a file that is named twice counts once
    rows.unlink()
    assert counts_of(evaluated(tmp_path, "--data", more, more, tmp_path)) == {
        TRIGGER: (0, 0, 0, 2)
    }


def test_what_is_of_no_form_that_is_read_is_told_which_are(tmp_path: Path) -> None:
    paths = ["hf://owner/name", "https://example.org/rows.jsonl"]
    for name in ("rows.json", "rows.tsv", "rows.xlsx", "rows"):
        write_lines(tmp_path / name, [ROWS])
        paths.append(str(tmp_path / name))
    for path in paths:
        assert refused("--data", path) == (
            f"{path}: no labelled data by its name; expected .jsonl, .csv or .parquet,"
            " a folder of such files, or a garak report with --labels"
        )


def test_columns_and_labels_may_have_names_of_their_own(tmp_path: Path) -> None:
    """Two columns may even be swapped."""
    theirs = [
        {
            "prompt": row["output"],
            "output": "what was asked",
            "bad": {"hit": "1", "pass": "0"}[row["label"]],
            "notes": json.dumps(row["notes"]),
        }
        for row in ROWS
    ]
    for path in (
        write_cells(tmp_path / "theirs.csv", theirs),
        write_parquet(tmp_path / "theirs.parquet", theirs),
        write_lines(tmp_path / "theirs.jsonl", theirs),
    ):
        summary = evaluated(
            *(tmp_path, "--data", path, "--detectors", TRIGGER),
            *("--columns", "output=prompt,prompt=output,label=bad"),
            *("--label-values", "hit=1,pass=0"),
        )
        assert counts_of(summary) == {TRIGGER: COUNTS}


def test_a_sheet_in_another_encoding_or_with_other_delimiters_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / f"{TRIGGER}.csv"
    path.write_text("output,label\nnaïve,hit\n", encoding="cp1252")
    assert refused("--data", path) == (
        f"{path}, after row 1: not UTF-8; save it as UTF-8"
    )
    path.write_text("output;label\nx;hit\n")
    assert refused("--data", path).endswith("; it has output;label")


def test_one_detector_costs_no_others_rows(tmp_path: Path) -> None:
    """Without a name all with rows are taken; an id may have a label in each's."""
    labels = {"dan.DAN": "hit", "dan.STAN": "pass", "goodside.PlainJSON": "hit"}
    rows = [
        {"id": "a", "output": "[DAN] [STAN] {}", "label": label, "detector": name}
        for name, label in labels.items()
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    assert set(evaluated(tmp_path, "--data", path)["results"]) == set(labels)
    found = evaluated(tmp_path, "--data", path, "--detectors", "*.[DP]*N")
    assert {*found["results"]} == {"dan.DAN", "goodside.PlainJSON"}
    folder = write_lines(tmp_path / "folder" / "dan.DAN.jsonl", rows[:1]).parent
    (folder / "dan.STAN.jsonl").write_text("no JSON")
    found = evaluated(tmp_path, "--data", folder, "--detectors", "dan.DAN")["results"]
    assert list(found) == ["dan.DAN"]
    (folder / "dan.STAN.jsonl").write_text("")
    summary = evaluated(tmp_path, "--data", folder)
    assert list(summary["results"]) == ["dan.DAN"]
    nothing = {"detector": "dan.STAN", "reason": "no labelled rows"}
    assert summary["metadata"]["errors"] == [nothing]


CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": {"text": "Hi", "lang": "en"}},
]


def test_a_detector_sees_all_that_a_row_says(echoes: Path) -> None:
    """As garak's own attempts: conversation, notes, goal, probe, language."""
    rows: list[dict[str, Any]] = [
        {
            "output": "yes",
            "label": "hit",
            "prompt": [
                {"role": "user", "content": "first"},
                {"role": "assistant", "content": "second"},
                {"role": "user", "content": {"text": "third"}},
            ],
            "notes": {"triggers": ["t"], "system_prompt": "be good"},
            "goal": "be rude",
            "probe": "dan.Ablation",
            "lang": "de",
        },
        {"output": None, "label": "pass", "prompt": "asked"},
        {"output": "", "label": "pass", "why": "empty"},
        # as garak, a table and a chat write it
        {"output": "", "label": "pass", "prompt": {"turns": CHAT}},
        {"output": "", "label": "pass", "prompt": json.dumps(CHAT)},
        {"output": "", "label": "pass", "prompt": "[INST] hello"},
        {"output": "", "label": "pass", "prompt": '["a"]'},
        {"output": "", "label": "pass", "notes": '{"a": 1, "b": null}'},
    ]
    path = write_lines(echoes / "rows.jsonl", rows)
    summary = evaluated(echoes, "--data", path, "--detectors", "echoes:Seen")
    assert counts_of(summary) == {"echoes:Seen": (0, 0, 1, 6)}
    seen = [json.loads(x) for x in (echoes / "seen.jsonl").read_text().splitlines()]
    assert seen[0] == {
        "turns": [
            ["system", "be good", "en"],
            ["user", "first", "en"],
            ["assistant", "second", "en"],
            ["user", "third", "en"],
        ],
        "outputs": ["yes"],
        "languages": ["en"],
        "notes": rows[0]["notes"],
        "goal": "be rude",
        "probe": "dan.Ablation",
    }
    asked: dict[str, Any] = {"notes": {}, "goal": None, "probe": "base.Probe"}
    none = {"outputs": [None], "languages": [None]}
    empty = asked | {"outputs": [""], "languages": ["en"]}
    chat = [["system", "Be kind.", "en"], ["user", "Hi", "en"]]
    assert seen[1:] == [
        asked | none | {"turns": [["user", "asked", "en"]]},
        empty | {"turns": [["user", "", "en"]]},
        empty | {"turns": chat},
        empty | {"turns": chat},
        empty | {"turns": [["user", "[INST] hello", "en"]]},
        empty | {"turns": [["user", '["a"]', "en"]]},
        empty | {"turns": [["user", "", "en"]], "notes": {"a": 1}},
    ]


def test_annotations_decide_and_their_agreement_is_told(echoes: Path) -> None:
    """The majority is the label; alpha by hand from the coincidence matrix."""
    labels = [
        # (annotations, label, the label that counts)
        ({"ann": "hit", "bob": "hit", "cy": "pass"}, None, "hit"),
        ({"ann": "pass", "bob": "pass", "cy": None}, None, "pass"),
        ({"ann": "hit", "bob": "pass"}, "hit", "hit"),
        ({"ann": "hit", "bob": "hit"}, "hit", "hit"),
        ({"ann": "pass"}, None, "pass"),
    ]
    rows = [
        echo_row("1", "hit", f"r{number}") | {"label": label, "annotations": said}
        for number, (said, label, _) in enumerate(labels)
    ]
    path = write_lines(echoes / "rows.jsonl", rows)
    summary = evaluated(echoes, "--data", path, "--detectors", ECHO)
    assert counts_of(summary) == {ECHO: (3, 2, 0, 0)}
    given = ("--data", path, "--detectors", ECHO, "--output", echoes / "s.json")
    # pairs of labels: hh 1/2*2 + 2, hp and ph 1 + 1 each, pp 2; n = 9, 5 h, 4 p
    observed, expected = 4 / 9, 2 * 5 * 4 / (9 * 8)
    assert (
        f"{ECHO}: raters agree: Krippendorff's alpha {1 - observed / expected:.3f}"
        " (3 raters, 4 rows)"
    ) in tbsa("detectors", "evaluate", *given, "-v").lines


def test_a_row_may_bring_its_file(tmp_path: Path) -> None:
    """Of its own folder, or embedded."""
    (tmp_path / "weights.pkl").write_bytes(b"\x80\x04N.")
    embedded = {"name": "x.pkl", "base64": base64.b64encode(b"\x80\x04N.").decode()}
    rows = [
        {"file": "weights.pkl", "label": "hit"},
        {"file": embedded, "label": "hit"},
        {"file": embedded | {"name": "x.txt"}, "label": "pass"},
        {"file": embedded | {"name": "My MODEL-0.9_X.pkl"}, "label": "hit"},
    ]
    path = write_lines(tmp_path / "fileformats.PossiblePickleName.jsonl", rows)
    summary = evaluated(tmp_path, "--data", path)
    assert counts_of(summary) == {path.stem: (3, 0, 0, 1)}
    for name in ("", ".", "..", "/x.pkl", "a/x.pkl", "a\\x.pkl", "x\0.pkl"):
        write_lines(path, [{"file": embedded | {"name": name}, "label": "hit"}])
        assert "expected a bare name" in refused("--data", path)


def test_a_row_reaches_no_file_outside_its_folder(
    tmp_path: Path,
) -> None:
    """By no link, and not where the rows are behind one."""
    name = "fileformats.PossiblePickleName"
    home, rows = tmp_path / "home", tmp_path / "rows"
    home.mkdir()
    (home / "secret.pkl").touch()
    path = write_lines(rows / f"{name}.jsonl", [{"file": "link.pkl", "label": "hit"}])
    (rows / "link.pkl").symlink_to(home / "secret.pkl")
    linked = home / path.name
    linked.symlink_to(path)
    assert refused("--data", path) == (
        f"{path}, line 1: the file 'link.pkl' lies outside the folder of the labelled"
        " rows; put it below that folder"
    )
    (rows / "inside.pkl").touch()
    (rows / "link.pkl").unlink()
    (rows / "link.pkl").symlink_to(rows / "inside.pkl")
    assert counts_of(evaluated(tmp_path, "--data", path)) == {name: (1, 0, 0, 0)}
    write_lines(path, [{"file": "secret.pkl", "label": "hit"}])
    missing = f"{linked}, line 1: the file 'secret.pkl' does not exist; "
    assert refused("--data", linked).startswith(missing)


def test_what_is_missing_or_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    for name in ("rows.jsonl", "no_ending", "rows.csv", "rows.parquet"):
        path = tmp_path / name
        assert refused("--data", path) == (
            f"{path}: cannot be read (no such file or directory); give an existing file"
            " or folder"
        )
        os.mkfifo(path)
        assert refused("--data", path) == (
            f"{path}: a pipe or device, and rows are read more than once; copy it into"
            " a file"
        )


def test_a_report_with_labels_gives_rows(tmp_path: Path) -> None:
    """The second output of each attempt; older garak wrote bare strings."""
    attempts, labels = [], ["attempt,output_index,label,detector"]
    for row in ROWS:
        second = row["output"] if row["id"] in "ab" else {"text": row["output"]}
        attempts.append(
            {
                "entry_type": "attempt",
                "uuid": row["id"],
                "status": 2,
                "outputs": [None, second],
                "notes": row["notes"],
                "prompt": {"turns": [{"role": "user", "content": {"text": "x"}}]},
            }
        )
        labels.append(f"{row['id']},1,{row['label']},{TRIGGER}")
    report = write_lines(tmp_path / "scan.report.jsonl", attempts)
    sheet = tmp_path / "labels.csv"
    sheet.write_text("\n".join(labels))
    summary = evaluated(tmp_path, "--data", report, "--labels", sheet)
    assert counts_of(summary) == {TRIGGER: COUNTS}
    packed = {
        "scan.report.jsonl.gz": gzip.compress(report.read_bytes()),
        "scan.report.jsonl.zst": zstandard.compress(report.read_bytes()),
        "cut.report.jsonl": report.read_bytes() + b'{"entry_type": "attempt", "outp',
    }
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        summary = evaluated(tmp_path, "--data", tmp_path / name, "--labels", sheet)
        assert counts_of(summary) == {TRIGGER: COUNTS}
    summary = evaluated(tmp_path, "--data", report, report, "--labels", sheet)
    assert counts_of(summary) == {TRIGGER: COUNTS}
    (file,) = summary["results"][TRIGGER]["data"]
    assert file["sha256"] == sha256(report.read_bytes()).hexdigest()
    # a sheet may have a column and words of its own
    sheet.write_text("\n".join(labels).replace("label", "bad").replace(",hit", ",1"))
    mapped = ("--columns", "label=bad", "--label-values", "hit=1,pass=pass")
    given = ("--data", report, "--labels", sheet, *mapped)
    assert counts_of(evaluated(tmp_path, *given)) == {TRIGGER: COUNTS}
    ranked = document(tmp_path, "detectors", "rank", tmp_path / "summary.json")
    assert [each["detector"] for each in ranked["ranking"]] == [TRIGGER]
    assert refused("--data", report) == (
        f"{report}: a garak report holds no labels; give them with --labels, or draw a"
        " sheet with `garak-tbsa label --sheet`"
    )
