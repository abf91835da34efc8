"""Dataclasses of responses: decoding from JSON and encoding to JSON."""

from __future__ import annotations

import dataclasses
import functools
import keyword
import math
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound="ApiObject")


def _cached(find: F) -> F:
    # The types of lru_cache take the class of a dataclass for a value that cannot be hashed.
    return typing.cast(F, functools.lru_cache(maxsize=None)(find))


class Unset:
    """The type of ``UNSET``."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()
"""The default of arguments that can be ``None`` (null). It leaves the field out of the request."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ApiObject:
    """The base of all objects in responses."""

    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    """Fields that this version of the client does not know, as JSON values."""

    def to_dict(self) -> dict[str, Any]:
        """The object as JSON values, as the service sent it. Fields that were left out stay left out."""
        fields: dict[str, Any] = {}
        for attribute, (name, _read, optional) in _fields_of(self.__class__).items():
            value = getattr(self, attribute)
            if not (optional and value is None):
                fields[name] = encode(value)
        return {**fields, **self.extra}

    @classmethod
    def from_dict(cls: type[M], value: Mapping[str, Any]) -> M:
        """The object of JSON values. Raises TypeError, ValueError or KeyError for values of another form."""
        return _read_model(cls, value)


def encode(value: Any) -> Any:
    """The JSON value of an argument. Times become RFC 3339, and amounts become numbers."""
    if isinstance(value, ApiObject):
        return value.to_dict()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"Turnpike: the time {value.isoformat()} needs a time zone, such as timezone.utc.")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, (Decimal, float)):
        if not math.isfinite(value):
            raise ValueError(f"Turnpike: {value} is not a number in JSON.")
        return int(value) if value == int(value) else float(value)
    if isinstance(value, Mapping):
        return {name: encode(one) for name, one in value.items() if one is not UNSET}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(one) for one in value]
    return value


def decode(kind: Any, value: Any) -> Any:
    """The value of a type from JSON. Raises TypeError, ValueError, KeyError or AttributeError for another form."""
    return _reader(kind)(value)


Reader = Callable[[Any], Any]


@_cached
def _reader(kind: Any) -> Reader:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, ApiObject):
        return functools.partial(_read_model, kind)
    if kind is datetime:
        return _read_time
    if kind is Decimal:
        return _read_amount
    if origin is list:
        item = _reader(arguments[0])
        return lambda values: [item(one) for one in _checked(list, values)]
    if origin is dict:
        entry = _reader(arguments[1])
        return lambda values: {name: entry(one) for name, one in _checked(dict, values).items()}
    if origin in (typing.Union, types.UnionType):
        members = [one for one in arguments if one is not type(None)]
        read = _reader(members[0]) if len(members) == 1 else _union(tuple(members))
        return lambda value: None if value is None else read(value)
    return lambda value: value


def _union(members: tuple[Any, ...]) -> Reader:
    """Reads the member whose literals the value has, or else the last one. Unions are told apart by their literals."""
    if not all(isinstance(one, type) and issubclass(one, ApiObject) for one in members):
        return lambda value: value

    def read(value: Any) -> Any:
        return _read_model(next((one for one in members if _has_literals(one, value)), members[-1]), value)

    return read


def _has_literals(kind: type[ApiObject], value: Any) -> bool:
    words = _literals_of(kind)
    return bool(words) and all(value.get(name) in allowed for name, allowed in words.items())


@_cached
def _literals_of(kind: type[ApiObject]) -> dict[str, tuple[Any, ...]]:
    hints = typing.get_type_hints(kind)
    discriminators = {name: hints[name] for name in ("type", "code", "cap", "kind", "role") if name in hints}
    return {name: typing.get_args(one) for name, one in discriminators.items() if typing.get_origin(one) is typing.Literal}


@_cached
def _fields_of(kind: type[ApiObject]) -> dict[str, tuple[str, Reader, bool]]:
    hints = typing.get_type_hints(kind)
    return {
        one.name: (_json_name(one.name), _reader(hints[one.name]), one.default is not dataclasses.MISSING)
        for one in dataclasses.fields(kind)
        if one.name != "extra"
    }


def _json_name(attribute: str) -> str:
    """The attribute ``from_`` is the field ``from``."""
    bare = attribute.removesuffix("_")
    return bare if keyword.iskeyword(bare) else attribute


def _read_model(kind: type[M], value: Any) -> M:
    rest = dict(_checked(dict, value))
    fields: dict[str, Any] = {}
    for attribute, (name, read, optional) in _fields_of(kind).items():
        if name in rest:
            fields[attribute] = read(rest.pop(name))
        elif not optional:
            raise KeyError(name)
    return kind(**fields, extra=rest)


C = TypeVar("C")


def _checked(kind: type[C], value: Any) -> C:
    if isinstance(value, kind):
        return value
    raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")


def _read_time(value: Any) -> datetime:
    # Before Python 3.11, fromisoformat reads neither Z nor any number of digits after the point.
    whole, _point, fraction = _checked(str, value).removesuffix("Z").partition(".")
    time = datetime.fromisoformat(whole)
    if not value.endswith("Z") or time.tzinfo is not None:
        raise ValueError(f"{value} is not a time in UTC")
    return time.replace(tzinfo=timezone.utc, microsecond=int(fraction[:6].ljust(6, "0")) if fraction else 0)


def _read_amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"number expected, not {type(value).__name__}")
    # The shortest decimal of the number is the one that the service wrote: amounts have at most 7 decimals.
    return Decimal(repr(value))
