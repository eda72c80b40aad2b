# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The second rater's labels against those of people."""

import json

from tools.labelled_data.human_check import HUMAN_CHECK, OURS, THEIRS, read_checks


def test_the_counts_are_those_of_the_labels() -> None:
    checks = read_checks()
    assert set(checks) == {OURS, THEIRS}
    kept = json.loads(HUMAN_CHECK.read_text("utf-8"))["checks"]
    for name, check in checks.items():
        labels = list(kept[name]["labels"].values())
        assert check.rows == len(labels)
        assert check.both_hit + check.rater_hit == labels.count("hit")
