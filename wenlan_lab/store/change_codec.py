"""Changes as JSON and back: the format of the journal and of review items.

Each Change is written as its class name and its fields. Reading accepts what any released version wrote: a field that
is absent takes its default. What can't be read raises InvalidRequest; nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.changes import Change

CHANGE_CLASSES: dict[str, type] = {kind.__name__: kind for kind in get_args(Change)}


def change_name(change: Change) -> str:
    """The name under which a change is journaled."""
    return type(change).__name__


_PLAIN = frozenset((str, int, bool, float, type(None)))
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def to_plain(value: object) -> Any:
    """A frozen value as what JSON can hold: dataclasses as objects, tuples as lists. On the path of every write."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    names = _field_names(cast(Hashable, kind))
    if names is not None:
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    return value


@cache
def _field_names(kind: Hashable) -> tuple[str, ...] | None:
    """The fields of a dataclass, None for any other type."""
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


def encode(change: Change) -> str:
    """One change as JSON text with a stable order of keys."""
    return _ENCODE({"change": change_name(change), **to_plain(change)})


def decode(text: str) -> Change:
    """The change that `encode` wrote, this version or an older one."""
    try:
        plain = json.loads(text)
        kind = CHANGE_CLASSES[plain.pop("change")]
        return cast(Change, from_plain(kind, plain))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidRequest(
            f"this stored change can't be read ({error}); it was written by another version: update wenlan_lab."
        ) from error


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def from_plain(kind: Any, plain: Any) -> Any:
    """Build a value of type `kind` from what JSON holds."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if plain is None and type(None) in get_args(kind):
            return None
        options = [option for option in get_args(kind) if option is not type(None)]
        return from_plain(options[0], plain)
    if origin is Literal:
        if plain not in get_args(kind):
            raise ValueError(f"{plain!r} is none of {get_args(kind)}")
        return plain
    if origin is tuple:
        return tuple(from_plain(get_args(kind)[0], item) for item in plain)
    if origin is not None and issubclass(origin, Mapping):
        return dict(plain)
    if dataclasses.is_dataclass(kind):
        hints = _hints(cast(type, kind))
        known = {field.name for field in dataclasses.fields(kind)}
        return cast(Any, kind)(**{key: from_plain(hints[key], item) for key, item in plain.items() if key in known})
    if not isinstance(plain, kind):
        raise TypeError(f"{plain!r} is no {kind.__name__}")
    return plain
