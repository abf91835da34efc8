# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""The objects of responses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Union

from ._model import ApiObject
from ._unknown import UnknownEvent


@dataclass(frozen=True, kw_only=True)
class AccountFactorChangedEvent(ApiObject):
    """
    A password, an identity or a second factor of your account was set or removed. It is for the account's own
    user: keys and webhooks get it if this user made them and is an owner. It is a notice to the account's
    owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["account.factor_changed"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: AccountFactorChangedEventData


@dataclass(frozen=True, kw_only=True)
class AccountFactorChangedEventData(ApiObject):
    """The object AccountFactorChangedEventData of the API."""

    factor: Literal["password", "email", "identity", "second_factor"]
    change: str


@dataclass(frozen=True, kw_only=True)
class AccountLockedEvent(ApiObject):
    """
    After too many wrong passwords, your account accepts no password for a while. It is sent at most once per
    hour. It is for the account's own user: keys and webhooks get it if this user made them and is an owner. It
    is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["account.locked"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: AccountLockedEventData


@dataclass(frozen=True, kw_only=True)
class AccountLockedEventData(ApiObject):
    """The object AccountLockedEventData of the API."""

    address: str | None


@dataclass(frozen=True, kw_only=True)
class AccountSignedInEvent(ApiObject):
    """
    A user has signed in to your account from a new address or browser. It is for the account's own user: keys
    and webhooks get it if this user made them and is an owner. It is a notice to the account's owner, so only
    keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["account.signed_in"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: AccountSignedInEventData


@dataclass(frozen=True, kw_only=True)
class AccountSignedInEventData(ApiObject):
    """The object AccountSignedInEventData of the API."""

    session_id: str
    address: str | None
    user_agent: str | None


@dataclass(frozen=True, kw_only=True)
class ActivityEntry(ApiObject):
    """The object ActivityEntry of the API."""

    activity_id: int
    """Greater for newer entries."""
    action: str
    subject_type: str
    """The type of the changed object."""
    subject_id: str
    """Its id, slug, name or `end_user_ref`."""
    by: Literal["owner", "key", "member", "end_user", "operator"]
    """
    The maker of the change: you, an API key, a member of the account or of a shared space, an end user, or an
    operator.
    """
    name: str | None
    """The name of the owner, key or member."""
    member_id: int | None
    """The user id of a member; null for all other makers."""
    role: Literal["owner", "developer", "billing", "read_only"] | None
    """The role that a member of the account had then; null for all other makers."""
    key_id: str | None
    """The key that made the change, if it was one."""
    before: dict[str, Any] | None
    """The changed facts before, without secrets. Null for a new object, and for changes of operators."""
    after: dict[str, Any] | None
    """The facts afterwards, as in `before`."""
    request_id: str | None
    """The request that made the change."""
    address: str | None
    """The IP address of your own browser; null for all other makers."""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class ActivityRecordedEvent(ApiObject):
    """
    An entry is new in the account's activity (`GET /api/account/activity`): `data` is the entry, without an
    address. Sign-ins and factors of the account's own user are left out. Only webhooks that name this type get
    it, within about a minute; one for all types does not.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["activity.recorded"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: ActivityEntry


@dataclass(frozen=True, kw_only=True)
class AnomalyFoundEvent(ApiObject):
    """
    An end user, a key or a space was billed far above its usual amount on a day (UTC). It is sent once, also if
    it continues on the next day. It is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["anomaly.found"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: AnomalyFoundEventData


@dataclass(frozen=True, kw_only=True)
class AnomalyFoundEventData(ApiObject):
    """The object AnomalyFoundEventData of the API."""

    anomaly_id: str
    end_user_ref: str | None
    key_id: str | None
    space: str | None
    day: str
    spent_usd: Decimal
    usual_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class ApprovalWhen(ApiObject):
    """The object ApprovalWhen of the API."""

    when: dict[str, Any]
    """A JSON Schema (2020-12) of the input. A call whose input fits it waits for a decision."""


@dataclass(frozen=True, kw_only=True)
class Balance(ApiObject):
    """The object Balance of the API."""

    balance_usd: Decimal
    """The account's balance, including held amounts, in USD."""
    held_usd: Decimal
    """The amount that is set aside for open turns, in USD."""
    available_usd: Decimal
    """The amount that new turns can hold, in USD: `balance_usd` - `held_usd`."""


@dataclass(frozen=True, kw_only=True)
class BalanceEvent(ApiObject):
    """The balance is low or used up."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["balance.low", "balance.depleted"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: BalanceReached


@dataclass(frozen=True, kw_only=True)
class BalanceReached(ApiObject):
    """The `data` of `balance.low` and `balance.depleted`."""

    balance_usd: Decimal
    held_usd: Decimal
    """The amount held by open turns."""
    available_usd: Decimal
    """`balance_usd` - `held_usd`: the amount that new turns could hold."""
    threshold_usd: Decimal
    """The event is sent when the balance falls below this amount. 0: never."""


@dataclass(frozen=True, kw_only=True)
class BudgetReachedEvent(ApiObject):
    """
    `percent` of the account's budget for the month is spent (`alert` is `spent`), or the forecast of the month
    exceeds it (`forecast`). Each is sent once a month, and again after a change of the amount. A budget refuses
    no turns. It is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["budget.reached"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: BudgetReachedEventData


@dataclass(frozen=True, kw_only=True)
class BudgetReachedEventData(ApiObject):
    """The object BudgetReachedEventData of the API."""

    alert: Literal["spent", "forecast"]
    percent: int | None
    month: str
    budget_usd: Decimal
    spent_usd: Decimal
    expected_usd: Decimal | None


@dataclass(frozen=True, kw_only=True)
class CallDecidedEvent(ApiObject):
    """A person, a key or your end user has allowed or denied a call that waited for a decision."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["call.decided"]
    created_at: datetime
    seq: int | None
    """The event's number in its turn's log."""
    data: CallDecidedEventData


@dataclass(frozen=True, kw_only=True)
class CallDecidedEventData(ApiObject):
    """The object CallDecidedEventData of the API."""

    turn_id: str | None
    call: str
    """The name of the call, as in `waiting.calls`."""
    tool: str
    decision: Literal["allow", "deny"]
    edited: bool
    """True if the input was changed."""
    by: CallDecidedEventDataBy
    """One of the three is set, by `kind`."""


@dataclass(frozen=True, kw_only=True)
class CallDecidedEventDataBy(ApiObject):
    """One of the three is set, by `kind`."""

    kind: Literal["key", "user", "end_user"]
    user_id: int | None
    key_id: str | None
    end_user_ref: str | None


@dataclass(frozen=True, kw_only=True)
class CallerLimit(ApiObject):
    """
    A limit on requests. `open_waits`: long polls and streams of one caller. `portal_sessions`: sessions of the
    portal that an account opens at once.
    """

    cap: Literal["open_waits", "portal_sessions"]
    limit: int


@dataclass(frozen=True, kw_only=True)
class CallerTool(ApiObject):
    """The object CallerTool of the API."""

    name: str
    """A name that no built-in tool and no tool of the space or of its MCP servers has."""
    description: str | None = None
    """What the tool does. The model reads this text."""
    input_schema: dict[str, Any]
    """
    The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no
    look-arounds and no back-references.
    """


@dataclass(frozen=True, kw_only=True)
class CapEvent(ApiObject):
    """A share of a cap has been spent."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["cap.reached"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: CapReached


@dataclass(frozen=True, kw_only=True)
class CapReached(ApiObject):
    """The `data` of `cap.reached`."""

    cap: Literal["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"]
    """The cap: of a key for a UTC day, month or a window, or of an end user for a UTC day or month."""
    source: Literal["key", "end_user", "account", "plan", "space", "default"]
    """Where the limit is set: on the key, for this end user, as a default, by the plan or on the space."""
    percent: Literal[50, 80, 100]
    """
    Each value is reported once per day, month or window. 100 is also reported if the remaining amount is too
    small for any turn.
    """
    limit_usd: Decimal
    spent_usd: Decimal
    """The amount billed in this period."""
    reserved_usd: Decimal
    """The amount held by open turns of this period."""
    resets_at: datetime
    """When the next period starts and the spent amount is 0 again."""
    key_id: str | None
    """The key with the cap or the default limit. Null if the limit is not set on a key."""
    end_user_ref: str | None
    """The end user of the cap. Null for a key's own cap."""
    space: str | None
    """The space whose limit for its members it is. Null for any other cap."""


@dataclass(frozen=True, kw_only=True)
class CapState(ApiObject):
    """The object CapState of the API."""

    cap: Literal["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"]
    source: Literal["key", "end_user", "account", "plan", "space", "default"]
    """
    Where the limit is set: on the key, on this end user, as the account's default, by the account's plan, on
    the space by its owner, or as the service's default.
    """
    limit_usd: Decimal
    spent_usd: Decimal
    """
    Amount billed to turns that were accepted in this period, whenever they ended. For an end user, the turns of
    all keys of the account count.
    """
    reserved_usd: Decimal
    """Amount held by turns of this period that have not ended."""
    left_usd: Decimal
    """Amount that new turns can still hold: limit - spent - reserved, at least 0."""
    resets_at: datetime | None
    """When the next period begins, with nothing spent. Null: no window is open."""


@dataclass(frozen=True, kw_only=True)
class Caps(ApiObject):
    """The object Caps of the API."""

    daily_usd: Decimal | None
    """The most that the key can spend in a UTC day, in USD. 0: nothing. Null: no cap."""
    monthly_usd: Decimal | None
    """The most that the key can spend in a UTC month, in USD. 0: nothing. Null: no cap."""
    end_user_daily_usd: Decimal | None
    """
    The default daily limit, in USD, for each of your customers without a limit of their own, when this key
    sends their turns. It counts their spending across all keys of the account. Null: no limit.
    """
    end_user_monthly_usd: Decimal | None
    """The default limit for each customer in a UTC month, in USD. Null: no limit."""
    window_usd: Decimal | None
    """
    The most that the key can spend in a window, in USD. The first turn opens the window, which ends after
    `window_seconds`. Null: no cap.
    """
    window_seconds: int | None
    """The length of the window, in seconds."""


@dataclass(frozen=True, kw_only=True)
class ConfigVersion(ApiObject):
    """
    A version of a space's whole configuration. Turns use one version from start to end. Secrets are not part of
    it.
    """

    version: int
    change: str
    """
    The change that created the version: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`,
    `secrets/…`.
    """
    created_at: datetime
    model: str | None
    manifest: Manifest
    tools: list[Tool]
    mcp_servers: list[McpServer]


@dataclass(frozen=True, kw_only=True)
class ConfigVersionSummary(ApiObject):
    """The object ConfigVersionSummary of the API."""

    version: int
    change: str
    """
    The change that created the version: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`,
    `secrets/…`.
    """
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Conversation(ApiObject):
    """The object Conversation of the API."""

    conversation_id: str
    space: str
    """The space that the conversation is in."""
    end_user_ref: str
    turns: int
    """All turns of the conversation, in every state."""
    context: ConversationContext
    """
    The part of the conversation that the agent sees. A model with a small window may see less: the event
    `context.trimmed` of a turn says it. In a space with summaries, the next turn may summarise the oldest of
    these turns.
    """
    created_at: datetime
    last_turn_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ConversationContext(ApiObject):
    """
    The part of the conversation that the agent sees. A model with a small window may see less: the event
    `context.trimmed` of a turn says it. In a space with summaries, the next turn may summarise the oldest of
    these turns.
    """

    turns: list[str]
    """The turns that the agent sees, oldest first."""
    summary: ConversationContextSummary | None
    """The summary of the turns before these. Null: there is none."""
    tokens: int
    """About how many tokens both have."""


@dataclass(frozen=True, kw_only=True)
class ConversationContextSummary(ApiObject):
    """The object ConversationContextSummary of the API."""

    text: str
    turns: int
    """The number of turns that it covers."""
    tokens: int
    """About how many tokens it has."""
    model: str
    """The model that wrote it, as a pin."""
    turn_id: str
    """The turn that has paid for it."""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class CostLimitDetails(ApiObject):
    """The `details` of COST_LIMIT_TOO_LOW."""

    max_cost_usd: Decimal
    needed_usd: Decimal
    """The most that the turn's first model call can cost. `max_cost_usd` must be at least this."""


@dataclass(frozen=True, kw_only=True)
class CountState(ApiObject):
    """The object CountState of the API."""

    cap: Literal["open_test_turns", "daily_test_turns", "keys", "daily_key_changes", "members", "daily_invitations", "end_users", "spaces", "config_bytes", "files", "file_bytes", "resent_events"]
    """
    `open_test_turns`: test turns that have not ended. `daily_test_turns`: test turns sent within a day. `keys`:
    API keys, revoked and expired ones included. `daily_key_changes`: API keys created, changed or rotated
    within a day. `members`: members, open invitations included. `daily_invitations`: invitations of members
    within a day. `end_users`: end users with limits or a profile of their own. `spaces`: spaces, archived ones
    included. `config_bytes`: bytes of configuration, including kept versions and secrets. `files`: files.
    `file_bytes`: bytes of files. `resent_events`: events sent again to one webhook within an hour.
    """
    limit: int
    used: int
    """Can exceed `limit` after the limit was lowered, since nothing is removed then."""


@dataclass(frozen=True, kw_only=True)
class CreditsDetails(ApiObject):
    """The `details` of INSUFFICIENT_CREDITS. Empty if the caller may not see the balance."""

    balance_usd: Decimal | None = None
    """The account's balance, including held amounts, in USD."""
    held_usd: Decimal | None = None
    """The amount that is set aside for open turns, in USD."""
    available_usd: Decimal | None = None
    """The amount that new turns can hold, in USD: `balance_usd` - `held_usd`."""
    needed_usd: Decimal | None = None
    """The smallest hold that the turn needs, in your cost."""


@dataclass(frozen=True, kw_only=True)
class DecidedCall(ApiObject):
    """The object DecidedCall of the API."""

    turn_id: str
    call: str
    """The `call` of `waiting.calls`."""
    decision: Literal["allow", "deny"]
    """The decision that counts."""
    edited: bool
    """True if the call gets another input."""
    decided_at: str
    """When the decision was made."""


@dataclass(frozen=True, kw_only=True)
class DeleteWebhookAnswer(ApiObject):
    """The object DeleteWebhookAnswer of the API."""

    webhook_id: str
    deleted: Literal[True]


@dataclass(frozen=True, kw_only=True)
class Deleted(ApiObject):
    """The object Deleted of the API."""

    name: str
    deleted: Literal[True]


@dataclass(frozen=True, kw_only=True)
class DeletedFile(ApiObject):
    """The object DeletedFile of the API."""

    file_id: str
    space: str
    """The id of the file's space."""
    turn: str | None
    """The turn whose agent created the file; null for an upload."""
    name: str
    media_type: str
    bytes: int
    """The size in bytes."""
    sha256: str
    """The SHA-256 of the bytes, in lower-case hex."""
    created_at: datetime
    deleted: Literal[True]


@dataclass(frozen=True, kw_only=True)
class DeletedPrice(ApiObject):
    """The object DeletedPrice of the API."""

    version: int
    multiplier: float
    """Multiplied with the billed amount of each model call. 1: what the call cost you."""
    per_model: dict[str, float]
    """Multipliers of single models, by pin. All other models have `multiplier`."""
    per_turn_usd: Decimal
    """Added for each turn with at least one model call, in USD."""
    rounding: DeletedPriceRounding
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """
    created_at: datetime
    begins_at: datetime | None
    """When the version begins, if it was planned. Null: at `created_at`."""
    name: str
    used_by: DeletedPriceUsedBy
    """A price that is in use cannot be deleted."""
    deleted: Literal[True]
    planned: PriceVersion | None
    """
    The version of turns that are accepted from its `begins_at` on. Null: no version is planned. To cancel it,
    set the price with its present values: a version never changes, so they become a newer one.
    """
    versions: list[PriceVersion]
    """The newest 100 versions, the current one first. A turn keeps the version of its acceptance."""


@dataclass(frozen=True, kw_only=True)
class DeletedPriceRounding(ApiObject):
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """

    to_usd: Decimal
    mode: Literal["up", "nearest", "down"]


@dataclass(frozen=True, kw_only=True)
class DeletedPriceUsedBy(ApiObject):
    """A price that is in use cannot be deleted."""

    end_users: int
    """End users with this price of their own."""
    keys: int
    """API keys with this default."""
    account: bool
    """True if it is the account's default."""


@dataclass(frozen=True, kw_only=True)
class Delivery(ApiObject):
    """The object Delivery of the API."""

    delivery_id: str
    webhook_id: str
    event_id: str
    """The `webhook-id` header of every attempt."""
    event_type: str
    """The event's `type`."""
    turn_id: str | None
    """The event's turn. Null if the event belongs to no turn."""
    state: Literal["pending", "delivered", "failed"]
    """
    `pending`: it will be attempted again. `failed`: it will not be attempted again unless you redeliver it.
    """
    status_reason: Literal["attempts_exhausted", "endpoint_gone", "endpoint_failing", "endpoint_disabled", "endpoint_deleted", "account_disabled"] | None
    """Why it failed. Null: it has not failed."""
    attempt_count: int
    """The number of attempts, including attempts of redeliveries."""
    attempts: list[DeliveryAttempt]
    """Oldest first. A list shows the newest 16 of each delivery; reading one delivery shows all."""
    next_attempt_at: datetime | None
    """When the next attempt is due. Null unless it is pending."""
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class DeliveryAttempt(ApiObject):
    """The object DeliveryAttempt of the API."""

    attempt: int
    """The number of the attempt, from 1."""
    created_at: datetime
    status: int | None
    """The HTTP status of the response. Null: no response."""
    error: str | None
    """Why there was no response, or what its status means."""
    answer: str | None
    """The first KiB of the response body."""
    location: str | None
    """The target of a redirect. Redirects are not followed."""
    duration_ms: int
    request_headers: dict[str, str]
    """The headers that were sent, without `webhook-signature`, which is not stored."""


@dataclass(frozen=True, kw_only=True)
class EndUser(ApiObject):
    """The object EndUser of the API."""

    end_user_ref: str
    first_turn_at: datetime | None
    """The time of the first turn; null if the end user has limits but no turns yet."""
    last_turn_at: datetime | None
    turns: int
    """The number of all turns in the key's spaces."""
    billed_usd: Decimal
    """The total billed amount in the key's spaces, in USD."""
    billed_this_month_usd: Decimal
    """The part of `billed_usd` that was billed in this UTC month."""
    billed_today_usd: Decimal
    """
    The part of `billed_usd` that was billed in this UTC day. It can differ from `spent_usd` in `caps`. A turn
    is billed when it ends, but `caps` count it on the day it was accepted, and across the whole account.
    """
    refunded_usd: Decimal
    """The part of `billed_usd` that the operator has refunded to your balance. Limits still count it."""
    limits: EndUserLimits
    caps: list[CapState]
    """
    The daily and monthly limits that apply to the end user's turns from this key, with the amounts left. Each
    is the end user's own limit, else the key's default, else the account's. Empty if no limit applies. With a
    test key: the limits of test turns, by their rehearsed cost.
    """
    rates: list[RateState]
    """
    The limits of the rate that applies to the end user's turns from this key, with their use: the end user's
    own rate, else the key's default, else the account's. Empty if no rate applies.
    """


@dataclass(frozen=True, kw_only=True)
class EndUserBalance(ApiObject):
    """The object EndUserBalance of the API."""

    end_user_ref: str
    balance_usd: Decimal
    """The credit of the end user, including held amounts, in USD."""
    held_usd: Decimal
    """The amount that is held for the end user's open turns, in USD."""
    available_usd: Decimal
    """The amount that new turns can hold, in USD: `balance_usd` - `held_usd`."""
    low_balance_usd: Decimal
    """The event `end_user.balance_low` is sent when the balance falls below this amount. 0: never."""
    prepaid: bool
    """
    True if new turns are paid from this wallet. Then a turn that the wallet cannot pay for is rejected with 402
    `END_USER_CREDIT_SPENT`.
    """
    prepaid_source: Literal["end_user", "key", "account", "none"]
    """Where `prepaid` is set: for this end user, on the calling key, for the account, or nowhere."""
    price: str | None
    """The price of new turns. Null: the charge is the billed amount."""
    price_source: Literal["end_user", "key", "account", "none"]


@dataclass(frozen=True, kw_only=True)
class EndUserBalanceEvent(ApiObject):
    """The credit of an end user is low or used up."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["end_user.balance_low", "end_user.depleted"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: EndUserBalanceReached


@dataclass(frozen=True, kw_only=True)
class EndUserBalanceReached(ApiObject):
    """The `data` of `end_user.balance_low` and `end_user.depleted`."""

    end_user_ref: str
    balance_usd: Decimal
    held_usd: Decimal
    """The amount held by open turns."""
    available_usd: Decimal
    """`balance_usd` - `held_usd`: the amount that new turns could hold."""
    threshold_usd: Decimal
    """The event is sent when the balance falls below this amount. 0: never."""


@dataclass(frozen=True, kw_only=True)
class EndUserChargeReceipt(ApiObject):
    """The charge of a turn's end user by the seller. It names no cost, model or multiplier of the seller."""

    document: Literal["end_user_receipt"]
    version: Literal[1]
    turn_id: str
    test: bool
    """True: the turn was rehearsed, and the charge is not due."""
    state: Literal["done", "failed", "cancelled"]
    end_user_ref: str | None
    accepted_at: datetime
    ended_at: datetime
    currency: Literal["USD"]
    price: EndUserChargeReceiptPrice | None
    """The price of the turn. It never changes. Null: the turn has none."""
    components: list[EndUserReceiptComponent]
    exact_usd: str
    """The sum of the components."""
    rounding: EndUserChargeReceiptRounding
    charge_usd: str
    """The charge of the end user: `exact_usd`, rounded once."""
    paid_from: Literal["wallet", "invoice"]
    """`wallet`: the end user's prepaid wallet has paid. `invoice`: it is due to the seller."""


@dataclass(frozen=True, kw_only=True)
class EndUserChargeReceiptPrice(ApiObject):
    """The object EndUserChargeReceiptPrice of the API."""

    name: str
    version: int


@dataclass(frozen=True, kw_only=True)
class EndUserChargeReceiptRounding(ApiObject):
    """The object EndUserChargeReceiptRounding of the API."""

    to_usd: str
    """`charge_usd` is a multiple of this amount."""
    mode: Literal["up", "nearest", "down"]
    """How `exact_usd` is rounded. `nearest`: halves up."""


@dataclass(frozen=True, kw_only=True)
class EndUserCreditDetails(ApiObject):
    """
    The `details` of END_USER_CREDIT_SPENT: the end user's wallet. A key whose scope is not `all` gets
    `needed_usd` only.
    """

    balance_usd: Decimal | None = None
    """The end user's credit, including held amounts, in USD."""
    held_usd: Decimal | None = None
    """The amount that is held for the end user's open turns, in USD."""
    available_usd: Decimal | None = None
    """The amount that new turns of the end user can hold, in USD: `balance_usd` - `held_usd`."""
    needed_usd: Decimal
    """
    The amount that must be available for this turn: the most that the end user can be charged for its first
    model call.
    """


@dataclass(frozen=True, kw_only=True)
class EndUserDefault(ApiObject):
    """The object EndUserDefault of the API."""

    key_id: str | None
    """A key of the same mode, live or test. Null: the whole account."""
    price: str | None
    """The price of end users without one. Null: none."""
    prepaid: bool | None
    """Whether the turns of end users without such a setting are paid from their wallets. Null: not set."""
    name: str | None
    """The key's name."""


@dataclass(frozen=True, kw_only=True)
class EndUserDefaultList(ApiObject):
    """The object EndUserDefaultList of the API."""

    data: list[EndUserDefault]
    has_more: bool
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class EndUserExport(ApiObject):
    """The object EndUserExport of the API."""

    exported_at: datetime
    end_user: EndUser
    profile: EndUserProfile | None
    """Null: the key cannot access the whole account."""
    turns: list[ExportedTurn]
    """Oldest first."""


@dataclass(frozen=True, kw_only=True)
class EndUserLedgerEntry(ApiObject):
    """The object EndUserLedgerEntry of the API."""

    entry_id: int
    end_user_ref: str
    reason: Literal["credit", "correction", "usage", "refund"]
    """
    `credit`: added by you. `correction`: taken back by you. `usage`: the charge of a turn. `refund`: that
    charge, returned because the operator has refunded the turn to you.
    """
    amount_usd: Decimal
    """Negative for charges and corrections."""
    balance_after_usd: Decimal
    """The balance after this entry."""
    turn_id: str | None
    """The turn that was charged or refunded."""
    note: str | None
    """Your note. Erasing the end user removes it."""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class EndUserLimits(ApiObject):
    """The object EndUserLimits of the API."""

    daily_usd: Decimal | None
    """The end user's own limit for a UTC day, in USD; null: the default applies."""
    monthly_usd: Decimal | None
    """The end user's own limit for a UTC month, in USD; null: the default applies."""
    blocked: bool
    """True if new turns of the end user are rejected."""
    rate: Rate | None
    """The end user's own rate; null: the default applies."""


@dataclass(frozen=True, kw_only=True)
class EndUserProfile(ApiObject):
    """The object EndUserProfile of the API."""

    end_user_ref: str
    profile: dict[str, str | float | bool]
    """
    Facts about the end user, which `{{profile.KEY}}` inserts: at most 32 keys and 4096 bytes of JSON. Each
    value is a text, a number, or true or false. `time_zone` is the zone of `{{now}}` and `{{today}}`.
    """
    changed_at: datetime | None
    """When it was set. Null: there is no profile."""


@dataclass(frozen=True, kw_only=True)
class EndUserReceiptComponent(ApiObject):
    """The object EndUserReceiptComponent of the API."""

    kind: Literal["model_call", "image", "turn"]
    """A call of a model, an image, or the amount for the whole turn."""
    step: int | None
    """The number of the step. Null for the whole turn."""
    tokens_input: int
    tokens_output: int
    amount_usd: str
    """The charge for it, exact, with 13 decimals."""


@dataclass(frozen=True, kw_only=True)
class EndpointDisabledEvent(ApiObject):
    """One of your webhooks was disabled, because it returned 410 or failed for 5 days."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["endpoint.disabled"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: EndpointDisabledEventData


@dataclass(frozen=True, kw_only=True)
class EndpointDisabledEventData(ApiObject):
    """The object EndpointDisabledEventData of the API."""

    webhook_id: str
    url: str
    reason: Literal["gone", "failing"]


@dataclass(frozen=True, kw_only=True)
class Erasure(ApiObject):
    """The object Erasure of the API."""

    erasure_id: str
    """The id of the erasure."""
    end_user_ref: str
    state: Literal["erasing", "erased"]
    """
    `erasing`: a turn is still running, or there is more data than one request can erase. The service continues
    automatically. `erased`: all data is gone.
    """
    requested_at: datetime
    erased_at: datetime | None
    """The time at which all data was gone; null while it is being erased."""
    turns: int
    """The number of erased turns: their text, result, metadata and error message are gone."""
    events: int
    steps: int
    """The number of erased model calls, with the inputs and results of their tools."""
    files: int
    conversations: int
    """The number of conversations that lost their name and history."""
    tasks: int
    profile: bool
    """True if the end user's profile was erased."""
    kept: ErasureKept
    """The data of this end user that is kept: the number of turns and the billed amount, without any text."""


@dataclass(frozen=True, kw_only=True)
class ErasureKept(ApiObject):
    """The data of this end user that is kept: the number of turns and the billed amount, without any text."""

    turns: int
    billed_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class ExportedTurn(ApiObject):
    """The object ExportedTurn of the API."""

    turn_id: str
    space: str
    """The space that the turn runs in."""
    end_user_ref: str
    """Your own id for your end user."""
    conversation: str
    """The conversation's id. Turns of one conversation run in order, one at a time."""
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    """`done`, `failed` and `cancelled` are final."""
    waiting: Waiting | None
    """Why a running turn waits. Null: it does not wait."""
    waits_behind: str | None
    """The earlier turn of the conversation that waits, if a queued turn cannot start because of it."""
    waits_behind_until: datetime | None
    """When the queued turn is `cancelled` (`expired`) if that earlier turn still waits."""
    status_reason: str | None
    """
    Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null.
    """
    text: str
    """
    The end user's message. A turn with messages has the user's last text, at most 100000 bytes; read them all
    with `GET /v1/turns/{turn_id}/messages`.
    """
    result: str | None
    """The agent's reply. Null until the turn has ended, or without one."""
    output: Any
    """
    The value of the result, if the turn is done and has a `response_format` of JSON: it fits the schema.
    Otherwise null.
    """
    finish: Literal["stop", "tool_calls"] | None
    """How a turn is done: with a reply, or with `calls` of your tools. Null in all other states."""
    calls: list[ExportedTurnCalls]
    """
    Calls of your tools with which the turn is done. Carry them out and send their `results` with the next turn
    of the conversation. Empty without calls, and after the texts are deleted.
    """
    truncated: bool
    """True if the reply of a done turn was cut off at an output limit."""
    error: ExportedTurnError | None
    """
    Why the turn failed: `MODEL_UNAVAILABLE`, `FILE_REJECTED`, `EMPTY_ANSWER`, `OUTPUT_INVALID`,
    `TIMEOUT_REACHED`, … Null in all other states. `details` has the provider's words. It is null if no provider
    has caused the failure.
    """
    warnings: list[ExportedTurnWarnings]
    """What the turn had to do without. It did not fail for that."""
    files: list[str]
    """Ids of the files that were sent with the turn."""
    outputs: list[Output]
    """
    The files that the agent made, once the turn is done. A turn that failed or was cancelled has the images
    that it is billed for.
    """
    billed_cost_usd: Decimal
    """Amount charged for the turn. 0 until it has ended."""
    refunded_usd: Decimal
    """
    Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count
    it when it was booked.
    """
    price: TurnPrice | None
    """
    Your price for the end user and its version, as they were when the turn was accepted. Null: no price. Read
    the version with `GET /v1/prices/{name}?version=`.
    """
    end_user_charge_usd: Decimal | None
    """
    The amount that your end user is charged, by your price or from the end user's wallet. Null until the turn
    has ended, and for a turn with neither. A test turn is charged to the test wallet, for its rehearsed cost.
    See Prices and wallets.
    """
    held_usd: Decimal
    """Amount of your balance that is set aside for the turn until it ends."""
    max_cost_usd: Decimal | None
    """
    The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events
    of an open turn.
    """
    on_limit: Literal["fail", "wait"] | None
    """`fail` or `wait` at a limit, as sent. Null: the manifest of its space says it."""
    max_output_tokens: int | None
    """The most output tokens of each model call, as sent. Null: the manifest of its space says it."""
    temperature: float | None
    """The temperature, as sent. Null: the manifest of its space says it."""
    reasoning: Reasoning | None
    """The effort of reasoning, as sent. Null: the manifest of its space says it."""
    response_format: ResponseFormat | None
    """The form of the result, as sent. Null: the manifest of its space says it."""
    stop: list[str] | None
    """The sequences before which the reply ends, as sent. Null: none."""
    store: bool
    """False: the texts of the turn are deleted soon after its end."""
    usage: ExportedTurnUsage
    model: str
    """The model that the turn runs on, as a pin."""
    metadata: dict[str, str]
    """Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters."""
    test: bool
    """True if a test key sent the turn: it is rehearsed and free."""
    traceparent: str
    """
    The turn's span in its trace (W3C Trace Context): the trace of the request's `traceparent`, or a new one.
    See Traces.
    """
    tracestate: str | None
    """The `tracestate` of the request. Null without one."""
    texts_deleted_at: datetime | None
    """
    When the texts of the turn were deleted, because their time was over or the end user was erased. Then `text`
    is empty, `result` is null, and the bill stays. Null while the texts are kept.
    """
    steps_deleted_at: datetime | None
    """The same for the turn's steps and its log. Then it has no events. Null while they are kept."""
    created_at: datetime
    started_at: datetime | None
    """When the turn started to run. Null if it has not started."""
    finished_at: datetime | None
    """When the turn ended. Null until then."""
    idempotency_key: str
    conversation_name: str
    erased_at: datetime | None
    messages: list[TurnMessage] | None
    """The messages of the turn. Null: it was sent as one text, or its texts are deleted."""
    tools: list[CallerTool] | None
    """The tools of its caller. Null: it had none, or its texts are deleted."""
    events: list[TurnEvent]
    steps: list[dict[str, Any]]
    """The turn's model calls: the model's output, its tool calls, and their results."""
    file_details: list[ExportedTurnFileDetails]
    """
    Files that were sent with the turn, and files that its agent created. `content` is the path of the bytes.
    """
    tasks: list[dict[str, Any]]
    images: list[ExportedTurnImages]
    """Images that tools returned."""


@dataclass(frozen=True, kw_only=True)
class ExportedTurnCalls(ApiObject):
    """The object ExportedTurnCalls of the API."""

    id: str
    name: str
    input: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ExportedTurnError(ApiObject):
    """The object ExportedTurnError of the API."""

    code: str
    message: str
    details: ProviderDetails | None


@dataclass(frozen=True, kw_only=True)
class ExportedTurnFileDetails(ApiObject):
    """The object ExportedTurnFileDetails of the API."""

    file_id: str
    space: str
    """The id of the file's space."""
    turn: str | None
    """The turn whose agent created the file; null for an upload."""
    name: str
    media_type: str
    bytes: int
    """The size in bytes."""
    sha256: str
    """The SHA-256 of the bytes, in lower-case hex."""
    created_at: datetime
    content: str


@dataclass(frozen=True, kw_only=True)
class ExportedTurnImages(ApiObject):
    """The object ExportedTurnImages of the API."""

    step: int
    name: str
    media_type: str
    base64: str


@dataclass(frozen=True, kw_only=True)
class ExportedTurnUsage(ApiObject):
    """The object ExportedTurnUsage of the API."""

    model_calls: int
    """Model calls of all agents of the turn."""
    tool_calls: int
    """Tool calls, including calls of built-in tools."""
    tokens_input: int
    """All prompt tokens, including cached tokens."""
    tokens_cached: int
    """The part of `tokens_input` that came from the provider's cache."""
    tokens_output: int
    """All tokens that models wrote, including reasoning."""
    tokens_reasoning: int
    """The reasoning in `tokens_output`. 0 if it is not counted."""


@dataclass(frozen=True, kw_only=True)
class ExportedTurnWarnings(ApiObject):
    """The object ExportedTurnWarnings of the API."""

    code: str
    """`TOOLS_MISSING`: an optional MCP server did not answer."""
    server: str
    message: str


@dataclass(frozen=True, kw_only=True)
class FileInfo(ApiObject):
    """The object FileInfo of the API."""

    file_id: str
    space: str
    """The id of the file's space."""
    turn: str | None
    """The turn whose agent created the file; null for an upload."""
    name: str
    media_type: str
    bytes: int
    """The size in bytes."""
    sha256: str
    """The SHA-256 of the bytes, in lower-case hex."""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class HourClosedEvent(ApiObject):
    """No row comes into the hour any more. It is sent for each hour with rows, while the usage export runs."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["hour.closed"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: HourClosedEventData


@dataclass(frozen=True, kw_only=True)
class HourClosedEventData(ApiObject):
    """The object HourClosedEventData of the API."""

    from_: str
    to: str
    rows: int
    sum: str
    """The sum of `amount_usd`, a decimal."""
    digest: str
    """SHA-256 over the rows, in hex."""
    empty_since: str
    """There are no rows from then until `from`."""


@dataclass(frozen=True, kw_only=True)
class KeyCreatedEvent(ApiObject):
    """
    An API key was created or rotated. It is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["key.created"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: KeyCreatedEventData


@dataclass(frozen=True, kw_only=True)
class KeyCreatedEventData(ApiObject):
    """The object KeyCreatedEventData of the API."""

    key_id: str
    name: str | None
    scope: str
    test: bool
    hint: str
    rotated: bool


@dataclass(frozen=True, kw_only=True)
class KeyRevokedEvent(ApiObject):
    """
    An API key was revoked. Requests with it get 401 from now on, and its open turns end. It is a notice to the
    account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["key.revoked"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: KeyRevokedEventData


@dataclass(frozen=True, kw_only=True)
class KeyRevokedEventData(ApiObject):
    """The object KeyRevokedEventData of the API."""

    key_id: str
    name: str | None
    scope: str
    test: bool
    hint: str


@dataclass(frozen=True, kw_only=True)
class ListedStatement(ApiObject):
    """The object ListedStatement of the API."""

    month: str
    state: Literal["open", "closed", "building", "final"]
    """
    `open`: the month is not over. `closed`: its statement was not read yet. `building`: it is being built.
    `final`: it never changes.
    """
    receipts: int | None
    """The number of receipts. Null unless it is final."""
    total_usd: str | None
    """Null unless it is final."""


@dataclass(frozen=True, kw_only=True)
class Manifest(ApiObject):
    """The configuration of a space's agent."""

    instructions: str | None = None
    """
    The agent's system instructions. They may have variables, such as `{{today}}` or `{{profile.name}}`. Each is
    sent as its name in square brackets, and a note with each turn has the values.
    """
    time_zone: str | None = None
    """The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it. Default: UTC."""
    model: str | None = None
    """The pin of the model, `engine/model`. Default: the model of the space."""
    temperature: float | None = None
    """Default: the default of the model."""
    max_output_tokens: int | None = None
    """The maximum number of output tokens of each model call, with reasoning."""
    reasoning: Reasoning | None = None
    """Default: the default of the model. A model that cannot reason answers without it."""
    service_tier: Literal["auto", "default", "flex", "priority", "fast", "ultrafast"] | None = None
    """
    How the model's provider is asked to serve the calls of the agent and its sub-agents. `flex` is cheaper and
    slower; `priority`, `fast` and `ultrafast` are dearer and faster; `default` is the usual service. The answer
    says how it was served, and is billed with the factor of that (`price_modifiers` of `GET /v1/models`). A
    tier without a factor is not asked for. Default: as the provider's account says.
    """
    response_format: ResponseFormat | None = None
    """
    The form of the results of all turns that ask for none. The order of properties is not kept: send the form
    with the turn if it matters.
    """
    max_steps: int | None = None
    """The maximum number of model calls of one turn. Default 16."""
    timeout_seconds: int | None = None
    """The time limit of a turn, in seconds. Default 300."""
    history: ManifestHistory | None = None
    """The part of the conversation that the agent sees."""
    builtin_tools: list[Literal["list_files", "read_file", "write_file", "create_task", "update_task", "generate_image"]] | None = None
    """
    The built-in tools of the agent. Default: the file tools, except for `openai-compatible` models, because
    some of them cannot call tools. `generate_image` creates pictures, each at a fixed price. Live turns have it
    only while the service has an image model.
    """
    tools: ManifestTools | None = None
    """How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt."""
    approvals: dict[str, Approval] | None = None
    """Calls of built-in tools that wait until a person allows them, by the name of the tool."""
    on_limit: Literal["fail", "wait"] | None = None
    """
    A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial
    result. With `wait` it continues once the limit allows it.
    """
    max_wait_seconds: int | None = None
    """How long a turn waits for a limit, a decision or a result before it fails. Default 86400."""
    image_model: str | None = None
    """
    The pin of the model that `generate_image` uses, one of the `image_models` of `GET /v1/models`. Default: the
    first of them.
    """
    subagents: list[Subagent] | None = None
    """Agents to which this agent can delegate tasks."""


@dataclass(frozen=True, kw_only=True)
class ManifestHistory(ApiObject):
    """The part of the conversation that the agent sees."""

    max_turns: int | None = None
    """
    The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of them,
    so that the provider's cache helps. Default 20.
    """
    max_tokens: int | None = None
    """The maximum number of tokens of these turns together."""
    summary: bool | None = None
    """
    True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later
    turns see the summary. Default false: they are left out.
    """
    model: str | None = None
    """The pin of the model that writes summaries. Default: the model of the turn."""


@dataclass(frozen=True, kw_only=True)
class ManifestTools(ApiObject):
    """How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt."""

    mode: Literal["auto", "all", "search"]
    """
    `all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups of
    tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the default):
    `search` with more than 40 tools, or if they fill more than 10 % of the model's window.
    """


@dataclass(frozen=True, kw_only=True)
class McpCheck(ApiObject):
    """The object McpCheck of the API."""

    ok: bool
    error: str | None
    """Why the server could not be reached. Null if it was reached."""
    tools: list[McpCheckTools]
    changed: list[McpCheckChanged]
    """
    Tools that differ from their pinned form. The first check or turn after a PUT of the server pins its tools.
    PUT the server again to accept the tools as it lists them now.
    """
    left_out: list[McpCheckLeftOut]
    """Tools that cannot be used in the form that the server lists. All other tools work."""
    duration_ms: int


@dataclass(frozen=True, kw_only=True)
class McpCheckChanged(ApiObject):
    """The object McpCheckChanged of the API."""

    name: str
    change: Literal["added", "removed", "description", "output_schema", "input_schema"]
    """
    The first difference that applies: the tool itself, its input schema, its description, its output schema.
    """
    offered: bool
    """True if turns can use the tool in its pinned form; false if it is left out."""


@dataclass(frozen=True, kw_only=True)
class McpCheckLeftOut(ApiObject):
    """The object McpCheckLeftOut of the API."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class McpCheckTools(ApiObject):
    """The object McpCheckTools of the API."""

    name: str
    """The name that the agent sees: `server__tool`."""
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class McpServer(ApiObject):
    """An MCP server. The agent can call its tools as `server__tool`."""

    name: str
    url: str
    """The URL of the server's Streamable HTTP endpoint."""
    headers: dict[str, str] | None = None
    """
    HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.
    """
    identity: Literal["signed", "none"] | None = None
    """
    Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the
    call. See Whom a tool acts for. Default `signed`.
    """
    required: bool | None = None
    """
    Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn
    continues without its tools, and `warnings` says so. Default true.
    """
    allowed_tools: list[str] | None = None
    """The tools that the agent can call, by the names that the server uses. Default: all tools."""
    approval: Approval | None = None
    """For all tools of the server."""
    approvals: dict[str, Approval] | None = None
    """For some tools, by the names that the server uses. It replaces `approval`."""


@dataclass(frozen=True, kw_only=True)
class McpServerFailingEvent(ApiObject):
    """
    An optional MCP server did not answer for some minutes. Live turns lack its tools until it answers again. It
    is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["mcp_server.failing"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: McpServerFailingEventData


@dataclass(frozen=True, kw_only=True)
class McpServerFailingEventData(ApiObject):
    """The object McpServerFailingEventData of the API."""

    space: str
    server: str
    failures: int
    failing_minutes: int
    error: str


@dataclass(frozen=True, kw_only=True)
class McpServerFailure(ApiObject):
    """An optional MCP server that did not answer the last turn that asked it."""

    server: str
    failures: int
    """How often it did not answer, one after another."""
    failing_since: datetime
    failed_at: datetime
    """When a turn last asked it."""
    paused_until: datetime
    """Until then, turns do not ask it."""
    error: str


@dataclass(frozen=True, kw_only=True)
class Me(ApiObject):
    """The object Me of the API."""

    key: MeKey
    caps: list[CapState]
    """
    The caps of the key itself, `key_daily`, `key_monthly` and `key_window`, and `account_daily` of the
    account's plan, with the amounts spent, reserved and left. For the caps of one customer, read the end user.
    Empty for a test key, whose turns have no caps.
    """
    rates: list[RateState]
    """The limits of the key's rate, with their use. For the rate of one customer, read the end user."""
    limits: list[CountState]
    """The account's limits on counts and sizes, and their usage, for live and test data together."""
    balance: Balance | None
    """The account's balance. Null for a test key, and for a key to one space."""


@dataclass(frozen=True, kw_only=True)
class MeKey(ApiObject):
    """The object MeKey of the API."""

    key_id: str
    name: str
    scope: Literal["created", "space", "all"]
    """`created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account."""
    space: str | None
    """The space of a key with the scope `space`; otherwise null."""
    test: bool
    caps: Caps
    default_end_user_ref: str | None
    """
    The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat
    interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user.
    """
    rate: Rate | None
    """How much the key may send in a minute, and at the same time. Null: no limit."""
    end_user_rate: Rate | None
    """
    The default rate of each of your customers without a rate of their own, when this key sends their turns.
    Null: the account's default.
    """
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Model(ApiObject):
    """The object Model of the API."""

    pin: str
    """The id of the model. Turns, spaces and manifests send it as `model`."""
    label: str
    """The display name."""
    engine: str
    """The engine that runs the model: the part of the pin before the slash."""
    price_usd_per_million_tokens: ModelPriceUsdPerMillionTokens
    price_usd_per_web_search: Decimal | None
    """USD for one web search that the provider makes itself; null: free."""
    price_usd_per_x_search: Decimal | None
    """USD for one search of posts on X that the provider makes itself; null: free."""
    price_usd_per_code_execution: Decimal | None
    """USD for one run of code in the provider's own container; null: free."""
    price_tiers: list[ShownPriceTier]
    """Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`."""
    price_modifiers: dict[str, float]
    """
    Factors of all prices per token, by how the provider says that it has served the call: a service tier
    (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`).
    """
    max_output_tokens: int
    """The maximum number of output tokens of one model call."""


@dataclass(frozen=True, kw_only=True)
class ModelPriceUsdPerMillionTokens(ApiObject):
    """The object ModelPriceUsdPerMillionTokens of the API."""

    input: Decimal
    """USD per million input tokens."""
    cached: Decimal
    """USD per million prompt tokens that the provider read from its cache."""
    cache_write: Decimal
    """USD per million prompt tokens that the provider writes to its cache."""
    cache_write_hour: Decimal
    """USD per million prompt tokens that the cache keeps for an hour instead of five minutes."""
    audio_input: Decimal
    """USD per million prompt tokens of audio."""
    output: Decimal
    """USD per million output tokens."""
    reasoning: Decimal
    """USD per million output tokens of reasoning."""


@dataclass(frozen=True, kw_only=True)
class MonthStatement(ApiObject):
    """The object MonthStatement of the API."""

    month: str
    state: Literal["open", "building", "final"]
    """
    `open`: the month is not over. `building`: the receipts of a large month are still being read. Read it again
    after a minute. Never `closed`, as in the list: reading a closed month builds its statement.
    """
    receipts_read: int
    """The number of receipts that were read so far."""
    statement: SignedStatement | None
    """The signed statement, which never changes. Null unless `state` is `final`."""


@dataclass(frozen=True, kw_only=True)
class Output(ApiObject):
    """The object Output of the API."""

    file_id: str
    name: str
    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class PingEvent(ApiObject):
    """You requested a test, or the webhook must confirm its URL."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["ping"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: PingEventData


@dataclass(frozen=True, kw_only=True)
class PingEventData(ApiObject):
    """The object PingEventData of the API."""

    webhook_id: str


@dataclass(frozen=True, kw_only=True)
class PortalSession(ApiObject):
    """The object PortalSession of the API."""

    url: str
    """The portal's address. It opens once, so create a session for each view."""
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Price(ApiObject):
    """The object Price of the API."""

    version: int
    multiplier: float
    """Multiplied with the billed amount of each model call. 1: what the call cost you."""
    per_model: dict[str, float]
    """Multipliers of single models, by pin. All other models have `multiplier`."""
    per_turn_usd: Decimal
    """Added for each turn with at least one model call, in USD."""
    rounding: PriceRounding
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """
    created_at: datetime
    begins_at: datetime | None
    """When the version begins, if it was planned. Null: at `created_at`."""
    name: str
    used_by: PriceUsedBy
    """A price that is in use cannot be deleted."""
    deleted: bool
    """True if the price was deleted. Turns that were accepted with one of its versions keep it."""
    planned: PriceVersion | None
    """
    The version of turns that are accepted from its `begins_at` on. Null: no version is planned. To cancel it,
    set the price with its present values: a version never changes, so they become a newer one.
    """
    versions: list[PriceVersion]
    """The newest 100 versions, the current one first. A turn keeps the version of its acceptance."""


@dataclass(frozen=True, kw_only=True)
class PriceRounding(ApiObject):
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """

    to_usd: Decimal
    mode: Literal["up", "nearest", "down"]


@dataclass(frozen=True, kw_only=True)
class PriceUsedBy(ApiObject):
    """A price that is in use cannot be deleted."""

    end_users: int
    """End users with this price of their own."""
    keys: int
    """API keys with this default."""
    account: bool
    """True if it is the account's default."""


@dataclass(frozen=True, kw_only=True)
class PriceVersion(ApiObject):
    """The object PriceVersion of the API."""

    version: int
    multiplier: float
    """Multiplied with the billed amount of each model call. 1: what the call cost you."""
    per_model: dict[str, float]
    """Multipliers of single models, by pin. All other models have `multiplier`."""
    per_turn_usd: Decimal
    """Added for each turn with at least one model call, in USD."""
    rounding: PriceVersionRounding
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """
    created_at: datetime
    begins_at: datetime | None
    """When the version begins, if it was planned. Null: at `created_at`."""


@dataclass(frozen=True, kw_only=True)
class PriceVersionRounding(ApiObject):
    """
    The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down`
    or to the `nearest` (halves up).
    """

    to_usd: Decimal
    mode: Literal["up", "nearest", "down"]


@dataclass(frozen=True, kw_only=True)
class ProviderDetails(ApiObject):
    """The words of the model's provider about a failure."""

    status: int | None
    """The HTTP status of its response."""
    type: str | None
    """The kind of the error, in its words."""
    message: str | None
    """
    Its message, at most 500 characters. Words that may name an account or a key are replaced by an ellipsis.
    Null: it sent none, or it concerns only the service.
    """
    file: str | None
    """The name of the file that it refused."""
    tool: str | None
    """The name of the tool that it refused."""
    parameter: str | None
    """The parameter that it refused."""


@dataclass(frozen=True, kw_only=True)
class QuotaDetails(ApiObject):
    """The `details` of QUOTA_EXCEEDED: the cap that blocks the turn longest."""

    cap: Literal["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"]
    source: Literal["key", "end_user", "account", "plan", "space", "default"]
    """
    Where the limit is set: on the key, on this end user, as the account's default, by the account's plan, on
    the space by its owner, or as the service's default.
    """
    limit_usd: Decimal
    spent_usd: Decimal
    """
    Amount billed to turns that were accepted in this period, whenever they ended. For an end user, the turns of
    all keys of the account count.
    """
    reserved_usd: Decimal
    """Amount held by turns of this period that have not ended."""
    left_usd: Decimal
    """Amount that new turns can still hold: limit - spent - reserved, at least 0."""
    resets_at: datetime | None
    """When the next period begins, with nothing spent. Null: no window is open."""
    needed_usd: Decimal
    """The smallest hold that the turn needs, in your cost."""
    exceeded: list[CapState]
    """All caps that have less left than `needed_usd`."""


@dataclass(frozen=True, kw_only=True)
class Rate(ApiObject):
    """How much may be sent in a minute, and at the same time."""

    requests_per_minute: int | None
    """The most turns that are accepted in a minute. Null: no limit."""
    input_tokens_per_minute: int | None
    """
    The most input tokens in a minute. A turn is accepted while the window has any left. It counts by an
    estimate of its text, and from its end on by the tokens that its model calls had. Null: no limit.
    """
    concurrent_turns: int | None
    """The most turns that are queued or running at the same time. Null: no limit."""
    fail: Literal["open", "closed"]
    """
    What happens while the counters cannot be read. `open`: turns are accepted. `closed`: they are rejected with
    503 `UNAVAILABLE`. `concurrent_turns` is exact in both cases.
    """


@dataclass(frozen=True, kw_only=True)
class RateState(ApiObject):
    """The object RateState of the API."""

    limit: Literal["key_requests", "key_input_tokens", "key_turns", "end_user_requests", "end_user_input_tokens", "end_user_turns"]
    """
    The limit: `requests` and `input_tokens` in a minute, or `turns` at the same time, of the key or of the end
    user.
    """
    most: int
    """The limit's value."""
    used: int | None
    """How much of it is used now. It can exceed `most`. Null: the counters cannot be read at the moment."""
    window_seconds: int | None
    """The length of the window. Null: no window."""


@dataclass(frozen=True, kw_only=True)
class Reasoning(ApiObject):
    """How much the model reasons before it answers."""

    effort: Literal["none", "low", "medium", "high"]
    """
    `none`: no reasoning, as far as the model can do without it. `high`: most of the output may be reasoning.
    """


@dataclass(frozen=True, kw_only=True)
class Receipt(ApiObject):
    """What a turn was charged. It never changes after the end of the turn."""

    document: Literal["receipt"]
    version: Literal[1]
    turn_id: str
    test: bool
    state: Literal["done", "failed", "cancelled"]
    space: str
    key_id: str | None
    """Null for a turn of the web chat."""
    end_user_ref: str | None
    """Null for a turn of the web chat."""
    accepted_at: datetime
    ended_at: datetime
    """The time of the charge. It decides the month of the statement."""
    currency: Literal["USD"]
    rounding: str
    calls: list[ReceiptCall]
    """Model calls and images, including those of sub-agents, in order."""
    hold: ReceiptHold
    total_usd: str
    """The sum of the calls, and the amount of the entry in the ledger."""


@dataclass(frozen=True, kw_only=True)
class ReceiptCall(ApiObject):
    """The object ReceiptCall of the API."""

    step: int
    """The step's number."""
    call: int | None
    """The tool call that made an image. Null: a model call."""
    subagent: str | None
    """The sub-agent's name. Null: the space's own agent."""
    model: str
    """The model, as a pin."""
    price_version: int
    """The version of the model's prices that applied."""
    above_input_tokens: int | None = None
    """The prices are those of the model's tier for prompts with more tokens than this. Missing: of no tier."""
    modifiers: list[str] | None = None
    """
    How the provider says that it has served the call. The prices contain the factor of each. Missing: as usual.
    """
    lines: list[ReceiptLine]
    computed_usd: str
    """The sum of `quantity` × `unit_price_usd` / `per` over the lines, rounded up to 7 decimals."""
    waived_usd: str
    """The part of `computed_usd` that is not charged."""
    waived_for: Literal["test", "lost", "over_hold"] | None
    """
    `test`: test turns are free. `lost`: the service has lost the turn. `over_hold`: a charge never exceeds the
    turn's hold. Null: nothing is waived.
    """
    amount_usd: str
    """The amount charged: `computed_usd` - `waived_usd`."""
    made_at: datetime


@dataclass(frozen=True, kw_only=True)
class ReceiptHold(ApiObject):
    """The object ReceiptHold of the API."""

    held_usd: str
    """The amount held when the turn ended."""
    charged_usd: str
    """The part that was charged: `total_usd`."""
    released_usd: str
    """The part that was released."""


@dataclass(frozen=True, kw_only=True)
class ReceiptLine(ApiObject):
    """The object ReceiptLine of the API."""

    kind: Literal["input", "cached", "cache_written", "cache_written_hour", "audio_input", "output", "reasoning", "web_search", "x_search", "code_execution", "image"]
    """
    Each token is in one line. `input`: input tokens. `cached`: prompt tokens that the provider read from its
    cache. `cache_written`: prompt tokens that the provider writes to its cache. `cache_written_hour`: prompt
    tokens that the cache keeps for an hour instead of five minutes. `audio_input`: prompt tokens of audio.
    `output`: output tokens. `reasoning`: output tokens of reasoning. `web_search`: one web search that the
    provider makes itself. `x_search`: one search of posts on X that the provider makes itself.
    `code_execution`: one run of code in the provider's own container. `image`: one picture of any size.
    """
    quantity: int
    """The number of tokens or images."""
    unit_price_usd: str | None
    """The price of `per` units. Null: not known any more."""
    per: int
    """The units of the price: a million tokens, or one image."""


@dataclass(frozen=True, kw_only=True)
class RefundDecidedEvent(ApiObject):
    """
    The operator has refunded a turn that you asked a refund for, or declined your request. It is a notice to
    the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["refund.decided"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: RefundDecidedEventData


@dataclass(frozen=True, kw_only=True)
class RefundDecidedEventData(ApiObject):
    """The object RefundDecidedEventData of the API."""

    turn_id: str
    decision: Literal["refunded", "declined"]
    answer: str


@dataclass(frozen=True, kw_only=True)
class RefundDocument(ApiObject):
    """A refund of a turn. The receipt of the turn does not change."""

    document: Literal["refund"]
    version: Literal[1]
    turn_id: str
    receipt_digest: str
    """The digest of the receipt that is refunded."""
    currency: Literal["USD"]
    refunded_usd: str
    ledger_id: int
    """The refund's entry in the ledger."""
    refunded_at: datetime
    """It decides the month of the statement."""


@dataclass(frozen=True, kw_only=True)
class RefusedByBalance(ApiObject):
    """The object RefusedByBalance of the API."""

    code: Literal["INSUFFICIENT_CREDITS"]
    message: str
    details: CreditsDetails
    retry_after: None
    """Always null: waiting does not help."""
    retryable: Literal[False]


@dataclass(frozen=True, kw_only=True)
class RefusedByCap(ApiObject):
    """The object RefusedByCap of the API."""

    code: Literal["QUOTA_EXCEEDED"]
    message: str
    details: QuotaDetails
    retry_after: int | None
    """
    Whole seconds until that cap resets. Null: the cap is too small for the turn, so waiting does not help.
    """
    retryable: bool
    """
    True if the same turn can be sent again after `retry_after`. False: the cap is too small for it at any time.
    """


@dataclass(frozen=True, kw_only=True)
class RefusedByCostLimit(ApiObject):
    """The object RefusedByCostLimit of the API."""

    code: Literal["COST_LIMIT_TOO_LOW"]
    message: str
    details: CostLimitDetails
    retry_after: None
    """Always null: waiting does not help."""
    retryable: Literal[False]


@dataclass(frozen=True, kw_only=True)
class RefusedByEndUserCredit(ApiObject):
    """The object RefusedByEndUserCredit of the API."""

    code: Literal["END_USER_CREDIT_SPENT"]
    message: str
    details: EndUserCreditDetails
    retry_after: None
    """Always null: waiting does not help."""
    retryable: Literal[False]


@dataclass(frozen=True, kw_only=True)
class RenewCallAnswer(ApiObject):
    """The object RenewCallAnswer of the API."""

    taken_until: datetime
    """Then another worker may get the call, unless you renew it."""


@dataclass(frozen=True, kw_only=True)
class Replayed(ApiObject):
    """The object Replayed of the API."""

    replayed: int
    """The number of deliveries that this request made pending."""
    has_more: bool
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class ResponseFormatJsonObject(ApiObject):
    """The object ResponseFormatJsonObject of the API."""

    type: Literal["json_object"]


@dataclass(frozen=True, kw_only=True)
class ResponseFormatJsonSchema(ApiObject):
    """The object ResponseFormatJsonSchema of the API."""

    type: Literal["json_schema"]
    name: str
    """A name for the form, which the model may read."""
    description: str | None = None
    """What the result is. The model reads it."""
    schema: dict[str, Any]
    """
    The JSON Schema of the result, of draft 4 to 2020-12. References stay within the schema. Patterns use RE2,
    which has no look-arounds and no back-references.
    """


@dataclass(frozen=True, kw_only=True)
class ResponseFormatText(ApiObject):
    """The object ResponseFormatText of the API."""

    type: Literal["text"]


@dataclass(frozen=True, kw_only=True)
class Retention(ApiObject):
    """The object Retention of the API."""

    own: RetentionOwn
    """The days that the space has set."""
    service: RetentionService
    """The days of the service, which apply to all spaces."""
    kept: RetentionKept
    """The days that apply: for each kind, the fewer of both."""


@dataclass(frozen=True, kw_only=True)
class RetentionKept(ApiObject):
    """The days that apply: for each kind, the fewer of both."""

    text_days: int
    step_days: int
    event_days: int
    attempt_days: int


@dataclass(frozen=True, kw_only=True)
class RetentionOwn(ApiObject):
    """The days that the space has set."""

    text_days: int | None = None
    step_days: int | None = None
    event_days: int | None = None
    attempt_days: int | None = None


@dataclass(frozen=True, kw_only=True)
class RetentionService(ApiObject):
    """The days of the service, which apply to all spaces."""

    text_days: int
    step_days: int
    event_days: int
    attempt_days: int


@dataclass(frozen=True, kw_only=True)
class Secret(ApiObject):
    """The name and dates of a secret. Its value is never shown."""

    name: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class ShownPriceTier(ApiObject):
    """The object ShownPriceTier of the API."""

    input: float
    cached: float
    cache_write: float | None
    cache_write_hour: float | None
    audio_input: float | None
    output: float
    reasoning: float | None
    above_input_tokens: int
    """Its prices count for the whole call if the prompt has more tokens than this, cached ones included."""


@dataclass(frozen=True, kw_only=True)
class SignedEndUserReceipt(ApiObject):
    """The object SignedEndUserReceipt of the API."""

    kind: Literal["end_user_receipt"]
    document: EndUserChargeReceipt
    digest: str
    """SHA-256 of the document's canonical JSON (RFC 8785), in hex."""
    signature: str
    """
    A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid`
    in its header names the key at `/.well-known/jwks.json`.
    """


@dataclass(frozen=True, kw_only=True)
class SignedReceipt(ApiObject):
    """The object SignedReceipt of the API."""

    kind: Literal["receipt"]
    document: Receipt
    digest: str
    """SHA-256 of the document's canonical JSON (RFC 8785), in hex."""
    signature: str
    """
    A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid`
    in its header names the key at `/.well-known/jwks.json`.
    """


@dataclass(frozen=True, kw_only=True)
class SignedRefund(ApiObject):
    """The object SignedRefund of the API."""

    kind: Literal["refund"]
    document: RefundDocument
    digest: str
    """SHA-256 of the document's canonical JSON (RFC 8785), in hex."""
    signature: str
    """
    A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid`
    in its header names the key at `/.well-known/jwks.json`.
    """


@dataclass(frozen=True, kw_only=True)
class SignedStatement(ApiObject):
    """The object SignedStatement of the API."""

    kind: Literal["statement"]
    document: Statement
    digest: str
    """SHA-256 of the document's canonical JSON (RFC 8785), in hex."""
    signature: str
    """
    A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid`
    in its header names the key at `/.well-known/jwks.json`.
    """


@dataclass(frozen=True, kw_only=True)
class Space(ApiObject):
    """The object Space of the API."""

    space_id: str
    """The id of the space, which turns send as `space`."""
    title: str
    model: str | None
    """The pin of the default model of its turns; null: the catalog's first model."""
    manifest: Manifest
    tools: list[str]
    """The names of its tools."""
    mcp_servers: list[str]
    """The names of its MCP servers."""
    metadata: dict[str, str]
    """Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters."""
    config_version: int
    """The number of the current version of its configuration."""
    archived: bool
    """True if the space is archived. You can read it, but not change or use it."""
    test: bool
    """True if the space is test data. Only test keys can access it."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class SpaceSharedEvent(ApiObject):
    """
    An operator has shared spaces of yours with more people, by adding people or a space to a workspace or its
    team. It is a notice to the account's owner, so only keys to all spaces see it.
    """

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["space.shared"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: SpaceSharedEventData


@dataclass(frozen=True, kw_only=True)
class SpaceSharedEventData(ApiObject):
    """The object SpaceSharedEventData of the API."""

    spaces: list[SpaceSharedEventDataSpaces]
    """At most 20."""
    space_count: int
    people: list[SpaceSharedEventDataPeople]
    """At most 20."""
    people_count: int


@dataclass(frozen=True, kw_only=True)
class SpaceSharedEventDataPeople(ApiObject):
    """The object SpaceSharedEventDataPeople of the API."""

    user_id: int
    name: str | None


@dataclass(frozen=True, kw_only=True)
class SpaceSharedEventDataSpaces(ApiObject):
    """The object SpaceSharedEventDataSpaces of the API."""

    space: str
    title: str | None


@dataclass(frozen=True, kw_only=True)
class Statement(ApiObject):
    """The object Statement of the API."""

    document: Literal["statement"]
    version: Literal[1]
    month: str
    from_: datetime
    to: datetime
    """Exclusive."""
    currency: Literal["USD"]
    receipts: StatementReceipts
    days: list[StatementDay]
    """The days (UTC) with receipts."""
    refunds: StatementRefunds
    other_charges: StatementOther
    total_usd: str
    """Receipts and other charges less refunds."""


@dataclass(frozen=True, kw_only=True)
class StatementDay(ApiObject):
    """The object StatementDay of the API."""

    day: str
    receipts: int
    amount_usd: str
    digest: str
    """
    It begins with zero bytes. For each receipt, by `ended_at` and then `turn_id`, it becomes the SHA-256 of
    itself and the receipt's digest.
    """


@dataclass(frozen=True, kw_only=True)
class StatementOther(ApiObject):
    """Charges for containers and storage."""

    count: int
    amount_usd: str


@dataclass(frozen=True, kw_only=True)
class StatementReceipts(ApiObject):
    """The receipts of all live turns that ended in the month."""

    count: int
    amount_usd: str
    digest: str
    """SHA-256 of the digests in `days`, one after the other."""


@dataclass(frozen=True, kw_only=True)
class StatementRefunds(ApiObject):
    """The refunds that were booked in the month, whenever their turns ended."""

    count: int
    amount_usd: str
    digest: str
    """As in `days`, over the refunds by `ledger_id`."""


@dataclass(frozen=True, kw_only=True)
class Subagent(ApiObject):
    """An agent to which the main agent can delegate tasks. Sub-agents cannot delegate."""

    name: str
    description: str
    """When to use the sub-agent. The agent reads this text."""
    instructions: str | None = None
    """The sub-agent's system instructions."""
    model: str | None = None
    """The pin of the sub-agent's model. Default: the model of the agent."""
    tools: list[str] | None = None
    """
    The names of the tools that the sub-agent can call: `name`, `server__tool`, `server__*`, or a built-in tool.
    Default: all tools of the agent.
    """
    max_steps: int | None = None
    """The maximum number of model calls for one task. Default 16."""
    max_output_tokens: int | None = None


@dataclass(frozen=True, kw_only=True)
class TakenCall(ApiObject):
    """The object TakenCall of the API."""

    turn_id: str
    call: str
    """The call within its turn."""
    conversation: str
    space: str
    end_user_ref: str | None
    """Your own id of the end user. Null: a web chat without an end user."""
    metadata: dict[str, str]
    """The metadata of the turn."""
    tool: str
    input: dict[str, Any]
    takes: int
    """How often the call was given to a worker. Above 1, an earlier worker did not send its result in time."""
    taken_until: datetime
    """Then another worker may get the call, unless you renew it."""
    identity: str | None
    """
    A signed token that says for whom the call is made, so that other services of yours need not trust this
    worker. See Whom a tool acts for. Null: the tool has `identity: none`.
    """


@dataclass(frozen=True, kw_only=True)
class TakenCallList(ApiObject):
    """The object TakenCallList of the API."""

    data: list[TakenCall]


@dataclass(frozen=True, kw_only=True)
class TakenResult(ApiObject):
    """The object TakenResult of the API."""

    turn_id: str
    call: str
    """The `call` of `waiting.calls`."""
    outcome: Literal["taken"]
    """The result counts."""


@dataclass(frozen=True, kw_only=True)
class Tool(ApiObject):
    """A tool of your own: a request to your API that the agent can make, or calls that your worker takes."""

    name: str
    description: str
    """What the tool does. The model reads this text."""
    input_schema: dict[str, Any]
    """
    The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no
    look-arounds and no back-references.
    """
    request: ToolRequest | None
    """
    The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them
    in `turn.waiting` and sends their results.
    """
    approval: Approval | None = None
    answers_later: bool | None = None
    """
    Whether your server may respond with 202 and send the result later. Then each request carries
    `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can
    send it without an API key: `Authorization: Bearer`. Default false.
    """
    identity: Literal["signed", "none"] | None = None
    """
    Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the
    call. See Whom a tool acts for. Default `signed`.
    """
    timeout_seconds: int | None = None
    """The time limit of one call, in seconds. Default 30."""


@dataclass(frozen=True, kw_only=True)
class ToolRequest(ApiObject):
    """The object ToolRequest of the API."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str
    """The URL. Placeholders are allowed only after the host."""
    headers: dict[str, str] | None = None
    """
    HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.
    """
    query: dict[str, str] | None = None
    """Query parameters. A parameter that is only a placeholder is left out if the input has no such value."""
    body: Any = None
    """
    The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value
    itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the input.
    The model neither sees nor fills a field whose value is taken from the turn, such as `{{end_user.ref}}`.
    """


@dataclass(frozen=True, kw_only=True)
class ToolTest(ApiObject):
    """The object ToolTest of the API."""

    ok: bool
    """True if a model would see a result; false if it would see an error."""
    result: str
    """The text that a model would see."""
    request: ToolTestRequest | None
    """
    The request as it was sent, with `{{secrets.NAME}}` in place of each secret. Null if none could be made.
    """
    identity: ToolTestIdentity | None
    """What your server reads from `Turnpike-Identity`. Null: the request carries none."""
    response: ToolTestResponse | None
    """The response of the tool's server. Null if none arrived."""
    duration_ms: int


@dataclass(frozen=True, kw_only=True)
class ToolTestIdentity(ApiObject):
    """The object ToolTestIdentity of the API."""

    valid: bool
    """True if a published key confirms the token."""
    claims: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolTestRequest(ApiObject):
    """The object ToolTestRequest of the API."""

    method: str
    url: str
    headers: dict[str, str]
    body: str | None


@dataclass(frozen=True, kw_only=True)
class ToolTestResponse(ApiObject):
    """The object ToolTestResponse of the API."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True, kw_only=True)
class Turn(ApiObject):
    """The object Turn of the API."""

    turn_id: str
    space: str
    """The space that the turn runs in."""
    end_user_ref: str
    """Your own id for your end user."""
    conversation: str
    """The conversation's id. Turns of one conversation run in order, one at a time."""
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    """`done`, `failed` and `cancelled` are final."""
    waiting: Waiting | None
    """Why a running turn waits. Null: it does not wait."""
    waits_behind: str | None
    """The earlier turn of the conversation that waits, if a queued turn cannot start because of it."""
    waits_behind_until: datetime | None
    """When the queued turn is `cancelled` (`expired`) if that earlier turn still waits."""
    status_reason: str | None
    """
    Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null.
    """
    text: str
    """
    The end user's message. A turn with messages has the user's last text, at most 100000 bytes; read them all
    with `GET /v1/turns/{turn_id}/messages`.
    """
    result: str | None
    """The agent's reply. Null until the turn has ended, or without one."""
    output: Any
    """
    The value of the result, if the turn is done and has a `response_format` of JSON: it fits the schema.
    Otherwise null.
    """
    finish: Literal["stop", "tool_calls"] | None
    """How a turn is done: with a reply, or with `calls` of your tools. Null in all other states."""
    calls: list[TurnCalls]
    """
    Calls of your tools with which the turn is done. Carry them out and send their `results` with the next turn
    of the conversation. Empty without calls, and after the texts are deleted.
    """
    truncated: bool
    """True if the reply of a done turn was cut off at an output limit."""
    error: TurnError | None
    """
    Why the turn failed: `MODEL_UNAVAILABLE`, `FILE_REJECTED`, `EMPTY_ANSWER`, `OUTPUT_INVALID`,
    `TIMEOUT_REACHED`, … Null in all other states. `details` has the provider's words. It is null if no provider
    has caused the failure.
    """
    warnings: list[TurnWarnings]
    """What the turn had to do without. It did not fail for that."""
    files: list[str]
    """Ids of the files that were sent with the turn."""
    outputs: list[Output]
    """
    The files that the agent made, once the turn is done. A turn that failed or was cancelled has the images
    that it is billed for.
    """
    billed_cost_usd: Decimal
    """Amount charged for the turn. 0 until it has ended."""
    refunded_usd: Decimal
    """
    Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count
    it when it was booked.
    """
    price: TurnPrice | None
    """
    Your price for the end user and its version, as they were when the turn was accepted. Null: no price. Read
    the version with `GET /v1/prices/{name}?version=`.
    """
    end_user_charge_usd: Decimal | None
    """
    The amount that your end user is charged, by your price or from the end user's wallet. Null until the turn
    has ended, and for a turn with neither. A test turn is charged to the test wallet, for its rehearsed cost.
    See Prices and wallets.
    """
    held_usd: Decimal
    """Amount of your balance that is set aside for the turn until it ends."""
    max_cost_usd: Decimal | None
    """
    The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events
    of an open turn.
    """
    on_limit: Literal["fail", "wait"] | None
    """`fail` or `wait` at a limit, as sent. Null: the manifest of its space says it."""
    max_output_tokens: int | None
    """The most output tokens of each model call, as sent. Null: the manifest of its space says it."""
    temperature: float | None
    """The temperature, as sent. Null: the manifest of its space says it."""
    reasoning: Reasoning | None
    """The effort of reasoning, as sent. Null: the manifest of its space says it."""
    response_format: ResponseFormat | None
    """The form of the result, as sent. Null: the manifest of its space says it."""
    stop: list[str] | None
    """The sequences before which the reply ends, as sent. Null: none."""
    store: bool
    """False: the texts of the turn are deleted soon after its end."""
    usage: TurnUsage
    model: str
    """The model that the turn runs on, as a pin."""
    metadata: dict[str, str]
    """Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters."""
    test: bool
    """True if a test key sent the turn: it is rehearsed and free."""
    traceparent: str
    """
    The turn's span in its trace (W3C Trace Context): the trace of the request's `traceparent`, or a new one.
    See Traces.
    """
    tracestate: str | None
    """The `tracestate` of the request. Null without one."""
    texts_deleted_at: datetime | None
    """
    When the texts of the turn were deleted, because their time was over or the end user was erased. Then `text`
    is empty, `result` is null, and the bill stays. Null while the texts are kept.
    """
    steps_deleted_at: datetime | None
    """The same for the turn's steps and its log. Then it has no events. Null while they are kept."""
    created_at: datetime
    started_at: datetime | None
    """When the turn started to run. Null if it has not started."""
    finished_at: datetime | None
    """When the turn ended. Null until then."""


@dataclass(frozen=True, kw_only=True)
class TurnCalls(ApiObject):
    """The object TurnCalls of the API."""

    id: str
    name: str
    input: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TurnError(ApiObject):
    """The object TurnError of the API."""

    code: str
    message: str
    details: ProviderDetails | None


@dataclass(frozen=True, kw_only=True)
class TurnEstimate(ApiObject):
    """The object TurnEstimate of the API."""

    admitted: bool
    """True if the turn would be accepted now."""
    hold_usd: Decimal
    """
    The first hold that the turn would get. 0 if it would be refused. With a test key: the rehearsed hold, or 0
    without a price, a wallet or a limit of the end user.
    """
    needed_usd: Decimal
    """
    The smallest hold that the turn needs, in your cost: the most that its first model call can cost. With a
    test key as `hold_usd`.
    """
    end_user_needed_usd: Decimal | None
    """
    The same as a charge: the amount that the end user's wallet must have available. Null: no wallet pays for
    the turn.
    """
    refused_by: RefusedBy | None
    """The refusal that the turn would get, with code, message and details. Null if it would be accepted."""
    on_limit: Literal["fail", "wait"]
    """
    A turn that could not pay for a later model call would do this: `fail`, or `wait` until the limit allows it.
    """
    model: str
    """The model that the turn would run on, as a pin."""
    balance: Balance | None
    """The account's balance. Null for a test key, and for a key to one space."""
    caps: list[CapState]
    """All caps that apply to the turn. A window that is not open is shown as if the turn opened it now."""


@dataclass(frozen=True, kw_only=True)
class TurnEvent(ApiObject):
    """The object TurnEvent of the API."""

    id: str
    seq: int
    """
    The event's number in its turn: from 1, without gaps. In a stream, a piece of text that is not in the log
    yet has the number of the last event before it.
    """
    type: str
    """
    `turn.queued`, `turn.running`, `turn.done`, `turn.failed`, `turn.cancelled`, `step.started`, `step.ended`,
    `tool.started`, `tool.ended`, `tool.requested`, `text.delta`, `model.waiting`, `context.trimmed`,
    `context.summarised`, `request.adjusted`, `tools.missing`, `turn.waiting`, `turn.resumed`, `call.decided`.
    """
    data: dict[str, Any]
    """Depends on the type, such as `name` and `ok` for `tool.ended`."""
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class TurnMessageAssistant(ApiObject):
    """The object TurnMessageAssistant of the API."""

    role: Literal["assistant"]
    content: str | list[TurnMessageAssistantContent] | None = None
    calls: list[TurnMessageAssistantCalls] | None = None
    """Calls of tools that the model has made."""


@dataclass(frozen=True, kw_only=True)
class TurnMessageAssistantCalls(ApiObject):
    """The object TurnMessageAssistantCalls of the API."""

    id: str
    name: str
    input: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TurnMessageAssistantContent(ApiObject):
    """The object TurnMessageAssistantContent of the API."""

    type: Literal["text"]
    text: str


@dataclass(frozen=True, kw_only=True)
class TurnMessageRoleContent(ApiObject):
    """The object TurnMessageRoleContent of the API."""

    role: Literal["system", "developer"]
    content: str | list[TurnMessageRoleContentContent]


@dataclass(frozen=True, kw_only=True)
class TurnMessageRoleContentContent(ApiObject):
    """The object TurnMessageRoleContentContent of the API."""

    type: Literal["text"]
    text: str


@dataclass(frozen=True, kw_only=True)
class TurnMessageTool(ApiObject):
    """The object TurnMessageTool of the API."""

    role: Literal["tool"]
    results: list[TurnMessageToolResults]
    """The results of calls of the assistant's message before it, in any order."""


@dataclass(frozen=True, kw_only=True)
class TurnMessageToolResults(ApiObject):
    """The object TurnMessageToolResults of the API."""

    id: str
    output: str | None = None
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class TurnMessageUser(ApiObject):
    """The object TurnMessageUser of the API."""

    role: Literal["user"]
    content: str | list[TurnMessageUserContentText | TurnMessageUserContentFile]


@dataclass(frozen=True, kw_only=True)
class TurnMessageUserContentFile(ApiObject):
    """The object TurnMessageUserContentFile of the API."""

    type: Literal["file"]
    file_id: str
    """A file of the space."""


@dataclass(frozen=True, kw_only=True)
class TurnMessageUserContentText(ApiObject):
    """The object TurnMessageUserContentText of the API."""

    type: Literal["text"]
    text: str


@dataclass(frozen=True, kw_only=True)
class TurnMessages(ApiObject):
    """The object TurnMessages of the API."""

    turn_id: str
    messages: list[TurnMessage]


@dataclass(frozen=True, kw_only=True)
class TurnPrice(ApiObject):
    """The object TurnPrice of the API."""

    name: str
    version: int


@dataclass(frozen=True, kw_only=True)
class TurnReceipt(ApiObject):
    """The object TurnReceipt of the API."""

    receipt: SignedReceipt
    end_user_receipt: SignedEndUserReceipt | None
    """
    The receipt for the turn's end user, without your cost. Null: the end user was not charged by a price or
    from a wallet.
    """
    refund: SignedRefund | None
    """The refund of the turn. Null: it was not refunded."""


@dataclass(frozen=True, kw_only=True)
class TurnStateEvent(ApiObject):
    """A turn has a new state."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled"]
    created_at: datetime
    seq: int | None
    """The event's number in its turn's log."""
    data: TurnStateEventData


@dataclass(frozen=True, kw_only=True)
class TurnStateEventData(ApiObject):
    """The object TurnStateEventData of the API."""

    turn: Turn
    """The turn as it was at that moment."""


@dataclass(frozen=True, kw_only=True)
class TurnUsage(ApiObject):
    """The object TurnUsage of the API."""

    model_calls: int
    """Model calls of all agents of the turn."""
    tool_calls: int
    """Tool calls, including calls of built-in tools."""
    tokens_input: int
    """All prompt tokens, including cached tokens."""
    tokens_cached: int
    """The part of `tokens_input` that came from the provider's cache."""
    tokens_output: int
    """All tokens that models wrote, including reasoning."""
    tokens_reasoning: int
    """The reasoning in `tokens_output`. 0 if it is not counted."""


@dataclass(frozen=True, kw_only=True)
class TurnWarnings(ApiObject):
    """The object TurnWarnings of the API."""

    code: str
    """`TOOLS_MISSING`: an optional MCP server did not answer."""
    server: str
    message: str


@dataclass(frozen=True, kw_only=True)
class UsageExport(ApiObject):
    """The object UsageExport of the API."""

    enabled: bool
    started_at: datetime | None
    """The export has every row that was booked since then. Null: it was never started."""
    closed_until: datetime | None
    """No row comes into an hour before this time any more. Null: it was never started."""


@dataclass(frozen=True, kw_only=True)
class UsageGroup(ApiObject):
    """The object UsageGroup of the API."""

    group: str
    """
    The end_user_ref, `space_id`, model pin, `key_id`, day (`2026-11-20`, UTC), hour of the day (`00` to `23`,
    UTC), configuration (`space_id@version`), or value of metadata. `(other)`: all other values. Empty: turns
    without a value. `kind` tells both from values of the same text.
    """
    kind: Literal["value", "none", "other"]
    """
    `value`: `group` is a value. `none`: the turns have no value of the key of metadata. `other`: all values
    beyond the ones that are shown.
    """
    billed_usd: Decimal
    """The billed amount: the exact sum of the ledger entries. Refunds are not subtracted."""
    refunded_usd: Decimal
    """The exact amount that was refunded. A refund counts when it was booked, not when its turn ended."""
    net_usd: Decimal
    """The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time."""
    end_user_charge_usd: Decimal | None
    """
    The amount that your end users were charged for these turns, before refunds. Null by `model`, because a
    charge is rounded per turn.
    """
    margin_usd: Decimal | None
    """
    `end_user_charge_usd` minus `charged_turns_billed_usd`, before refunds. Turns without a price and a wallet
    do not count.
    """
    charged_turns_billed_usd: Decimal | None
    """
    The part of `billed_usd` that is of turns with a charge: those with a price or a wallet. Null without such
    turns, and by `model`.
    """
    turns: int
    """Turns that ended, including those that were billed nothing."""
    model_calls: int
    tokens_input: int
    """All prompt tokens, cached ones included."""
    tokens_cached: int
    tokens_output: int


@dataclass(frozen=True, kw_only=True)
class UsageKeys(ApiObject):
    """The object UsageKeys of the API."""

    keys: list[str]
    """The registered keys."""


@dataclass(frozen=True, kw_only=True)
class UsagePostedEvent(ApiObject):
    """A charge, or the refund of a turn, is in the ledger. It is sent only while the usage export runs."""

    id: str
    """The same in every delivery and replay. Store it, so that you handle each event once."""
    type: Literal["usage.posted"]
    created_at: datetime
    seq: int | None
    """Always null: the event belongs to no turn."""
    data: UsagePostedEventData


@dataclass(frozen=True, kw_only=True)
class UsagePostedEventData(ApiObject):
    """The object UsagePostedEventData of the API."""

    ledger_id: int
    """The row's id, which is never used again."""
    hour: str
    """The hour (UTC) into which the row counts."""
    kind: Literal["usage", "space_usage", "refund"]
    amount_usd: str
    """A decimal in USD. Negative for a refund."""
    turn_id: str | None
    end_user_ref: str | None
    end_user_charge_usd: str | None
    """
    what your end user is charged for the turn, a decimal; null for a refund, or without a price and a wallet
    """
    price: UsagePostedEventDataPrice | None
    """your price of the turn"""
    space: str | None
    key_id: str | None
    booked_at: str


@dataclass(frozen=True, kw_only=True)
class UsagePostedEventDataPrice(ApiObject):
    """The object UsagePostedEventDataPrice of the API."""

    name: str
    version: int


@dataclass(frozen=True, kw_only=True)
class UsageReport(ApiObject):
    """The object UsageReport of the API."""

    from_: datetime
    to: datetime
    group_by: str
    data: list[UsageGroup]
    total: UsageSums
    """
    The sum over all groups, not only those of this page. A turn that used two models counts once. By `model`,
    turns without a model call are in no group and do not count here.
    """
    has_more: bool
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class UsageSums(ApiObject):
    """The object UsageSums of the API."""

    billed_usd: Decimal
    """The billed amount: the exact sum of the ledger entries. Refunds are not subtracted."""
    refunded_usd: Decimal
    """The exact amount that was refunded. A refund counts when it was booked, not when its turn ended."""
    net_usd: Decimal
    """The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time."""
    end_user_charge_usd: Decimal | None
    """
    The amount that your end users were charged for these turns, before refunds. Null by `model`, because a
    charge is rounded per turn.
    """
    margin_usd: Decimal | None
    """
    `end_user_charge_usd` minus `charged_turns_billed_usd`, before refunds. Turns without a price and a wallet
    do not count.
    """
    charged_turns_billed_usd: Decimal | None
    """
    The part of `billed_usd` that is of turns with a charge: those with a price or a wallet. Null without such
    turns, and by `model`.
    """
    turns: int
    """Turns that ended, including those that were billed nothing."""
    model_calls: int
    tokens_input: int
    """All prompt tokens, cached ones included."""
    tokens_cached: int
    tokens_output: int


@dataclass(frozen=True, kw_only=True)
class Waiting(ApiObject):
    """The object Waiting of the API."""

    for_: Literal["limit", "approval", "result"]
    """A limit, a decision about a call, or the result of a call."""
    since: datetime
    expires_at: datetime
    """Then the turn fails with `WAIT_EXPIRED` and keeps its partial result."""
    limit: WaitingLimit | None
    """The limit that the turn waits for. Null: it waits for calls."""
    calls: list[WaitingCalls]
    """The calls that the turn waits for."""


@dataclass(frozen=True, kw_only=True)
class WaitingCalls(ApiObject):
    """The object WaitingCalls of the API."""

    call: str
    """Names the call in requests about it."""
    tool: str
    input: dict[str, Any] | None
    """Null in an event: read the turn."""
    for_: Literal["approval", "result"]
    """A decision, or its result."""


@dataclass(frozen=True, kw_only=True)
class WaitingLimit(ApiObject):
    """The object WaitingLimit of the API."""

    kind: str
    """`max_cost`, `balance`, `end_user_credit` (the end user's wallet), or the name of a cap."""
    needed_usd: Decimal
    """
    The amount that this limit must have left so that the turn continues, in USD. For `end_user_credit` it is
    what the end user is charged, as all amounts of that wallet; for all other limits it is your cost.
    """
    limit_usd: Decimal | None
    """
    The limit itself: the turn's `max_cost_usd`, or the cap. Null for `balance` and `end_user_credit`: compare
    `needed_usd` with the `available_usd` of that wallet.
    """
    continue_at_usd: Decimal | None
    """
    The least value of this limit with which the turn continues, unless another limit binds it then. Null for
    `balance` and `end_user_credit`.
    """
    resets_at: datetime | None
    """When the cap resets. Null: it does not reset by itself."""


@dataclass(frozen=True, kw_only=True)
class WatchToken(ApiObject):
    """The object WatchToken of the API."""

    token: str
    """The token. It is shown once, and not stored."""
    url: str
    """The stream's address with the token, for `new EventSource(url)`."""
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Webhook(ApiObject):
    """The object Webhook of the API."""

    webhook_id: str
    key_id: str | None
    """
    The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active
    after the key is revoked.
    """
    url: str
    """The URL to which events are posted."""
    events: list[str] | None
    """The types of events to send. Null: all types."""
    description: str | None
    state: Literal["pending", "verified"]
    """
    `pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is
    retried like any event, and `POST …/test` sends one at once.
    """
    verified_at: datetime | None
    """When the URL answered a ping. Null: not yet."""
    enabled: bool
    """True if events are posted to it."""
    disabled_at: datetime | None
    disabled_reason: Literal["customer", "gone", "failing", "account_disabled"] | None
    """
    `customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for 5 days, or it
    never answered its ping. `account_disabled`: it is enabled again together with the account.
    """
    failing_since: datetime | None
    """When the first failure since the last success occurred. Null: the last attempt succeeded."""
    previous_secret_expires_at: datetime | None
    """Until when former secrets also sign, as their rotations set. Null: none signs."""
    test: bool
    """True if it was created with a test key. Then it receives only events of test turns."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class WebhookWithSecret(ApiObject):
    """The object WebhookWithSecret of the API."""

    webhook_id: str
    key_id: str | None
    """
    The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active
    after the key is revoked.
    """
    url: str
    """The URL to which events are posted."""
    events: list[str] | None
    """The types of events to send. Null: all types."""
    description: str | None
    state: Literal["pending", "verified"]
    """
    `pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is
    retried like any event, and `POST …/test` sends one at once.
    """
    verified_at: datetime | None
    """When the URL answered a ping. Null: not yet."""
    enabled: bool
    """True if events are posted to it."""
    disabled_at: datetime | None
    disabled_reason: Literal["customer", "gone", "failing", "account_disabled"] | None
    """
    `customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for 5 days, or it
    never answered its ping. `account_disabled`: it is enabled again together with the account.
    """
    failing_since: datetime | None
    """When the first failure since the last success occurred. Null: the last attempt succeeded."""
    previous_secret_expires_at: datetime | None
    """Until when former secrets also sign, as their rotations set. Null: none signs."""
    test: bool
    """True if it was created with a test key. Then it receives only events of test turns."""
    created_at: datetime
    updated_at: datetime
    secret: str
    """The signing secret (Standard Webhooks), shown only here."""


ResponseFormat = Union[ResponseFormatText, ResponseFormatJsonObject, ResponseFormatJsonSchema]
"""
The form of the result. `text`: any text. `json_object`: a JSON object. `json_schema`: JSON that fits a schema.
See Results with a form.
"""

Approval = Union[Literal["never", "always"], ApprovalWhen]
"""
Whether calls of a tool wait until a person allows them: `never` (the default), `always`, or `when` the input
fits a schema.
"""

RefusedBy = Union[RefusedByCap, RefusedByBalance, RefusedByEndUserCredit, RefusedByCostLimit]

TurnMessage = Union[TurnMessageRoleContent, TurnMessageUser, TurnMessageAssistant, TurnMessageTool]

FeedEvent = Union[TurnStateEvent, CallDecidedEvent, BalanceEvent, EndUserBalanceEvent, CapEvent, ActivityRecordedEvent, UsagePostedEvent, HourClosedEvent, EndpointDisabledEvent, AccountSignedInEvent, AccountLockedEvent, AccountFactorChangedEvent, KeyCreatedEvent, KeyRevokedEvent, RefundDecidedEvent, AnomalyFoundEvent, BudgetReachedEvent, McpServerFailingEvent, SpaceSharedEvent, PingEvent, UnknownEvent]
"""An event, as in the body that a webhook receives."""

StatementDocument = Union[SignedReceipt, SignedRefund]
