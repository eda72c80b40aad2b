# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of the shipped data, broken once, with what the contributor is told."""

import base64
import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from garak_tbsa.errors import DatasetError
from tests.detector_eval.rows import write_records
from tests.tools.labelled_data.records import WORDS, good_records
from tools.labelled_data import check_data as module
from tools.labelled_data import real_rows
from tools.labelled_data.check_data import (
    Sidecars,
    check_file,
    check_folder,
    read_sidecars,
)
from tools.labelled_data.families import Family
from tools.labelled_data.garak_facts import GarakFacts
from tools.labelled_data.trivial_features import TrivialScore

MODEL = "SmolLM2-135M-Instruct (Q4_1)"
KNOWN = {"dan.DAN": "en", "fake.Poly": "*", "fake.Silent": None, "fake.Files": "*"}


def no_word_list(name: str) -> NoReturn:
    raise ValueError(name)


GARAK = GarakFacts(
    is_detector=KNOWN.__contains__,
    languages_of=KNOWN.get,
    word_list=no_word_list,
    severe_words=frozenset({"zorp"}),
)
NO_EXCEPTIONS = Sidecars(trivial_reasons={}, innocent_phrases={})


def texts(
    folder: Path,
    records: list[Any],
    name: str = "dan.DAN",
    sidecars: Sidecars = NO_EXCEPTIONS,
    quick: bool = True,
) -> list[str]:
    path = write_records(folder, records, name)
    checked = check_file(path, GARAK, sidecars, quick=quick)
    return [finding.text.removeprefix(f"{path}") for finding in checked.findings]


def test_a_good_file(tmp_path: Path) -> None:
    records = good_records()
    assert texts(tmp_path, records) == []
    path = write_records(tmp_path, records)
    assert check_file(path, GARAK, NO_EXCEPTIONS).rows == len(records)


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
            ", line 7 (dan.DAN-006): `notes` is a string; expected an object such as"
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
            good_records()[:89],
            ": 59 typical rows, at least 60 expected; add 1, or say in"
            " few_rows_reasons.json why there are no more [counts]",
        ),
        (
            changed(lang="fr"),
            ": rows in fr, but the detector's lang_spec is English alone; leave them"
            " out [languages]",
        ),
    ],
)
def test_one_broken_rule(tmp_path: Path, records: list[Any], expected: str) -> None:
    assert texts(tmp_path, records) == [expected]


def test_all_findings_come_at_once(tmp_path: Path) -> None:
    found = texts(tmp_path, changed(slice="No Slice", lang="x", why="zorp"))
    assert [text.rpartition("[")[2] for text in found] == [
        "fields]",
        "fields]",
        "words in clear]",
        "languages]",
    ]


def test_classes_and_stress_rows_are_counted(tmp_path: Path) -> None:
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
    assert texts(tmp_path, records) == counted
    reasoned = Sidecars(
        trivial_reasons={},
        innocent_phrases={},
        few_rows_reasons={"dan.DAN": "models never refuse this"},
    )
    assert texts(tmp_path, records, sidecars=reasoned) == counted[1:]


def test_each_row_has_two_labels(tmp_path: Path) -> None:
    """A second rater labels all rows; both labels stand in ``annotations``."""
    records = good_records()
    del records[0]["annotations"]
    records[1]["annotations"] = {"author": "hit", "somebody": "hit"}
    records[2]["label"] = "hit"
    records[3]["annotations"]["second"] = "pass"
    assert texts(tmp_path, records) == [
        ", line 1 (dan.DAN-000): `annotations` does not have the labels of author and"
        " second; let a second rater label it: `python -m tools.labelled_data blind`,"
        " then `annotate` [ratings]",
        ", line 2 (dan.DAN-001): `annotations` does not have the labels of author and"
        " second; let a second rater label it: `python -m tools.labelled_data blind`,"
        " then `annotate` [ratings]",
        ", line 3 (dan.DAN-002): the label is 'hit' but most annotations say 'pass';"
        " correct one of them, or leave `label` out [fields]",
    ]


def test_a_why_argues_for_the_label_that_the_row_has(tmp_path: Path) -> None:
    """A third rater may decide against the author, whose `why` says the contrary."""
    records = good_records()
    assert records[3]["label"] == "hit"
    records[3]["annotations"] = {"author": "pass", "second": "hit"}
    (text,) = texts(tmp_path, records)
    assert text.startswith(
        ", line 4 (dan.DAN-003): `why` argues for pass, the label of"
    )
    assert (
        texts(tmp_path, [*records[:3], records[3] | {"why_label": "hit"}, *records[4:]])
        == []
    )


def test_raters_agree_far_enough(tmp_path: Path) -> None:
    records = good_records()
    for row in records[:20]:
        row["annotations"]["second"] = "hit"
    assert texts(tmp_path, records) == [
        ": two raters agree with an alpha of 0.78, at least 0.8 expected; decide in"
        " families.json what they read differently, and let both label the rows again"
        " [ratings]"
    ]


def test_little_of_what_a_real_model_said_is_babble(tmp_path: Path) -> None:
    records = good_records()
    for row in records[:39]:
        row.update(basis="real", model=MODEL)
        row["source"] = f"{MODEL}, persona plain, probe dan.DAN, garak 0.17.1"
    for number in (1, 2):
        records[number]["output"] = f"and {number} then on " * 20
    assert texts(tmp_path, records) == [
        ": 2 of 39 real rows are babble (dan.DAN-001, dan.DAN-002), at most one of 20"
        " expected; leave some of them out, and draw others at random [real rows]"
    ]


def test_a_line_that_is_no_json(tmp_path: Path) -> None:
    found = texts(tmp_path, [*good_records(), "{"])
    assert found == [
        ": not JSON (expecting property name enclosed in double quotes); expected one"
        " JSON object a line [json]"
    ]


def test_a_file_of_no_detector(tmp_path: Path) -> None:
    found = texts(tmp_path, good_records("dan.DAM"), "dan.DAM")
    assert found == [
        ": 'dan.DAM' is no detector of the installed garak; name it"
        " <module>.<Class>.jsonl as `garak --list_detectors` does [names]"
    ]


def spoken(detector: str, *languages: str) -> list[dict[str, Any]]:
    records = good_records(detector)
    for number, language in enumerate(languages):
        records[number]["lang"] = language
    return records


def test_five_languages_where_the_detector_claims_more_than_english(
    tmp_path: Path,
) -> None:
    few = spoken("fake.Poly", "fr", "de", "pt", "pt-BR", "es")
    assert texts(tmp_path, few, "fake.Poly") == [
        ": 4 languages other than English, at least 5 expected, since the detector's"
        " lang_spec is '*'; add rows in further languages, hits and passes [languages]"
    ]
    enough = spoken("fake.Poly", "fr", "de", "pt", "zh", "es")
    assert texts(tmp_path, enough, "fake.Poly") == []
    assert texts(tmp_path, good_records("fake.Silent"), "fake.Silent") == []


def given_away() -> list[dict[str, Any]]:
    records = good_records()
    for row in records:
        row["output"] += "!!!" if row["label"] == "hit" else ""
    return records


def test_trivial_features_need_a_written_reason(tmp_path: Path) -> None:
    assert texts(tmp_path, given_away()) == []
    for kind, found in zip(
        ("typical", "stress"),
        texts(tmp_path, given_away(), quick=False),
        strict=True,
    ):
        assert found.startswith(
            f": length and punctuation alone tell the classes of {kind} rows apart"
            " (logistic regression, balanced accuracy 1.00); give hits and passes the"
            " same spread"
        )
        assert found.endswith("the failure itself is such a feature [trivial features]")
    reasoned = Sidecars(trivial_reasons={"dan.DAN": "shouts"}, innocent_phrases={})
    assert texts(tmp_path, given_away(), sidecars=reasoned, quick=False) == []


def test_typical_and_stress_rows_are_judged_apart(tmp_path: Path) -> None:
    """What the one kind gives away, the other hid: hits end the other way round."""
    records = good_records()
    records += [row | {"id": f"{row['id']}-b"} for row in good_records()]
    for number, row in enumerate(records):
        row.pop("why", None)
        row["output"] = " ".join(WORDS[(number * 7 + k * k) % 9] for k in range(9))
        row["label"] = "hit" if number % 2 else "pass"
        is_stress = number >= len(records) // 2
        if is_stress:
            row["why"] = "made so"
        row["output"] += "!!!" if (row["label"] == "hit") != is_stress else ""
    found = [text for text in texts(tmp_path, records, quick=False) if "alone" in text]
    assert [text.partition(" apart (")[0] for text in found] == [
        ": length and punctuation alone tell the classes of typical rows",
        ": length and punctuation alone tell the classes of stress rows",
    ]


def test_few_stress_rows_must_be_far_above_the_limit() -> None:
    """On 30 rows, luck moves a balanced accuracy by 0.1."""
    score = TrivialScore(balanced_accuracy=0.85, classifier="boosted stumps")
    assert score.is_excessive()
    assert not score.is_excessive(rows=30)
    assert TrivialScore(
        balanced_accuracy=0.9, classifier="boosted stumps"
    ).is_excessive(rows=30)


def test_files_are_judged_by_name_and_size(tmp_path: Path) -> None:
    records = good_records("fake.Files")
    for number, row in enumerate(records):
        content = bytes(1000 if row["label"] == "hit" else 10)
        encoded = base64.b64encode(content).decode()
        row["file"] = {"name": f"{WORDS[number % 9]}.bin", "base64": encoded}
        row["output"] = "the same"
    for found in texts(tmp_path, records, "fake.Files", quick=False):
        assert "tell the classes of" in found


def test_sidecars_are_beside_or_above(tmp_path: Path) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    assert read_sidecars(str(folder)) == NO_EXCEPTIONS
    (tmp_path / "innocent_phrases.json").write_text('{"big zorp": "a tree"}')
    (folder / "trivial_feature_reasons.json").write_text('{"dan.DAN": "loud"}')
    assert read_sidecars(str(folder)) == Sidecars(
        trivial_reasons={"dan.DAN": "loud"}, innocent_phrases={"big zorp": "a tree"}
    )
    for broken in ("[]", "{", '{"a": ""}', '{"a": 1}'):
        (tmp_path / "innocent_phrases.json").write_text(broken)
        with pytest.raises(DatasetError) as caught:
            read_sidecars(str(folder))
        assert str(caught.value) == (
            f"{tmp_path}/innocent_phrases.json: expected an object whose values are"
            " reasons"
        )


def test_whom_the_folder_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST_SERVED", 3)
    monkeypatch.setattr(real_rows, "LEAST_REAL_DETECTORS", 0)
    write_records(tmp_path, good_records())
    mapping = {"fake.Poly": "dan.DAN", "fake.Silent": "dan.DUDE", "x.Y": "dan.DAN"}
    (tmp_path / "served_by.json").write_text(json.dumps(mapping))
    stale = Sidecars(trivial_reasons={"dan.DUDE": "gone"}, innocent_phrases={})
    found = check_folder(str(tmp_path), GARAK, stale)
    assert [finding.text for finding in found] == [
        "served_by.json: fake.Silent is served by dan.DUDE.jsonl, which does not exist;"
        " add the file, or name another [served]",
        "served_by.json: 'x.Y' is no detector of the installed garak; name it"
        " <module>.<Class>.jsonl as `garak --list_detectors` does [names]",
        "trivial_feature_reasons.json: a reason for dan.DUDE, which has no labelled"
        " file; take it out [reasons]",
    ]


def test_enough_detectors_have_rows_of_a_real_model(tmp_path: Path) -> None:
    found = check_folder(str(tmp_path), GARAK, NO_EXCEPTIONS)
    assert found[-1].text == (
        f"{tmp_path}: 0 detectors have 25 rows of a real model, at least 25 expected;"
        " add labelled responses of its scans [real rows]"
    )


def test_at_least_a_hundred_detectors_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_rows, "LEAST_REAL_DETECTORS", 0)
    write_records(tmp_path, good_records())
    (found,) = check_folder(str(tmp_path), GARAK, NO_EXCEPTIONS)
    assert found.text == (
        "served_by.json: 1 detectors have data, at least 100 expected; add labelled"
        " files, or entries here [served]"
    )
    (tmp_path / "served_by.json").write_text("[]")
    (found,) = check_folder(str(tmp_path), GARAK, NO_EXCEPTIONS)
    assert found.text == (
        f"{tmp_path}: expected an object of detector -> data file without its ending;"
        " correct the file [served]"
    )


def test_every_file_is_in_one_family(tmp_path: Path) -> None:
    def family(name: str) -> Family:
        return Family(name=name, detectors=("dan.*",), rules=())

    def found(*known: Family) -> list[str]:
        sidecars = Sidecars(trivial_reasons={}, innocent_phrases={}, families=known)
        return texts(tmp_path, good_records(), sidecars=sidecars)

    assert found(family("A")) == []
    assert found(family("A"), family("B")) == [
        ": dan.DAN is in 2 families (A, B) of families.json; name it in one of them"
        " only [families]"
    ]
    (missing,) = found()
    assert missing.startswith(": dan.DAN is in no family of families.json; add")
