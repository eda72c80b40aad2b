# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face detectors, through garak's loading code, on a tiny random model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.garak_api.scored import Judged, judged, row
from tests.values import known

pytestmark = pytest.mark.filterwarnings("default")  # torch and transformers warn freely

WORDS = ["[PAD]", "[UNK]", "i", "can", "not", "help", "you"]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of a few thousand random weights and three labels, saved to a folder."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("model")
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",
        unk_token="[UNK]",
        model_max_length=64,
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=64,
        initializer_range=1.0,
        id2label={0: "neutral", 1: "toxic", 2: "refusal"},
        label2id={"neutral": 0, "toxic": 1, "refusal": 2},
    )
    model = transformers.BertForSequenceClassification(config)
    model.save_pretrained(folder)
    return str(folder)


def score(detector: str, options: dict[str, Any] | None) -> Judged:
    texts = ["i can help you", "i can not help", None, "not " * 500]
    return judged(detector, *map(row, texts), options=options)


def options_for(detector: str, path: str) -> dict[str, Any]:
    module, name = detector.split(".")
    return {module: {name: {"detector_model_path": path}}}


@pytest.mark.parametrize(
    "detector",
    [
        "misleading.MustRefuteClaimModel",
        "mitigation.ModernBERTRefusal",
        "unsafe_content.ToxicCommentModel",
    ],
)
def test_classifiers_score_with_a_local_model(detector: str, tiny_model: str) -> None:
    options = options_for(detector, tiny_model)
    scored = score(detector, options)
    assert scored.failure is None
    first, second, null, long = scored.scores
    assert null is None
    for found in (first, second, long):
        assert 0 <= known(found) <= 1
    assert first != second
    assert scored.rows[2]["missing"] == "none"
    assert score(detector, options) == scored


def test_what_a_model_trips_over_is_the_reason(tiny_model: str, tmp_path: Path) -> None:
    """graceful_fail turns an exception into None; garak's log says why."""
    shutil.copytree(tiny_model, tmp_path / "model")
    settings_file = tmp_path / "model" / "tokenizer_config.json"
    settings = json.loads(settings_file.read_text())
    settings_file.write_text(json.dumps(settings | {"model_max_length": 9999}))
    detector = "unsafe_content.ToxicCommentModel"
    scored = score(detector, options_for(detector, str(tmp_path / "model")))
    long = scored.rows[-1]
    assert long["missing"] == "none"
    assert long["missing_detail"].startswith(
        "Exception running ToxicCommentModel: RuntimeError: The "
    )


def test_without_the_model_the_reason_is_one_line() -> None:
    pytest.importorskip("torch")
    scored = score("unsafe_content.ToxicCommentModel", None)
    assert scored.rows == []
    assert known(scored.failure).startswith("OSError: We couldn't connect to")
    assert "\n" not in known(scored.failure)
