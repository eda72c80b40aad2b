# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan's configuration: what matters of it is kept, secrets are not."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from garak_tbsa.garak_files.settings import is_secret, parse_settings, public_address

SECRET = "sk-0123456789"
PROMPT = "You are the assistant of a bank. The vault opens at nine."


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
        ({"plugins.target_type": "t", "plugins.model_name": "m"}, "target", "t m"),
        ({"aggregation": ["a"]}, "is_aggregation", True),
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
    row: dict[str, object], name: str, expected: object
) -> None:
    assert getattr(parse_settings(row), name) == expected


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


def test_names_of_secrets() -> None:
    """Keys, tokens, passwords, secrets, credentials, authorization; any capitals."""
    assert [name for name in SECRETS if not is_secret(name, SECRET)] == []
    assert [name for name in NO_SECRETS if is_secret(name, NO_SECRETS[name])] == []


def configured(**members: Any) -> dict[str, Any]:
    providers = [{"language": "en,de", "options": {"depth": members}}]
    row = {"run.langproviders": providers, "run.system_prompt": PROMPT}
    return dict(parse_settings(row).configuration)


def test_secrets_move_no_checksum_and_other_members_do() -> None:
    bare = configured(model="m")
    for secret in (SECRET, 12, None, [SECRET]):
        assert configured(model="m", api_key=secret) == bare
    other = configured(model="m", uri="https://me:pw@host:8/a@b?q=1#f")
    options = other["run.langproviders"][0]["options"]["depth"]
    assert options == {"model": "m", "uri": "https://host:8/a@b"}


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("https://host?a=b@c", "https://host"),
        ("https://[::1]:8000/v1", "https://[::1]:8000/v1"),
        ("grpc://u@h", "grpc://h"),
        ("(https://a/?x) and //b#y z?", "(https://a/ and //b z?"),
        ("a?b#c@d", "a?b#c@d"),
    ],
)
def test_an_address_is_host_and_path(text: str, public: str) -> None:
    assert public_address(text) == public


def test_prompts_and_long_settings_are_a_sha256() -> None:
    text = json.dumps(PROMPT).encode()
    hashed = {"sha256": hashlib.sha256(text).hexdigest()}
    assert configured()["run.system_prompt"] == hashed
    long, other = (
        parse_settings({"plugins.buff_spec": letter * 5_000_000}).configuration
        for letter in "bc"
    )
    assert len(json.dumps(long)) < 200
    assert long != other
    small = {"plugins.buff_spec": "b" * 9_000}
    assert parse_settings(small).configuration == small
