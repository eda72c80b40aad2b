# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan's configuration: what matters of it is kept, secrets are not."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa import load_report
from tests.report_rows import PairFacts, eval_row, write_report

SECRET = "sk-0123456789"
PROMPT = "You are the assistant of a bank. The vault opens at nine."


def settings_of(folder: Path, row: dict[str, Any]) -> Any:
    """What a report with this row says of its scan."""
    rows = [{"entry_type": "start_run setup", **row}, eval_row(PairFacts())]
    return load_report(write_report(folder / "r.report.jsonl", rows)).settings


@pytest.mark.parametrize(
    ("row", "name", "expected"),
    [
        ({"run.eval_threshold": 1}, "eval_threshold", 1.0),
        ({"run.eval_threshold": 0.7}, "eval_threshold", 0.7),
        ({"run.eval_threshold": None}, "eval_threshold", 0.5),
        ({"run.eval_threshold": "x"}, "eval_threshold", 0.5),
        ({"run.eval_threshold": 10**400}, "eval_threshold", float("inf")),
        ({}, "eval_threshold", 0.5),
        ({"_config.version": "0.17.1"}, "garak_version", "0.17.1"),
        ({"transient.run_id": "r"}, "run_uuid", "r"),
        ({"transient.starttime_iso": "2026"}, "start_time", "2026"),
        ({"plugins.target_type": "t"}, "target_type", "t"),
        ({"plugins.model_name": "m"}, "target_name", "m"),
        ({"aggregation": ["a"]}, "is_aggregation", True),
        (
            {"aggregation": ["a", 3, "https://u:p@x/y?z"]},
            "aggregated_from",
            ("a", "https://x/y"),
        ),
        (
            {"transient.active_probes": ["probes.dan.A", 3]},
            "selected_probes",
            {"dan.A"},
        ),
        ({"transient.run_id": "r"}, "is_old", False),
        ({"entry_type": "config", "model_type": "x"}, "is_old", True),
        # of garak 0.9: without their group
        *(({"run.seed": 42}, "seed", 42), ({"seed": 7}, "seed", 7)),
        ({"run.generations": 5}, "generations", 5),
        ({"generations": 10}, "generations", 10),
        # whole numbers, or not known
        *(({"run.seed": seed}, "seed", None) for seed in (True, -1, 10**400)),
        *(({"run.generations": n}, "generations", None) for n in (0, "5")),
        *(({}, "seed", None), ({}, "generations", None)),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_a_report_says_of_itself(
    tmp_path: Path, row: dict[str, object], name: str, expected: object
) -> None:
    assert getattr(settings_of(tmp_path, row), name) == expected


SECRETS = (
    *("api_key", "apiKey", "APIKEY", "X-Api-Key", "keys", "HF_TOKEN", "auth_tokens"),
    *("clientSecret", "password", "passwd", "pwd", "passphrase", "credentials"),
    *("Authorization", "proxy-authorization", "auth", "bearer", "Cookie"),
)
NO_SECRETS = {
    "max_tokens": 512,
    "maxTokens": 0.5,
    "keyboard": "qwerty",
    "author": "me",
    "uri": "https://host/",
    "": "",
}


def configured(folder: Path, **members: Any) -> Any:
    providers = [{"language": "en,de", "options": {"depth": members}}]
    row = {"run.langproviders": providers, "run.system_prompt": PROMPT}
    return settings_of(folder, row).configuration


def kept(folder: Path, **members: Any) -> Any:
    """What is kept of members somewhere in a setting."""
    (provider,) = configured(folder, **members)["run.langproviders"]
    return provider["options"]["depth"]


def test_names_of_secrets(tmp_path: Path) -> None:
    """Keys, tokens, passwords, secrets, credentials, authorization; any capitals."""
    assert kept(tmp_path, **dict.fromkeys(SECRETS, SECRET), **NO_SECRETS) == NO_SECRETS
    for secret in (12, None, [SECRET]):
        assert kept(tmp_path, model="m", api_key=secret) == {"model": "m"}


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("https://me:pw@host:8/a@b?q=1#f", "https://host:8/a@b"),
        ("https://host?a=b@c", "https://host"),
        ("https://[::1]:8000/v1", "https://[::1]:8000/v1"),
        ("grpc://u@h", "grpc://h"),
        ("(https://a/?x) and //b#y z?", "(https://a/ and //b z?"),
        ("a?b#c@d", "a?b#c@d"),
    ],
)
def test_an_address_is_host_and_path(tmp_path: Path, text: str, public: str) -> None:
    assert kept(tmp_path, uri=text) == {"uri": public}


def test_prompts_and_long_settings_are_a_sha256(tmp_path: Path) -> None:
    text = json.dumps(PROMPT).encode()
    hashed = {"sha256": hashlib.sha256(text).hexdigest()}
    assert configured(tmp_path)["run.system_prompt"] == hashed
    long, other = (
        settings_of(tmp_path, {"plugins.buff_spec": letter * 5_000_000}).configuration
        for letter in "bc"
    )
    assert len(json.dumps(long)) < 200
    assert long != other
    small = {"plugins.buff_spec": "b" * 9_000}
    assert settings_of(tmp_path, small).configuration == small
