# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan's configuration: what matters of it is kept, secrets are not."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.garak_files.settings import (
    is_secret,
    parse_settings,
    public_address,
)

if TYPE_CHECKING:
    pass

SECRET = "sk-0123456789"
PROMPT = "You are the assistant of a bank. The vault opens at nine."


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (1, 1.0),
        (0, 0.0),
        (0.7, 0.7),
        (None, 0.5),
        ("x", 0.5),
        (10**400, float("inf")),
        (-(10**400), float("-inf")),
    ],
)
def test_the_threshold_is_the_reports_or_garaks_default(
    stated: object, expected: float
) -> None:
    assert parse_settings({"run.eval_threshold": stated}).eval_threshold == expected
    assert parse_settings({}).eval_threshold == 0.5


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
    assert (settings.start_time, settings.target_type) == ("2026", "t")
    assert settings.target_name == "m"
    assert settings.is_aggregation
    assert not settings.is_old
    assert settings.selected_probes == {"dan.A"}
    assert parse_settings({"entry_type": "config", "model_type": "x"}).is_old


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "APIKEY", "X-Api-Key", "key", "keys", "private_keys"),
        *("token", "HF_TOKEN", "access-token", "auth_tokens", "secret", "clientSecret"),
        *("password", "passwd", "pwd", "passphrase", "credentials", "Authorization"),
        *("authorization_header", "proxy-authorization", "auth", "bearer", "Cookie"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    """Keys, tokens, passwords, secrets, credentials, authorization; any capitals."""
    assert is_secret(name, SECRET)
    assert is_secret(name, [SECRET])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tokens", 512),
        ("maxTokens", 0.5),
        ("keyboard", "qwerty"),
        ("author", "me"),
        ("uri", "https://host/"),
        ("model_name", "m"),
        ("", ""),
    ],
)
def test_names_of_no_secrets(name: str, value: object) -> None:
    assert not is_secret(name, value)


def providers(**members: Any) -> dict[str, Any]:
    return {
        "run.langproviders": [{"language": "en,de", "options": {"depth": members}}],
        "run.system_prompt": PROMPT,
    }


def test_secrets_move_no_checksum_and_other_members_do() -> None:
    bare = parse_settings(providers(model="m")).configuration
    for secret in (SECRET, "another", 12, None, [SECRET]):
        with_key = parse_settings(providers(model="m", api_key=secret)).configuration
        assert with_key == bare
    assert parse_settings(providers(model="other")).configuration != bare
    address = parse_settings(providers(model="m", uri="https://me:pw@host:8/a@b"))
    assert address.configuration["run.langproviders"][0]["options"]["depth"] == {
        "model": "m",
        "uri": "https://host:8/a@b",
    }


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("https://me:pw@host:8/a@b?q=1#f", "https://host:8/a@b"),
        ("https://host?a=b@c", "https://host"),
        ("https://[::1]:8000/v1", "https://[::1]:8000/v1"),
        ("grpc://u@h", "grpc://h"),
        ("(https://a/?x) and //b#y z?", "(https://a/ and //b z?"),
        ("a?b#c@d", "a?b#c@d"),
        ("", ""),
    ],
)
def test_an_address_is_host_and_path(text: str, public: str) -> None:
    assert public_address(text) == public


def test_the_system_prompt_is_a_sha256() -> None:
    kept = parse_settings(providers()).configuration["run.system_prompt"]
    text = json.dumps(PROMPT).encode()
    assert kept == {"sha256": hashlib.sha256(text).hexdigest()}


def test_a_setting_of_megabytes_is_a_sha256() -> None:
    kept = parse_settings({"plugins.buff_spec": "b" * 5_000_000}).configuration
    assert len(json.dumps(kept)) < 200
    other = parse_settings({"plugins.buff_spec": "c" * 5_000_000}).configuration
    assert kept != other
    small = parse_settings({"plugins.buff_spec": "b" * 9_000}).configuration
    assert small == {"plugins.buff_spec": "b" * 9_000}


@pytest.mark.parametrize(
    ("row", "seed", "generations"),
    [
        ({"run.seed": 42, "run.generations": 5}, 42, 5),
        # garak 0.9
        ({"seed": 7, "generations": 10}, 7, 10),
        ({"run.seed": None, "run.generations": 0}, None, None),
        ({"run.seed": True, "run.generations": "5"}, None, None),
        ({"run.seed": "42"}, None, None),
        ({"run.seed": -1}, None, None),
        ({"run.seed": 10**400}, None, None),
        ({}, None, None),
    ],
)
def test_seed_and_generations_are_whole_numbers_or_not_known(
    row: dict[str, object], seed: int | None, generations: int | None
) -> None:
    settings = parse_settings(row)
    assert (settings.seed, settings.generations) == (seed, generations)
