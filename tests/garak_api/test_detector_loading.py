# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows through garak's real detectors, loaded by garak's own loader."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from garak import attempt as attempts

from garak_tbsa.detector_eval.rows import Turn
from garak_tbsa.garak_api import detector_loading
from tests.behaviour.labelled import evaluated, refused, write_lines
from tests.behaviour.product import REPOSITORY
from tests.detector_eval.rows import labelled
from tests.garak_api.scored import judged, row
from tests.garak_own import needs_garak_017
from tests.programs import needs_libmagic

NEEDS_A_MODEL_OR_KEY = (
    *("agent_breaker.", "judge.", "perspective.", "packagehallucination."),
)
SHIPPED = REPOSITORY / "data" / "detectors-eval" / "labelled"


@needs_garak_017
def test_every_offline_detector_scores_its_own_rows(tmp_path: Path) -> None:
    """The first of those that are shipped; on some of these it raises."""
    needs_libmagic()
    names = [
        path.stem
        for path in SHIPPED.glob("*.jsonl")
        if not path.stem.startswith(NEEDS_A_MODEL_OR_KEY)
    ]
    assert len(names) > 50
    for name in names:
        lines = (SHIPPED / f"{name}.jsonl").read_text("utf-8").splitlines()
        typical = [json.loads(line) for line in lines if '"why"' not in line]
        write_lines(tmp_path / f"{name}.jsonl", typical[:6])
    summary = evaluated(tmp_path, "--data", tmp_path, "--detectors", ",".join(names))
    errors = {
        each["detector"]: each["reason"] for each in summary["metadata"]["errors"]
    }
    assert {*summary["results"], *errors} == set(names)
    assert errors == {}
    for name, found in summary["results"].items():
        assert set(found["rows"]["missing"]) <= {"exception"}, name


@pytest.mark.parametrize("output", ["text", None])
def test_attempts_are_what_garak_itself_would_make(output: str | None) -> None:
    turns = (Turn(role="system", text="Be kind."), Turn(role="user", text="Hi"))
    said: dict[str, Any] = {
        "notes": {"triggers": ["x"]},
        "goal": "a goal",
        "probe": "dan.Dan_11_0",
    }
    rich = labelled(output=output, prompt=turns, **said)
    made = detector_loading.attempt_of(rich, output, "en")
    own = attempts.Attempt(
        status=1,
        prompt=attempts.Conversation(
            [
                attempts.Turn("system", attempts.Message("Be kind.", lang="en")),
                attempts.Turn("user", attempts.Message("Hi", lang="en")),
            ]
        ),
        probe_classname="dan.Dan_11_0",
        goal="a goal",
        notes={"triggers": ["x"]},
    )
    own.outputs = [None if output is None else attempts.Message(output, lang="en")]
    assert isinstance(made, attempts.Attempt)
    assert made.as_dict() | {"uuid": 0} == own.as_dict() | {"uuid": 0}
    assert made.prompt == own.prompt
    assert made.prompt is not made.conversations[0]
    assert made.outputs_for("en") == own.outputs_for("en")


@needs_garak_017
def test_what_garaks_detectors_make_of_what_they_are_not_for() -> None:
    """Without a translation service a scan shows the detector the answer itself."""
    found = judged("dan.DAN", row(None), row("text"))
    assert (found.rows[0]["missing"], found.scores) == ("none", [None, 0.0])
    french = row("Désolé.", lang="fr")
    assert judged("mitigation.MitigationBypass", french).scores == [1.0]
    (no_file,) = judged("fileformats.FileIsPickled", row("/no/such")).rows
    assert no_file["missing"] == "none"
    assert (
        "only processes outputs that are 'local filename'"
        in (no_file["missing_detail"])
    )


def test_options_reach_the_detector_and_do_not_stay() -> None:
    """``tests/behaviour`` has them from files, and garak's configuration too."""
    options = {"base": {"TriggerListDetector": {"case_sensitive": True}}}
    shouting = row("PWNED", notes={"triggers": ["pwned"]})
    trigger = "base.TriggerListDetector"
    assert judged(trigger, shouting, options=options).scores == [0.0]
    assert judged(trigger, shouting).scores == [1.0]
    found = judged("dan.DAN", row(), options={"dan": {"DAN": {"skip": True}}})
    why = "ValueError: the configuration says `skip` for this detector"
    assert found.failure == why
    assert judged("dan.DAN", row()).scores == [0.0]
    said = refused("--detectors", "dan.DAN", "--config", "/no/such.yaml", code=2)
    assert said.startswith("--config /no/such.yaml: ")


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
    assert judged("outside_detectors:Configured", row()).scores == [0.75]
    assert judged("outside_detectors:Plain", row()).scores == [1.0]


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


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a local judge, which asks for no key."""
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "sk-secret")
    with ThreadingHTTPServer(("127.0.0.1", 0), Judge) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1/"
        finally:
            server.shutdown()
            thread.join()


def judge_settings(uri: str, **model: Any) -> dict[str, Any]:
    return {
        "detector_model_type": "openai.OpenAICompatible",
        "detector_model_name": "judge",
        "detector_model_config": {"uri": uri, **model},
    }


def test_judges_ask_a_local_model(judge: str) -> None:
    """Of an attempt with a goal; one that judges by a probe's goal asks for that."""
    recipe = row("Here is the recipe: [elided]", goal="a recipe")
    refusal = row("I can't help with that.", goal="something")
    settings, goal = judge_settings(judge), {"detector_goal": "get a recipe"}
    for name, given in (
        *(("Jailbreak", settings), ("RefusalOnlyAdversarial", settings)),
        ("ModelAsJudge", settings | goal),
    ):
        options = {"judge": {name: given}}
        found = judged(f"judge.{name}", recipe, refusal, options=options)
        assert found.scores == [1.0, 0.0]
    options = {"judge": {"ModelAsJudge": settings}}
    by_probe = row("The recipe: [elided]", probe="dan.Dan_11_0")
    found = judged("judge.ModelAsJudge", row(), by_probe, options=options)
    assert found.scores == [None, 1.0]
    assert found.rows[0]["missing_detail"] == (
        "ValueError: the detector judges by the goal of a probe; name it in the rows'"
        " `probe`, or set the option `detector_goal`"
    )


def test_a_judge_says_which_model_it_asked_and_how(judge: str) -> None:
    """Two judges give two summaries: the options are what tells them apart."""
    secret = {"api_key": "sk-hidden", "temperature": 0.25}
    settings = judge_settings(judge.replace("//", "//user:sk-hidden@"), **secret)
    settings["custom_system_prompt"] = "Judge. " * 100
    found = options("judge.Jailbreak", {"judge": {"Jailbreak": settings}})
    model = found.pop("detector_model")
    assert found == {
        "custom_system_prompt": {"sha256": sha256(b"Judge. " * 100).hexdigest()},
        "detector_model_name": "judge",
        "detector_model_type": "openai.OpenAICompatible",
    }
    assert (model["uri"], model["temperature"], model["seed"]) == (judge, 0.25, 42)
    assert "sk-" not in json.dumps(model)


def test_other_detectors_say_what_is_not_their_default() -> None:
    known = {"goodside": {"PlainJSON": {"skip": False}}}
    assert options("goodside.PlainJSON", known) == {}
    substrings = {"base": {"StringDetector": {}}, "dan": {"DAN": {"matchtype": "word"}}}
    assert options("dan.DAN", substrings) == {"matchtype": "word"}
    whole_module = {"dan": {"matchtype": "word"}}
    assert options("dan.DAN", whole_module) == {"matchtype": "word"}
    # what a detector sets of itself is none
    for detector in ("goodside.RileyIsnt", "unsafe_content.LDNOOBW"):
        assert options(detector, {}) == {}


def options(detector: str, given: dict[str, Any]) -> dict[str, Any]:
    found = judged(detector, row(), options=given)
    assert found.failure is None
    return found.options


def test_a_judge_that_cannot_be_made_says_why(
    judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """garak itself says no more than "failed to load generator" of most."""

    def failure_of(**given: str) -> str:
        settings = judge_settings(judge) | given
        options = {"judge": {"Refusal": settings}}
        return str(judged("judge.Refusal", row(), options=options).failure)

    failure = failure_of(detector_model_type="nosuch.Model")
    assert "nosuch" in failure
    assert "failed to load generator" not in failure
    monkeypatch.setenv("OPENAICOMPATIBLE_API_KEY", "")
    assert failure_of().startswith("OpenAIError: ")
    monkeypatch.delenv("OPENAICOMPATIBLE_API_KEY")
    assert failure_of().startswith(
        "APIKeyMissingError: Put the OpenAICompatible API key in the"
        " OPENAICOMPATIBLE_API_KEY environment variable"
    )


class Unprintable:
    def __str__(self) -> str:
        raise ValueError("not me")


FAULTY: dict[str, tuple[Any, ...]] = {
    "%d responses": ("%d responses", "many"),
    "%s and %s": ("%s and %s", 1),
    "about %s": ("about %s", Unprintable()),
    "WARNING": (Unprintable(),),
    "plain": ("plain",),
}


def test_a_faulty_log_call_of_a_detector_breaks_nothing() -> None:
    capture = detector_loading._Capture()
    for said, (message, *values) in FAULTY.items():
        place = ("a.detector", logging.WARNING, "f.py", 1)
        capture.handle(logging.LogRecord(*place, message, tuple(values), None))
        assert capture.last_warning == said
