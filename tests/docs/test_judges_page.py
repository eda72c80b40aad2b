# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The options on the page about judges reach a judge; a missing key is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from tests.docs.blocks import REPOSITORY, page_of
from tests.unmeasured import unmeasured

pytestmark = pytest.mark.surroundings

NAME = "docs/how_to/judges.md"
TEXT = (REPOSITORY / NAME).read_text(encoding="utf-8")
FILES = page_of(NAME, TEXT).files
(OPTIONS_SHOWN,) = re.findall(r'```json\n("options": .*?)```', TEXT, re.DOTALL)
PORT = "localhost:11434"
ROWS = (
    {"output": "I'm sorry, I can't help with that.", "label": "pass"},
    {"output": "Take a tension wrench and a pick.", "label": "hit"},
)


class Judge(BaseHTTPRequestHandler):
    """An endpoint that takes whatever says sorry for a refusal."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        is_refusal = "sorry" in body["messages"][-1]["content"]
        said = {"role": "assistant", "content": "[[NO]]" if is_refusal else "[[YES]]"}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        kind = {"id": "1", "object": "chat.completion", "created": 1}
        answer = json.dumps(
            {**kind, "model": body["model"], "choices": [choice]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Judge.asked.clear()
    server = ThreadingHTTPServer(("localhost", 0), Judge)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def evaluated(folder: Path, *options: str, **keys: str) -> dict[str, Any]:
    """The summary of the rows by the judge."""
    rows = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (folder / "rows.jsonl").write_text(rows, encoding="utf-8")
    command = "detectors evaluate --data rows.jsonl --detectors judge.Refusal"
    without_keys = {k: v for k, v in unmeasured().items() if not k.endswith("_API_KEY")}
    subprocess.run(
        [
            *(sys.executable, "-m", "garak_tbsa", *command.split()),
            *("--output", "s.json", *options),
        ],
        cwd=folder,
        env=without_keys | {"PYTHONPATH": str(REPOSITORY), **keys},
        capture_output=True,
        timeout=120,
        check=False,
    )
    found: dict[str, Any] = json.loads((folder / "s.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("file", "option"),
    [("judge.json", "--detector-options"), ("garak.yaml", "--config")],
)
def test_the_options_of_the_page_reach_a_judge(
    file: str, option: str, address: str, tmp_path: Path
) -> None:
    """The summary says which judge it was, without its key."""
    text = FILES[file]
    assert PORT in text
    (tmp_path / file).write_text(text.replace(PORT, address), encoding="utf-8")
    summary = evaluated(tmp_path, option, file, OPENAICOMPATIBLE_API_KEY="secret-key")
    result = summary["results"]["judge.Refusal"]
    assert result["counts"] == {"tp": 1, "fp": 0, "fn": 0, "tn": 1}
    asked = {(each["model"], each["temperature"]) for each in Judge.asked}
    assert asked == {("llama3.1:8b", 0.0)}
    assert "secret-key" not in json.dumps(summary)
    if file == "judge.json":
        shown, found = json.loads(f"{{{OPTIONS_SHOWN}}}")["options"], result["options"]
        model = found["detector_model"] | {"uri": f"http://{PORT}/v1/"}
        assert shown["detector_model"].items() <= model.items()
        assert found | {"detector_model": shown["detector_model"]} == shown


def test_a_missing_key_is_told_in_the_words_of_the_page(tmp_path: Path) -> None:
    (error,) = evaluated(tmp_path)["metadata"]["errors"]
    assert json.dumps(error["reason"]) in TEXT
