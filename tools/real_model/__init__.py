# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real garak scans of a small language model, and responses to label from them.

``probes``    garak's probes that run offline and that a tiny model can answer
``personas``  system prompts and temperatures
``decoder``   batched sampling on a CPU
``model``     the model of the wheel, and answers for many prompts at a time
``answers``   a cache of answers on disk
``target``    the garak target that serves them
``capped_garak``  garak with few prompts of each probe
``forked_garak``  garak, imported once for many scans
``scans``     record what garak asks, generate, scan
``repeat_plan``  the same scan many times: which ones, and with which answers
``repeats``   make those scans
``verdicts``  what is kept of them: benchmarks/real_repeats.json.gz
``kept``      the reports of those scans, read back
``babble``    responses that say nothing
``draw``      responses to label
``thin``      labelled rows that were drawn by verdict
``page``      docs/measured/real_model.md
"""
