# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows through garak's real detectors, loaded by garak's own loader."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval.dataset import read_sources
from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn
from garak_tbsa.detector_eval.run import Missing, score_rows
from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api import detector_loading
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import is_detector, own_detectors, word_list
from tests.garak_own import needs_garak_017
from tests.programs import needs_libmagic


def row(output: str | None = "text", **fields: Any) -> LabelledRow:
    defaults = {
        "detector": "x.X",
        "where": "",
        "id": "row",
        "label": "hit",
        "prompt": (Turn(role="user", text="Hello"),),
    }
    return LabelledRow(output=output, **(defaults | fields))


def score(
    detector: str, *rows: LabelledRow, options: dict[str, Any] | None = None
) -> tuple[Any, ...]:
    """Outcomes of the rows, and why the detector could not run."""
    settings = DetectorSettings(options=json.dumps(options) if options else "")
    (scored,) = score_rows({detector: rows}, settings, seed=42)
    return scored.row_scores, scored.failure


def scores(
    detector: str, *rows: LabelledRow, options: dict[str, Any] | None = None
) -> list[Any]:
    row_scores, failure = score(detector, *rows, options=options)
    assert failure is None
    return [row_score.score for row_score in row_scores]


def shipped_stems() -> list[str]:
    return sorted(
        name.removesuffix(".jsonl")
        for name in os.listdir(shipped_folder())
        if name.endswith(".jsonl")
    )


NEEDS_GARAK_017 = "unsafe_content.SurgeProfanityRacialEthnic"
NEEDS_LIBMAGIC = "fileformats.FileIsExecutable"
NEEDS_A_MODEL_OR_KEY = ("judge.", "perspective.", "packagehallucination.")


@pytest.mark.parametrize(
    "detector",
    [
        pytest.param(name, marks=needs_garak_017) if name == NEEDS_GARAK_017 else name
        for name in shipped_stems()
        if not name.startswith(NEEDS_A_MODEL_OR_KEY)
    ],
)
def test_every_offline_detector_scores_its_own_rows(
    detector: str, tmp_path: Path
) -> None:
    if detector == NEEDS_LIBMAGIC:
        needs_libmagic()
    path = os.path.join(shipped_folder(), f"{detector}.jsonl")
    sources = find_sources([path], known=is_detector)
    found, _ = read_sources(sources, word_list)
    rows = found[detector].rows[:6]
    for row_score in score(detector, *rows)[0]:
        # some rows are there because the detector raises on them
        assert row_score.missing in (None, Missing.EXCEPTION)
        if row_score.missing is None:
            assert 0 <= row_score.score <= 1


def test_what_a_detector_draws_is_seeded() -> None:
    rows = [row()] * 4
    assert scores("always.Random", *rows) == scores("always.Random", *rows)
    assert len(set(scores("always.Random", *rows))) == 4


@pytest.mark.parametrize("output", ["text", None])
def test_attempts_are_what_garak_itself_would_make(output: str | None) -> None:
    from garak.attempt import Attempt, Conversation, Message
    from garak.attempt import Turn as GarakTurn

    rich = row(
        output,
        prompt=(
            Turn(role="system", text="Be kind."),
            Turn(role="user", text="Hi"),
        ),
        notes={"triggers": ["x"]},
        goal="a goal",
        probe="dan.Dan_11_0",
    )
    made = detector_loading.attempt_of(rich, output, "en")
    own = Attempt(
        status=1,
        prompt=Conversation(
            [
                GarakTurn("system", Message("Be kind.", lang="en")),
                GarakTurn("user", Message("Hi", lang="en")),
            ]
        ),
        probe_classname="dan.Dan_11_0",
        goal="a goal",
        notes={"triggers": ["x"]},
    )
    own.outputs = [None if output is None else Message(output, lang="en")]
    assert isinstance(made, Attempt)
    assert made.as_dict() | {"uuid": 0} == own.as_dict() | {"uuid": 0}
    assert made.prompt == own.prompt
    assert made.prompt is not made.conversations[0]
    assert made.outputs_for("en") == own.outputs_for("en")


def test_null_outputs_have_no_score() -> None:
    row_scores, _ = score("dan.DAN", row(None), row("text"))
    assert [row_score.missing for row_score in row_scores] == [Missing.NONE, None]


def test_an_english_detector_sees_a_french_answer_as_in_a_scan() -> None:
    """Without a translation service a scan shows the detector the answer itself."""
    assert scores("mitigation.MitigationBypass", row("Désolé.", lang="fr")) == [1.0]


@needs_garak_017
def test_a_file_detector_that_skips_what_is_no_file() -> None:
    notes = {"format": "local filename"}
    row_scores, _ = score("fileformats.FileIsPickled", row("/no/such", notes=notes))
    assert row_scores[0].missing is Missing.NO_RESULT
    row_scores, _ = score("fileformats.FileIsPickled", row("/no/such"))
    assert row_scores[0].missing is Missing.NONE
    assert "only processes outputs that are 'local filename'" in row_scores[0].detail


def test_options_reach_the_detector_and_do_not_stay() -> None:
    options = {"base": {"TriggerListDetector": {"case_sensitive": True}}}
    shouting = row("PWNED", notes={"triggers": ["pwned"]})
    assert scores("base.TriggerListDetector", shouting, options=options) == [0.0]
    assert scores("base.TriggerListDetector", shouting) == [1.0]


def test_a_detector_that_the_configuration_skips() -> None:
    _, failure = score("dan.DAN", row(), options={"dan": {"DAN": {"skip": True}}})
    assert failure == "ValueError: the configuration says `skip` for this detector"
    _, failure = score("dan.DAN", row())
    assert failure is None


def test_a_configuration_file_of_garak_s(tmp_path: Path) -> None:
    path = tmp_path / "garak.yaml"
    path.write_text(
        "plugins:\n  detectors:\n    base:\n      TriggerListDetector:\n"
        "        case_sensitive: true\n"
    )
    DetectorSettings(config=str(path)).apply()
    rows_of = {
        "base.TriggerListDetector": [row("PWNED", notes={"triggers": ["pwned"]})]
    }
    (scored,) = score_rows(rows_of, DetectorSettings(config=str(path)), seed=1)
    assert scored.row_scores[0].score == 0.0
    with pytest.raises(UsageError, match=r"^--config /no/such\.yaml: "):
        DetectorSettings(config="/no/such.yaml").apply()


def test_the_user_s_configuration_of_garak_is_part_of_what_is_loaded() -> None:
    from garak import _config

    settings = DetectorSettings(seed=20261122)
    path = _config.transient.config_dir / "garak.site.yaml"
    before = settings.identity()
    # nothing that matters to a detector: garak keeps it when the file is gone
    path.write_text("run:\n  generations: 7\n")
    try:
        DetectorSettings().apply()
        found = settings.identity()
    finally:
        path.unlink()
        DetectorSettings().apply()
    assert found != before
    assert found | {"config_files": None} == before | {"config_files": None}


OWN = '''
from garak.detectors.base import Detector

class Configured(Detector):
    """garak asks for a docstring"""

    def detect(self, attempt):
        yield 0.75

class Plain:
    def detect(self, attempt):
        return (1.0 for _ in attempt.outputs)
'''


def test_detectors_outside_garak_s_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside_detectors.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    assert scores("outside_detectors:Configured", row()) == [0.75]
    assert scores("outside_detectors:Plain", row()) == [1.0]


def test_package_lists_that_cannot_be_had_are_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    row_scores, failure = score("packagehallucination.PythonPypi", row("import os"))
    assert failure is None
    assert row_scores[0].missing in (Missing.NO_RESULT, Missing.EXCEPTION)
    assert "pypi" in row_scores[0].detail.lower() or "python" in row_scores[0].detail


class Judge(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible judge who dislikes the word "recipe"."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = body["messages"][-1]["content"]
        bad = "recipe" in asked
        verdict = f"[[{'YES' if bad else 'NO'}]] [[{10 if bad else 1}]]"
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "judge",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": verdict},
                }
            ],
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: str) -> None:
        pass


@contextmanager
def local_judge() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Judge) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "name",
    [
        "Jailbreak",
        "JailbreakOnlyAdversarial",
        "ModelAsJudge",
        "Refusal",
        "RefusalOnlyAdversarial",
    ],
)
def test_judges_ask_a_local_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "none")
    with local_judge() as uri:
        settings = {
            "detector_model_type": "openai.OpenAICompatible",
            "detector_model_name": "judge",
            "detector_model_config": {"uri": uri},
        }
        if name == "ModelAsJudge":
            settings["detector_goal"] = "get a recipe"
        found = scores(
            f"judge.{name}",
            row("Here is the recipe: [elided]", goal="a recipe"),
            row("I can't help with that.", goal="something"),
            options={"judge": {name: settings}},
        )
    assert found == [1.0, 0.0]


def judge_settings(uri: str, **model: Any) -> dict[str, Any]:
    return {
        "detector_model_type": "openai.OpenAICompatible",
        "detector_model_name": "judge",
        "detector_model_config": {"uri": uri, **model},
    }


def test_a_judge_says_which_model_it_asked_and_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two judges give two summaries: the options are what tells them apart."""
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "sk-secret")
    with local_judge() as uri:
        secret = {"api_key": "sk-hidden", "temperature": 0.25}
        settings = judge_settings(uri.replace("//", "//user:sk-hidden@"), **secret)
        settings["custom_system_prompt"] = "Judge. " * 100
        found = options("judge.Jailbreak", {"judge": {"Jailbreak": settings}})
    model = found.pop("detector_model")
    assert found == {
        "custom_system_prompt": {"sha256": sha256(b"Judge. " * 100).hexdigest()},
        "detector_model_name": "judge",
        "detector_model_type": "openai.OpenAICompatible",
    }
    assert model["uri"] == uri
    assert model["temperature"] == 0.25
    assert model["seed"] == 42
    assert "sk-" not in json.dumps(model)


def test_other_detectors_say_what_is_not_their_default() -> None:
    known = {"goodside": {"PlainJSON": {"skip": False}}}
    assert options("goodside.PlainJSON", known) == {}
    substrings = {"base": {"StringDetector": {}}, "dan": {"DAN": {"matchtype": "word"}}}
    assert options("dan.DAN", substrings) == {"matchtype": "word"}
    whole_module = {"dan": {"matchtype": "word"}}
    assert options("dan.DAN", whole_module) == {"matchtype": "word"}


@pytest.mark.parametrize("detector", ["goodside.RileyIsnt", "unsafe_content.LDNOOBW"])
def test_what_a_detector_sets_of_itself_is_no_option(detector: str) -> None:
    assert options(detector, {}) == {}


def options(detector: str, given: dict[str, Any]) -> dict[str, Any]:
    settings = DetectorSettings(options=json.dumps(given))
    (scored,) = score_rows({detector: []}, settings, seed=1)
    assert scored.failure is None
    return dict(scored.options)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (
            "",
            "BadGeneratorException: OPENAICOMPATIBLE_API_KEY is empty; set it to the"
            " key, or to any text where the endpoint needs none (OpenAIError: ",
        ),
        (
            None,
            "APIKeyMissingError: Put the OpenAICompatible API key in the"
            " OPENAICOMPATIBLE_API_KEY environment variable",
        ),
    ],
)
def test_a_judge_without_a_key_says_which(
    key: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """garak itself says no more than "failed to load generator" of an empty one."""
    monkeypatch.delenv("OPENAICOMPATIBLE_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", key)
    with local_judge() as uri:
        given = {"judge": {"Refusal": judge_settings(uri)}}
        _, failure = score("judge.Refusal", row(), options=given)
    assert failure.startswith(reason)


def test_a_judge_whose_model_cannot_be_made_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "x")
    settings = judge_settings("no address") | {"detector_model_type": "nosuch.Model"}
    _, failure = score("judge.Refusal", row(), options={"judge": {"Refusal": settings}})
    assert "nosuch" in failure
    assert "failed to load generator" not in failure


def test_a_judge_without_a_goal_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "none")
    with local_judge() as uri:
        settings = {
            "detector_model_type": "openai.OpenAICompatible",
            "detector_model_name": "judge",
            "detector_model_config": {"uri": uri},
        }
        options = {"judge": {"ModelAsJudge": settings}}
        row_scores, _ = score("judge.ModelAsJudge", row(), options=options)
        by_probe = row("The recipe: [elided]", probe="dan.Dan_11_0")
        assert scores("judge.ModelAsJudge", by_probe, options=options) == [1.0]
    assert row_scores[0].detail == (
        "ValueError: the detector judges by the goal of a probe; name it in the rows'"
        " `probe`, or set the option `detector_goal`"
    )


def test_the_mapping_serves_detectors_that_need_a_model_or_a_key() -> None:
    mapping = served_by(shipped_folder())
    assert set(mapping) <= set(own_detectors())


class Unprintable:
    def __str__(self) -> str:
        raise ValueError("not me")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("%d responses", "many"), "%d responses"),
        (("%s and %s", 1), "%s and %s"),
        (("about %s", Unprintable()), "about %s"),
        ((Unprintable(),), "WARNING"),
        (("plain",), "plain"),
    ],
)
def test_a_faulty_log_call_of_a_detector_breaks_nothing(
    arguments: tuple[Any, ...], said: str
) -> None:
    from garak_tbsa.garak_api.detector_loading import _Capture

    message, *values = arguments
    record = logging.LogRecord(
        "a.detector", logging.WARNING, "f.py", 1, message, tuple(values), None
    )
    capture = _Capture()
    capture.handle(record)
    assert capture.last_warning == said
