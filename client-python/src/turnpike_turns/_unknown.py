"""Objects of a later version of the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._model import ApiObject


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(ApiObject):
    """An event of a type that this version of the client does not know."""

    id: str
    type: str
    created_at: datetime
    seq: int | None
    data: dict[str, Any]
