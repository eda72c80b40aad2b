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
    ("stated", "expected"),
    [(1, 1.0), (0.7, 0.7), (None, 0.5), ("x", 0.5), (10**400, float("inf"))],
)
def test_the_threshold_is_the_reports_or_garaks_default(
    stated: object, expected: float
) -> None:
    assert parse_settings({"run.eval_threshold": stated}).eval_threshold == expected


def test_what_a_report_says_of_itself() -> None:
    row = {
        "_config.version": "0.17.1",
        "transient.run_id": "r",
        "transient.starttime_iso": "2026",
        "plugins.target_type": "t",
        "plugins.model_name": "m",
        "aggregation": ["a"],
        "transient.active_probes": ["probes.dan.A", 3],
    }
    settings = parse_settings(row)
    assert (settings.garak_version, settings.run_uuid) == ("0.17.1", "r")
    assert (settings.start_time, settings.target) == ("2026", "t m")
    assert settings.is_aggregation
    assert not settings.is_old
    assert settings.selected_probes == {"dan.A"}
    assert parse_settings({"entry_type": "config", "model_type": "x"}).is_old


@pytest.mark.parametrize(
    ("row", "seed", "generations"),
    [
        ({"run.seed": 42, "run.generations": 5}, 42, 5),
        # garak 0.9
        ({"seed": 7, "generations": 10}, 7, 10),
        ({"run.seed": True, "run.generations": 0}, None, None),
        ({"run.seed": -1, "run.generations": "5"}, None, None),
        ({"run.seed": 10**400}, None, None),
        ({}, None, None),
    ],
)
def test_seed_and_generations_are_whole_numbers_or_not_known(
    row: dict[str, object], seed: int | None, generations: int | None
) -> None:
    settings = parse_settings(row)
    assert (settings.seed, settings.generations) == (seed, generations)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "api_key",
            "apiKey",
            "APIKEY",
            "X-Api-Key",
            "keys",
            "HF_TOKEN",
            "auth_tokens",
        ),
        *("clientSecret", "password", "passwd", "pwd", "passphrase", "credentials"),
        *("Authorization", "proxy-authorization", "auth", "bearer", "Cookie"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    """Keys, tokens, passwords, secrets, credentials, authorization; any capitals."""
    assert is_secret(name, SECRET)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", 512),
        ("maxTokens", 0.5),
        ("keyboard", "qwerty"),
        ("author", "me"),
        ("uri", "https://host/"),
        ("", ""),
    ],
)
def test_names_of_no_secrets(name: str, value: object) -> None:
    assert not is_secret(name, value)


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
