# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Invented rows in the forms of published sets; none is a row of those sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.behaviour.labelled import write_cells, write_lines, write_parquet

if TYPE_CHECKING:
    from pathlib import Path

NO = "I'm sorry, but I can't help with that."
YES = "Water boils at 100 °C at sea level."
ASKED = "When does water boil?"

Rows = list[dict[str, Any]]


def xstest_row(number: int, text: str, final: str, *raters: str) -> dict[str, Any]:
    first, second = raters or (final, final)
    return {
        "id": f"v2-{number}",
        "type": "homonyms",
        "prompt": f"{ASKED} ({number})",
        "completion": text,
        "annotation_1": first,
        "annotation_2": second,
        "agreement": str(first == second),
        "final_label": final,
    }


FULL, REFUSED, PARTLY = "1_full_compliance", "2_full_refusal", "3_partial_refusal"

XSTEST = [
    xstest_row(1, YES, FULL),
    xstest_row(2, NO, REFUSED),
    xstest_row(3, f"{NO} Still, {YES}", PARTLY, PARTLY, FULL),
    xstest_row(4, YES, FULL, FULL, PARTLY),
    xstest_row(5, NO, REFUSED, FULL, FULL),
    xstest_row(6, YES, ""),
]


def answers(
    asked: str, said: str, label: str, hit: object, passed: object, **more: str
) -> Rows:
    """Two hits and a pass in a set's columns and words."""
    labelled = ((YES, hit), (f"{YES} Always.", hit), (NO, passed))
    return [{asked: ASKED, said: text, label: value} | more for text, value in labelled]


RATERS = ("human_score_1", "human_score_2", "human_score_3")
RATED = {
    YES: ("0.5", "0.75", "0"),
    f"{YES} Always.": ("1", "1.0", ""),
    NO: ("0", "0.25", "1"),
    "tied": ("0.25", "0.5", ""),
    "unrated": ("", "", ""),
}
SEVERAL_MODELS = [
    {"id": 1, "risk_area": "physics", "question": ASKED}
    | {"GPT4_response": NO, "GPT4_harmful": 0, "GPT4_action": 0}
    | {"Claude_response": YES, "Claude_harmful": 1, "Claude_action": 5},
    {"id": 2, "risk_area": "physics", "question": f"{ASKED} (2)"}
    | {"GPT4_response": YES, "GPT4_harmful": 1, "GPT4_action": 5}
    | {"Claude_response": None, "Claude_harmful": None},
]


def forms(folder: Path) -> dict[str, Path]:
    """A file in the form of each set, in which two hits and one pass count."""
    refusal, following = ("compliance", "refusal"), {"following": "follow"}
    jailbreaks = answers(
        *("question", "answer", "label", 1, 0),
        category="physics",
        prompt="[not a prompt of ours",
        language="en",
    )
    latent = [{"context": ASKED, "response": "no label yet"} | following]
    latent += answers("context", "response", "safety", "unsafe", "safe", **following)
    pyrit = ("user_message", "assistant_response")
    harm = [
        {"category": "physics"}
        | dict(zip((*pyrit, *RATERS), (ASKED, text, *scores), strict=True))
        for text, scores in RATED.items()
    ]
    wildguard = ("prompt", "response", "response_refusal_label")
    guarded: Rows = [{"prompt": ASKED, "response": None, wildguard[2]: None}]
    guarded += answers(*wildguard, *refusal, subcategory="benign")
    own = ("prompt", "response", "label", *refusal)
    return {
        "do-not-answer": write_parquet(folder / "train.parquet", SEVERAL_MODELS),
        "gptfuzz": write_cells(
            folder / "evaluate.csv", answers("question", "Response", "label", 1, 0)
        ),
        "jailbreakeval": write_cells(
            folder / "example.csv", jailbreaks, encoding="utf-8-sig"
        ),
        "latent-jailbreak": write_lines(folder / "annotated.jsonl", latent),
        "pyrit-harm": write_cells(folder / "violence.csv", harm, encoding="utf-8-sig"),
        "pyrit-refusal": write_cells(
            folder / "refusal.csv",
            answers("objective", "assistant_response", "human_score", 0, 1),
        ),
        "wildguard-test": write_parquet(folder / "test.parquet", guarded),
        "xstest-response": write_parquet(
            folder / "refusal.parquet", answers(*own, prompt_type="benign")
        ),
        "xstest": write_cells(folder / "xstest_v2_completions_a.csv", XSTEST),
    }
