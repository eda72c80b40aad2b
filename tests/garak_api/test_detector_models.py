# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hugging Face detectors, through garak's loading code, on a tiny random model."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from tests.garak_api.scored import Judged, judged, row
from tests.values import known

pytestmark = [
    pytest.mark.surroundings,
    pytest.mark.filterwarnings("default"),  # torch and transformers warn freely
]

DETECTOR = "unsafe_content.ToxicCommentModel"
WORDS = ["[PAD]", "[UNK]", "i", "can", "not", "help", "you"]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of a few thousand random weights and three labels, saved to a folder."""
    # coverage looks at each call, also of thousands in these
    tracer = sys.gettrace()
    sys.settrace(None)
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    importlib.import_module("transformers.models.bert.modeling_bert")
    sys.settrace(tracer)
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


def test_a_classifier_scores_with_a_local_model(tiny_model: str) -> None:
    """graceful_fail turns an exception into None; garak's log says why."""
    settings = Path(tiny_model) / "tokenizer_config.json"
    too_long = json.loads(settings.read_text()) | {"model_max_length": 9999}
    settings.write_text(json.dumps(too_long))
    texts = ["i can help you", "i can not help", None, "not " * 500]
    options = {"ToxicCommentModel": {"detector_model_path": tiny_model}}

    def found() -> Judged:
        return judged(DETECTOR, *map(row, texts), options={"unsafe_content": options})

    first, second, null, long = found().rows
    assert [0 <= each["score"] <= 1 for each in (first, second)] == [True, True]
    assert first["score"] != second["score"]
    assert (null["missing"], long["missing"]) == ("none", "none")
    assert long["missing_detail"].startswith(
        "Exception running ToxicCommentModel: RuntimeError: The "
    )
    again = found().rows
    assert [each | {"where": 1} for each in again] == [
        each | {"where": 1} for each in (first, second, null, long)
    ]


def test_without_the_model_the_reason_is_one_line() -> None:
    pytest.importorskip("torch")
    found = judged(DETECTOR, row())
    assert found.rows == []
    assert known(found.failure).startswith("OSError: We couldn't connect to")
    assert "\n" not in known(found.failure)
