# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of the shipped data, broken once, with what the contributor is told."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.detector_eval.rows import write_records
from tests.tools.labelled_data.records import WORDS, good_records
from tools.labelled_data import checking, file_rules, row_rules, trivial_features
from tools.labelled_data.command import main

EVERY_LANGUAGE = "any.AnyOutput"
MODEL = "SmolLM2-135M-Instruct (Q4_1)"
Check = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Check:
    """Check rows of a detector; exit code, findings without the path, and stderr."""
    monkeypatch.setattr(row_rules, "severe_words", lambda: frozenset({"zorp"}))
    monkeypatch.setattr(trivial_features, "REPEATS", 2)

    def checked(
        records: list[Any], name: str = "dan.DAN", *options: str, **sidecars: object
    ) -> tuple[int, list[str], str]:
        for sidecar, content in sidecars.items():
            (tmp_path / f"{sidecar}.json").write_text(json.dumps(content))
        path = write_records(tmp_path, records, name)
        code = main(["check", path, *(options or ["--quick"])])
        said = capsys.readouterr()
        lines = said.out.splitlines()
        return code, [line.removeprefix(path) for line in lines], said.err

    return checked


def test_a_good_file(check: Check) -> None:
    told = "1 files, 60 typical and 30 stress rows: every rule is kept"
    assert check(good_records(), "dan.DAN", "--") == (0, [told], "")
    quick = f"{told} but that of trivial features, which was not checked"
    assert check(good_records()) == (0, [quick], "")


def changed(**fields: Any) -> list[dict[str, Any]]:
    records = good_records()
    records[6] = records[6] | fields
    return records


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (
            changed(slice=None),
            ", line 7 (dan.DAN-006): `slice` is missing or no string; add `slice` as a"
            " string [fields]",
        ),
        (
            changed(notes="x"),
            ", line 7 (dan.DAN-006): `notes` cannot be used; expected an object such as"
            ' {"triggers": ["..."]} [fields]',
        ),
        (
            changed(output="{{unsafe_content.Nothing}} " + " ".join(WORDS)),
            ", line 7 (dan.DAN-006): the slot {{unsafe_content.Nothing}} names no word"
            " list of the installed garak; use a string detector of unsafe_content"
            " [slots]",
        ),
        (
            changed(why="zorp is said"),
            ", line 7 (dan.DAN-006): z*** (4 characters) is a severe word of garak's"
            " lists; name a slot such as {{unsafe_content.LDNOOBW}}, or add the"
            " innocent phrase around it to innocent_phrases.json with the reason"
            " [words in clear]",
        ),
        (
            changed(id="dan.DAN-000"),
            ", line 7 (dan.DAN-000): the id is that of line 1 (dan.DAN-000) already;"
            " give the row an id of its own [ids]",
        ),
        (
            changed(output=good_records()[3]["output"]),
            ", line 7 (dan.DAN-006): shares 1.00 of its word 3-grams with line 4"
            " (dan.DAN-003), at most 0.8 allowed; rewrite one of them [near-copies]",
        ),
        (
            changed(annotations={"author": "pass", "somebody": "pass"}),
            ", line 7 (dan.DAN-006): `annotations` does not have the labels of author"
            " and second; let a second rater label it: `python -m tools.labelled_data"
            " blind`, then `annotate` [ratings]",
        ),
        (
            changed(label="hit", why_label="hit"),
            ", line 7 (dan.DAN-006): the label is 'hit' but most annotations say"
            " 'pass'; correct one of them, or leave `label` out [fields]",
        ),
        (
            changed(annotations={"author": "hit", "second": "pass"}),
            ", line 7 (dan.DAN-006): `why` argues for hit, the label of its author, and"
            " the label is pass; say why the row may mislead the detector with the"
            " label that it has, and name that label in `why_label` [ratings]",
        ),
        (
            good_records()[:89],
            ": 59 typical rows, at least 60 expected; add 1, or say in"
            " few_rows_reasons.json why there are no more [counts]",
        ),
        (
            changed(lang="fr"),
            ": rows in fr, but the detector's lang_spec is English alone; leave them"
            " out [languages]",
        ),
        (
            [*good_records(), "{"],
            ": not JSON (expecting property name enclosed in double quotes); expected"
            " one JSON object a line [json]",
        ),
    ],
)
def test_one_broken_rule(check: Check, records: list[Any], expected: str) -> None:
    code, found, said = check(records)
    assert (code, found) == (3, [expected])
    assert said.endswith("stress rows: 1 findings; correct them and check again\n")


def test_all_findings_come_at_once(check: Check) -> None:
    _, found, _ = check(changed(slice="No Slice", lang="x", why="zorp"))
    rules = [text.rpartition("[")[2] for text in found]
    assert rules == ["fields]", "fields]", "words in clear]", "languages]"]


def test_a_third_rater_may_decide_against_the_author(check: Check) -> None:
    labels = {"author": "hit", "second": "pass"}
    assert check(changed(annotations=labels, why_label="pass"))[0] == 0


def test_classes_and_stress_rows_are_counted(check: Check) -> None:
    records = good_records()
    for number, row in enumerate(records):
        label = "hit" if number < 80 else "pass"
        row |= {"label": label, "annotations": {"author": label, "second": label}}
        row.pop("why", None)
        if number < 19:
            row["why"] = "made so"
    counted = [
        ": 10 typical passes, at least 24 expected; add 14, or say in"
        " few_rows_reasons.json why there are no more [counts]",
        ": 19 stress rows, at least 20 expected; write 1 more [counts]",
        ": 0 stress passes, at least 1 expected; write 1 more [counts]",
    ]
    assert check(records)[1] == counted
    reasons = {"dan.DAN": "models never refuse this"}
    assert check(records, few_rows_reasons=reasons)[1] == counted[1:]


def test_raters_agree_far_enough(check: Check) -> None:
    records = good_records()
    for row in records[:20]:
        row["annotations"]["second"] = "hit"
    assert check(records)[1] == [
        ": two raters agree with an alpha of 0.78, at least 0.8 expected; decide in"
        " families.json what they read differently, and let both label the rows again"
        " [ratings]"
    ]


def test_little_of_what_a_real_model_said_is_babble(check: Check) -> None:
    records = good_records()
    for row in records[:39]:
        row.update(basis="real", model=MODEL)
        row["source"] = f"{MODEL}, persona plain, probe dan.DAN, garak 0.17.1"
    for number in (1, 2):
        records[number]["output"] = f"and {number} then on " * 20
    assert check(records)[1] == [
        ": 2 of 39 real rows are babble (dan.DAN-001, dan.DAN-002), at most one of 20"
        " expected; leave some of them out, and draw others at random [real rows]"
    ]


def test_a_file_of_no_detector(check: Check) -> None:
    assert check(good_records("dan.DAM"), "dan.DAM")[1] == [
        ": 'dan.DAM' is no detector of the installed garak; name it"
        " <module>.<Class>.jsonl as `garak --list_detectors` does [names]"
    ]


@pytest.mark.parametrize(
    ("languages", "few"), [("fr de pt pt-BR es", True), ("fr de pt zh es", False)]
)
def test_five_languages_where_the_detector_claims_more_than_english(
    check: Check, languages: str, few: bool
) -> None:
    records = good_records(EVERY_LANGUAGE)
    for row, language in zip(records, languages.split(), strict=False):
        row["lang"] = language
    told = (
        ": 4 languages other than English, at least 5 expected, since the detector's"
        " lang_spec is '*'; add rows in further languages, hits and passes [languages]"
    )
    code, found, _ = check(records, EVERY_LANGUAGE)
    assert (code, found) == (3, [told]) if few else code == 0


def test_trivial_features_need_a_written_reason(check: Check) -> None:
    """Typical and stress rows are judged apart: what one shows, the other hides."""
    records = good_records() + [
        row | {"id": f"{row['id']}-b", "why": "made so"} for row in good_records()
    ]
    for number, row in enumerate(records):
        is_stress = number >= 90
        if not is_stress:
            row.pop("why", None)
        row["output"] = " ".join(WORDS[(number * 7 + k * k) % 20] for k in range(9))
        row["output"] += "!!!" if (row["label"] == "hit") != is_stress else ""
    _, found, _ = check(records, "dan.DAN", "--")
    told = [text for text in found if "[trivial features]" in text]
    assert [text.partition(" apart (")[0] for text in told] == [
        ": length and punctuation alone tell the classes of typical rows",
        ": length and punctuation alone tell the classes of stress rows",
    ]
    reasons = {"dan.DAN": "shouts"}
    _, found, _ = check(records, "dan.DAN", "--", trivial_feature_reasons=reasons)
    assert not any("[trivial features]" in text for text in found)


def test_files_are_judged_by_name_and_size(check: Check) -> None:
    records = good_records()
    for number, row in enumerate(records):
        content = bytes(1000 if row["label"] == "hit" else 10)
        encoded = base64.b64encode(content).decode()
        row["file"] = {"name": f"{WORDS[number % 9]}.bin", "base64": encoded}
    _, found, _ = check(records, "dan.DAN", "--")
    assert any("tell the classes of typical rows" in text for text in found)


@pytest.mark.parametrize(
    ("families", "told"),
    [
        (
            [],
            'dan.DAN is in no family of families.json; add "dan.DAN" to `detectors`'
            " of the family whose labelling rules it follows, or add a family with"
            " `name`, `detectors`, `rules`",
        ),
        (
            ["A", "B"],
            "dan.DAN is in A, B of families.json; name it in one only",
        ),
    ],
)
def test_every_file_is_in_one_family(
    check: Check, families: list[str], told: str
) -> None:
    known = [{"name": name, "detectors": ["dan.*"], "rules": []} for name in families]
    assert check(good_records(), families=known)[1] == [f": {told} [families]"]
    assert check(good_records(), families=known[:1])[0] == (0 if known else 3)


LINE = {
    "name": "dan.DAN",
    "detectors": ["dan.*"],
    "median": [30, 60],
    "ninetieth": [100],
    "fences": [0.1],
    "lists": [0.0, 0.9],
    "paragraphs": [0.5],
    "cut": [0.0],
}


def test_typical_rows_look_like_what_real_models_answer(check: Check) -> None:
    """A length within a factor of 1.5, a share within .2."""
    records = good_records()
    for number, row in enumerate(records):
        row["output"] = f"{number}, yes" if number % 2 else f"no {number}."
    _, found, _ = check(records, response_shapes={"lines": [LINE]})
    said = "of typical rows is {}, that of real responses (dan.DAN) asks for {} to {};"
    assert [
        text.partition(" write typical")[0] for text in found if "shapes" in text
    ] == [
        ": the median length " + said.format(6, 20, 90),
        ": the 90 % length " + said.format(7, 67, 150),
        ": the share of paragraphs " + said.format("0.00", "0.30", "0.70"),
        ": the share of cut ends " + said.format("0.50", "0.00", "0.20"),
    ]
    other = {**LINE, "detectors": ["apikey.*"]}
    assert check(good_records(), response_shapes={"lines": [other]})[1] == [
        ": dan.DAN takes no line of response_shapes.json; add it to `detectors` of the"
        " nearest line [shapes]"
    ]


@pytest.mark.parametrize(
    ("sidecar", "content", "told"),
    [
        ("innocent_phrases", {"a": ""}, "expected an object whose values are reasons"),
        ("families", [{"name": "A"}], "expected a JSON list of families"),
        ("response_shapes", {"lines": [{}]}, "expected `lines` of figures"),
    ],
)
def test_a_sidecar_of_another_form_is_one_line(
    check: Check, tmp_path: Path, sidecar: str, content: object, told: str
) -> None:
    code, found, said = check(good_records(), **{sidecar: content})
    assert (code, found, said.count("\n")) == (1, [], 1)
    assert said.startswith(f"garak-tbsa: {tmp_path}/{sidecar}.json: {told}; ")


def test_a_folder_is_checked_as_a_whole(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sidecars stand in the folder or above it."""
    monkeypatch.setattr(checking, "LEAST_SERVED", 3)
    monkeypatch.setattr(file_rules, "LEAST_REAL_DETECTORS", 1)
    mapping = {EVERY_LANGUAGE: "dan.DAN", "dan.AntiDAN": "dan.DUDE", "x.Y": "dan.DAN"}
    folder = tmp_path / "labelled"
    folder.mkdir()
    write_records(folder, good_records())
    (folder / "served_by.json").write_text(json.dumps(mapping))
    (tmp_path / "trivial_feature_reasons.json").write_text('{"dan.DUDE": "gone"}')
    assert checking.check_folder(str(folder)) == [
        "served_by.json: dan.AntiDAN is served by dan.DUDE.jsonl, which does not exist;"
        " add the file, or name another [served]",
        "served_by.json: 'x.Y' is no detector of the installed garak; name it"
        " <module>.<Class>.jsonl as `garak --list_detectors` does [names]",
        "trivial_feature_reasons.json: a reason for dan.DUDE, which has no labelled"
        " file; take it out [reasons]",
        f"{folder}: 0 detectors have 25 rows of a real model, at least 1 expected; add"
        " labelled responses of its scans [real rows]",
    ]
    (folder / "served_by.json").write_text("[]")
    broken, _, _ = checking.check_folder(str(folder))
    assert broken == (
        f"{folder}: expected an object of detector -> data file without its ending;"
        " correct the file [served]"
    )
    (folder / "served_by.json").unlink()
    assert (
        "served_by.json: 1 detectors have data, at least 3 expected"
        in (checking.check_folder(str(folder))[0])
    )


def test_a_path_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {tmp_path}/none: does not exist; give a folder, or files such as"
        " dan.DAN.jsonl\n"
    )
