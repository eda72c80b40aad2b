# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Frozen, keyword-only records that cost nothing to import.

``import dataclasses`` takes 12 ms (it pulls in ``inspect`` and ``ast``), half
of what a whole score may take. Type checkers see a real
``dataclass(frozen=True, kw_only=True)``; at run time :func:`record` gives the
same behaviour with nothing but a closure.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import dataclass
    from typing import Any, TypeVar

    from typing_extensions import dataclass_transform

    Record = TypeVar("Record")

    @dataclass_transform(frozen_default=True, kw_only_default=True)
    def record(cls: type[Record]) -> type[Record]:
        """Make ``cls`` a frozen, keyword-only dataclass."""
        return dataclass(frozen=True, kw_only=True)(cls)

else:

    def record(cls):
        """Make ``cls`` a frozen, keyword-only record of its annotated names."""
        own = cls.__dict__.get("__annotations__", {})
        names = tuple(dict.fromkeys((*getattr(cls, "__record_names__", ()), *own)))
        defaults = {
            **getattr(cls, "__record_defaults__", {}),
            **{name: cls.__dict__[name] for name in own if name in cls.__dict__},
        }
        required = frozenset(names) - defaults.keys()
        known = frozenset(names)

        def __init__(self, **values):
            if not (required <= values.keys() <= known):
                missing = sorted(required - values.keys())
                unknown = sorted(values.keys() - known)
                raise TypeError(f"{cls.__name__}: missing {missing}, unknown {unknown}")
            self.__dict__.update(defaults)
            self.__dict__.update(values)

        def __setattr__(self, name, value):
            raise AttributeError(f"{cls.__name__} is frozen, {name} cannot be set")

        def __delattr__(self, name):
            raise AttributeError(f"{cls.__name__} is frozen, {name} cannot be deleted")

        def __eq__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values_of(self) == values_of(other)

        def __hash__(self):
            return hash(tuple(values_of(self).values()))

        def __repr__(self):
            inside = ", ".join(f"{k}={v!r}" for k, v in values_of(self).items())
            return f"{cls.__name__}({inside})"

        for method in (__init__, __setattr__, __delattr__, __eq__, __hash__, __repr__):
            setattr(cls, method.__name__, method)
        cls.__record_names__ = names
        cls.__record_defaults__ = defaults
        return cls


def values_of(instance: object) -> Mapping[str, Any]:
    """Return the fields of a record by name, in the order of its class."""
    names: tuple[str, ...] = getattr(type(instance), "__record_names__")  # noqa: B009
    return {name: getattr(instance, name) for name in names}


def changed(instance: Record, **values: Any) -> Record:
    """Return a copy of a record with some fields replaced."""
    return type(instance)(**{**values_of(instance), **values})
