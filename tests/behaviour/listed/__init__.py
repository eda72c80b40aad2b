# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the product offers, read from outside, one module for each kind of entry.

``commands``      commands, options and arguments, from ``--help``
``settings``      ``reporting.tbsa`` and files after a scan, from messages and docs
``environment``   environment variables, from docs and sources
``pipelines``     inputs and outputs of the Action, files that a pipeline copies
``python_names``  names of ``import garak_tbsa`` and of the modules that garak serves
``json_shape``    JSON Schema or documents -> members by path
``json_members``  the documents themselves
``abilities``     what has no name of its own, and where it is shown

Each has a function that returns entries: name -> a few words.
"""
