# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which scans may be compared, what that rests on, and what it never tells."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.behaviour.product import GOLD, tbsa
from tests.behaviour.scans import SMALL, changed, scan, scored
from tests.report_rows import pairs_named

MATTERS: dict[str, object] = {
    "run.generations": 6,
    "run.eval_threshold": 1,
    "run.soft_probe_prompt_cap": 64,
    "run.deprefix": True,
    "run.target_lang": "fr",
    "run.langproviders": [{"language": "en,fr", "model_type": "local"}],
    "run.system_prompt": "Be kind.",
    "run.serve_detectorless_intents": True,
    "run.probe_tags": "owasp:llm01",
    "transient.intent_spec": "S",
    "transient.blocked_intent_spec": "T",
    "plugins.detector_spec": "dan.DAN",
    "plugins.extended_detectors": True,
    "plugins.buff_spec": "paraphrase",
    "plugins.buffs_include_original_prompt": True,
    "plugins.buff_max": 3,
}
"""Settings that change which outputs are made, or how they are judged."""

DOES_NOT: dict[str, object] = {
    "run.seed": 7,
    "plugins.target_type": "openai",
    "plugins.target_name": "gpt",
    "system.parallel_attempts": 20,
    "system.verbose": 1,
    "system.narrow_output": True,
    "reporting.report_dir": "/somewhere/else",
    "reporting.report_prefix": "mine",
    "transient.run_id": "22222222-2222-3333-4444-555555555555",
    "transient.starttime_iso": "2026-03-04T05:06:07",
    "run.interactive": True,
    "run.user_agent": "mine",
    "run.system_prompt": None,
    "run.unheard_of": 1,
}


def checksum(folder: Path, **settings: Any) -> str:
    """The checksum of the small scan under other settings, as its parts give it."""
    document = scored(folder, scan(folder, **settings))
    parts = document["checksum_parts"]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    found: str = document["checksum"]
    assert found == f"{digest[:4]}-{digest[4:8]}"
    return found


def test_settings_that_change_results_change_the_checksum(tmp_path: Path) -> None:
    plain = checksum(tmp_path)
    assert plain == "6149-610e"
    seen = {plain, checksum(tmp_path, setup={"run.target_lang": "né, ö"})}
    for key, value in MATTERS.items():
        found = scored(tmp_path, scan(tmp_path, setup={key: value}))
        assert found["checksum"] not in seen, key
        seen.add(found["checksum"])
        parts = found["checksum_parts"]
        assert f"configuration:{key}" in parts
        if key != "run.system_prompt":
            assert parts[f"configuration:{key}"] == value


def test_target_seed_paths_and_display_do_not(tmp_path: Path) -> None:
    checksums = {
        key: checksum(tmp_path, setup={key: value}) for key, value in DOES_NOT.items()
    }
    assert checksums == dict.fromkeys(DOES_NOT, "6149-610e")


def test_what_the_target_answered_does_not_change_a_checksum(tmp_path: Path) -> None:
    pairs = pairs_named(*((tier, 1, 7) for tier, _, _ in SMALL))
    assert checksum(tmp_path, pairs=pairs) == "6149-610e"
    unmeasured = [replace(pair, passed=0, total=0, nones=7) for pair in pairs[1:]]
    assert checksum(tmp_path, pairs=[pairs[0], *unmeasured]) == "6149-610e"


def test_pairs_tiers_version_and_calibration_change_it(tmp_path: Path) -> None:
    def other_date(rows: list[dict[str, Any]]) -> None:
        rows[-1]["meta"]["calibration"]["calibration_date"] = "2026-05-07"

    def other_models(rows: list[dict[str, Any]]) -> None:
        rows[-1]["meta"]["calibration"]["model_list"] = "model-a, model-c"

    pairs = pairs_named(*SMALL)
    path = scan(tmp_path)
    checksums = [
        checksum(tmp_path),
        checksum(tmp_path, version="0.17.0"),
        checksum(tmp_path, pairs=pairs[:2]),
        checksum(tmp_path, pairs=pairs_named((2, 9, 10), *SMALL[1:])),
        checksum(tmp_path, pairs=[*pairs, *pairs_named(*SMALL, (3, 1, 1))[3:]]),
        scored(tmp_path, changed(tmp_path, other_date))["checksum"],
        scored(tmp_path, changed(tmp_path, other_models))["checksum"],
        scored(tmp_path, "--calibration", "installed", path)["checksum"],
    ]
    assert len(set(checksums)) == len(checksums)
    whole = GOLD / "garak-0.17.1.report.jsonl"
    assert scored(tmp_path, whole)["checksum"] == "5c89-5651"


OLD_NAMES: dict[str, tuple[str, object]] = {
    "generations": ("run.generations", 7),
    "eval_threshold": ("run.eval_threshold", 1),
    "deprefix": ("run.deprefix", True),
    "buff": ("plugins.buff_spec", "paraphrase"),
    "detectors": ("plugins.detector_spec", "dan.DAN"),
    "extended_detectors": ("plugins.extended_detectors", True),
    "probe_tags": ("run.probe_tags", "owasp:llm01"),
}
"""Settings of garak 0.9, and what they are called since."""


def test_settings_of_garak_0_9_count_by_their_names_of_today(tmp_path: Path) -> None:
    text = (GOLD / "garak-0.9.report.jsonl").read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    path = tmp_path / "old.report.jsonl"
    for old, (name, value) in OLD_NAMES.items():
        row = {key: kept for key, kept in json.loads(first).items() if key != old}
        checksums = []
        for given in ({}, {old: value}):
            path.write_text(f"{json.dumps(row | given)}\n{rest}", encoding="utf-8")
            found = scored(tmp_path, path)
            checksums.append(found["checksum"])
        assert found["checksum_parts"][f"configuration:{name}"] == value
        assert checksums[0] != checksums[1]


def test_buffs_in_a_spec_change_a_checksum_and_probes_there_do_not(
    tmp_path: Path,
) -> None:
    """Which probes ran is told by the pairs."""
    spec: dict[str, list[str]] = {"include": ["probes.dan"], "exclude": []}
    assert checksum(tmp_path, setup={"run.spec": spec}) == "6149-610e"
    buffs = ["buffs.paraphrase.Fast", "buffs.lowercase"]
    spec = {"include": [*buffs, "probes.dan"], "exclude": ["probes.x", "buffs.y"]}
    found = scored(tmp_path, scan(tmp_path, setup={"run.spec": spec}))
    assert found["checksum"] != "6149-610e"
    assert found["checksum_parts"]["configuration:run.spec"] == {
        "include": sorted(buffs),
        "exclude": ["buffs.y"],
    }


SECRETS = ["sk-SECRET1", "SECRET2", "SECRET3", "SECRET4", "SECRET5", "SECRET6"]


def test_secrets_are_in_no_output_and_move_no_checksum(tmp_path: Path) -> None:
    for digest in (True, False):

        def settings(secrets: list[str]) -> dict[str, object]:
            return {
                "run.langproviders": [
                    {
                        "model_type": "remote",
                        "max_tokens": 512,
                        "api_key": secrets[0],
                        "options": {"HF_TOKEN": secrets[1], "X-Api-Key": secrets[2]},
                        "url": f"https://me:{secrets[3]}@host/path",
                        "Authorization": f"Bearer {secrets[4]}",
                    }
                ],
                "run.system_prompt": "SECRET6",
                "plugins.generators.api_key": "SECRET5",
            }

        path = scan(tmp_path, digest=digest, setup=settings(SECRETS))
        outputs = [tmp_path / name for name in ("o.json", "o.html", "o.md", "o.sarif")]
        options = ["-j", "--html", "--markdown", "--sarif"]
        written = [part for pair in zip(options, outputs, strict=True) for part in pair]
        shown = tbsa("score", "-v", "--explain-checksum", *written, path)
        assert shown.code == 0
        texts = [output.read_text(encoding="utf-8") for output in outputs]
        for text in (shown.out, *texts):
            assert [secret for secret in SECRETS if secret in text] == []
        found = json.loads(texts[0])
        (kept,) = found["checksum_parts"]["configuration:run.langproviders"]
        assert kept == {
            "model_type": "remote",
            "max_tokens": 512,
            "options": {},
            "url": "https://host/path",
        }
        others = settings(["a", "b", "c", "d", "e"])
        again = scored(tmp_path, scan(tmp_path, digest=digest, setup=others))
        assert again["checksum"] == found["checksum"]
        other_prompt = others | {"run.system_prompt": "another"}
        path = scan(tmp_path, digest=digest, setup=other_prompt)
        assert scored(tmp_path, path)["checksum"] != found["checksum"]
