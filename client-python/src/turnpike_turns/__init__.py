"""The Python client of Turnpike, a hosted service that runs agents: ``Turnpike`` and ``AsyncTurnpike``."""

from ._async.client import AsyncTurnpike as AsyncTurnpike
from ._async.download import AsyncDownload as AsyncDownload
from ._async.pager import AsyncPager as AsyncPager
from ._async.turn_actions import AsyncTurnStream as AsyncTurnStream
from ._codes import ClientErrorCode as ClientErrorCode
from ._codes import ErrorCode as ErrorCode
from ._model import UNSET as UNSET
from ._model import ApiObject as ApiObject
from ._model import Unset as Unset
from ._page import Page as Page
from ._runtime import AsyncRuntime as AsyncRuntime
from ._runtime import Runtime as Runtime
from ._sync.client import Turnpike as Turnpike
from ._sync.download import Download as Download
from ._sync.pager import Pager as Pager
from ._sync.turn_actions import TurnStream as TurnStream
from ._unknown import UnknownEvent as UnknownEvent
from ._version import VERSION as VERSION
from .errors import APIConnectionError as APIConnectionError
from .errors import APITimeoutError as APITimeoutError
from .errors import AuthenticationError as AuthenticationError
from .errors import ConflictError as ConflictError
from .errors import CountExceededError as CountExceededError
from .errors import InsufficientCreditsError as InsufficientCreditsError
from .errors import NotFoundError as NotFoundError
from .errors import PermissionDeniedError as PermissionDeniedError
from .errors import QuotaExceededError as QuotaExceededError
from .errors import ServerError as ServerError
from .errors import ToolRequestError as ToolRequestError
from .errors import TurnpikeError as TurnpikeError
from .errors import ValidationError as ValidationError
from .errors import WebhookVerificationError as WebhookVerificationError
from .models import BalanceEvent as BalanceEvent
from .models import CapEvent as CapEvent
from .models import EndUserBalanceEvent as EndUserBalanceEvent
from .models import FeedEvent as FeedEvent
from .models import TakenCall as TakenCall
from .models import Turn as Turn
from .models import TurnEvent as TurnEvent
from .models import TurnStateEvent as TurnStateEvent
from .tool_requests import ToolIdentity as ToolIdentity
from .tool_requests import verify_taken_call as verify_taken_call
from .tool_requests import verify_tool_request as verify_tool_request
from .webhooks import verify_webhook as verify_webhook

__version__ = VERSION
