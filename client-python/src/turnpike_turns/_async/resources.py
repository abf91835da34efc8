# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""The operations of the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from .._operations import (
    ARCHIVE_SPACE,
    CANCEL_TURN,
    CHECK_MCP_SERVER,
    CREATE_PORTAL_SESSION,
    CREATE_SPACE,
    CREATE_TURN,
    CREATE_WATCH_TOKEN,
    CREATE_WEBHOOK,
    CREDIT_END_USER,
    DECIDE_CALL,
    DELETE_END_USER_PROFILE,
    DELETE_FILE,
    DELETE_MCP_SERVER,
    DELETE_PRICE,
    DELETE_SECRET,
    DELETE_TOOL,
    DELETE_WEBHOOK,
    ERASE_END_USER,
    ESTIMATE_TURN,
    EXPORT_END_USER,
    GET_BALANCE,
    GET_CONFIG_VERSION,
    GET_CONVERSATION,
    GET_DELIVERY,
    GET_END_USER,
    GET_END_USER_BALANCE,
    GET_END_USER_PROFILE,
    GET_ERASURE,
    GET_EVENT,
    GET_FILE,
    GET_MANIFEST,
    GET_MCP_SERVER,
    GET_ME,
    GET_PRICE,
    GET_RETENTION,
    GET_SPACE,
    GET_STATEMENT,
    GET_TOOL,
    GET_TURN,
    GET_TURN_MESSAGES,
    GET_TURN_RECEIPT,
    GET_USAGE,
    GET_USAGE_EXPORT,
    GET_USAGE_GROUPS,
    GET_USAGE_KEYS,
    GET_WEBHOOK,
    LIST_CONFIG_VERSIONS,
    LIST_DELIVERIES,
    LIST_END_USERS,
    LIST_END_USER_DEFAULTS,
    LIST_END_USER_LEDGER,
    LIST_EVENTS,
    LIST_FILES,
    LIST_MCP_SERVERS,
    LIST_MCP_SERVER_FAILURES,
    LIST_MODELS,
    LIST_PRICES,
    LIST_SECRETS,
    LIST_SPACES,
    LIST_STATEMENTS,
    LIST_STATEMENT_DOCUMENTS,
    LIST_TOOLS,
    LIST_TURNS,
    LIST_TURN_EVENTS,
    LIST_WEBHOOKS,
    PATCH_TURN,
    PUT_END_USER_BILLING,
    PUT_END_USER_DEFAULTS,
    PUT_END_USER_LIMITS,
    PUT_END_USER_PROFILE,
    PUT_MANIFEST,
    PUT_MCP_SERVER,
    PUT_PRICE,
    PUT_RETENTION,
    PUT_SECRET,
    PUT_TOOL,
    PUT_USAGE_EXPORT,
    PUT_USAGE_KEYS,
    REDELIVER,
    RENEW_CALL,
    REPLAY_EVENTS,
    ROTATE_WEBHOOK_SECRET,
    SEND_CALL_RESULT,
    TAKE_CALLS,
    TEST_TOOL,
    TEST_WEBHOOK,
    UPDATE_SPACE,
    UPDATE_WEBHOOK,
)
from .._model import UNSET, Unset
from .._request import Input, given
from .._settings import Options
from ..models import (
    Approval,
    Balance,
    CallerTool,
    ConfigVersion,
    ConfigVersionSummary,
    Conversation,
    DecidedCall,
    DeleteWebhookAnswer,
    Deleted,
    DeletedFile,
    DeletedPrice,
    Delivery,
    EndUser,
    EndUserBalance,
    EndUserDefault,
    EndUserDefaultList,
    EndUserExport,
    EndUserLedgerEntry,
    EndUserProfile,
    Erasure,
    FeedEvent,
    FileInfo,
    ListedStatement,
    Manifest,
    McpCheck,
    McpServer,
    McpServerFailure,
    Me,
    Model,
    MonthStatement,
    PortalSession,
    Price,
    Reasoning,
    RenewCallAnswer,
    Replayed,
    ResponseFormat,
    Retention,
    Secret,
    Space,
    StatementDocument,
    Subagent,
    TakenCallList,
    TakenResult,
    Tool,
    ToolTest,
    Turn,
    TurnEstimate,
    TurnEvent,
    TurnMessages,
    TurnReceipt,
    UsageExport,
    UsageGroup,
    UsageKeys,
    UsageReport,
    WatchToken,
    Webhook,
    WebhookWithSecret,
)
from ..params import (
    ApprovalInputWhen,
    CallerToolInput,
    CreateTurnResults,
    CreateTurnToolChoice,
    EstimateTurnResults,
    EstimateTurnToolChoice,
    ManifestInput,
    McpServerInput,
    PortalTheme,
    PutManifestHistory,
    PutManifestTools,
    PutPriceRounding,
    PutToolRequest,
    ReasoningInput,
    ResponseFormatInputJsonObject,
    ResponseFormatInputJsonSchema,
    ResponseFormatInputText,
    SentMessageAssistant,
    SentMessageSystem,
    SentMessageTool,
    SentMessageUser,
    SetRate,
    SubagentInput,
    ToolInput,
)
from ..webhooks import WebhookVerifier
from .call_actions import AsyncCallActions
from .download import AsyncDownload
from .file_actions import AsyncFileActions, AsyncUsageActions
from .pager import AsyncPager
from .transport import AsyncTransport
from .turn_actions import AsyncTurnActions, AsyncTurnStream


class AsyncSpaceManifest:
    """The configuration of a space's agent."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Manifest:
        """
        Read a space's manifest.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.manifest.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"space_id": space_id})
        return await self._transport.call(GET_MANIFEST, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        space_id: str,
        *,
        instructions: str | None = None,
        time_zone: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_output_tokens: int | None = None,
        reasoning: ReasoningInput | Reasoning | None = None,
        service_tier: Literal["auto", "default", "flex", "priority", "fast", "ultrafast"] | None = None,
        response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat | None = None,
        max_steps: int | None = None,
        timeout_seconds: int | None = None,
        history: PutManifestHistory | None = None,
        builtin_tools: Sequence[Literal["list_files", "read_file", "write_file", "create_task", "update_task", "generate_image"]] | None = None,
        tools: PutManifestTools | None = None,
        approvals: Mapping[str, Literal["never", "always"] | ApprovalInputWhen | Approval] | None = None,
        on_limit: Literal["fail", "wait"] | None = None,
        max_wait_seconds: int | None = None,
        image_model: str | None = None,
        subagents: Sequence[SubagentInput | Subagent] | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Manifest:
        """
        Replace a space's manifest.

        Running turns keep the configuration with which they started.

        Args:
            space_id: The space, `spc_…`.
            instructions: The agent's system instructions. They may have variables, such as `{{today}}` or
                `{{profile.name}}`. Each is sent as its name in square brackets, and a note with each turn has the
                values.
            time_zone: The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it.
                Default: UTC.
            model: The pin of the model, `engine/model`. Default: the model of the space.
            temperature: Default: the default of the model.
            max_output_tokens: The maximum number of output tokens of each model call, with reasoning.
            reasoning: Default: the default of the model. A model that cannot reason answers without it.
            service_tier: How the model's provider is asked to serve the calls of the agent and its sub-agents.
                `flex` is cheaper and slower; `priority`, `fast` and `ultrafast` are dearer and faster; `default` is
                the usual service. The answer says how it was served, and is billed with the factor of that
                (`price_modifiers` of `GET /v1/models`). A tier without a factor is not asked for. Default: as the
                provider's account says.
            response_format: The form of the results of all turns that ask for none. The order of properties is
                not kept: send the form with the turn if it matters.
            max_steps: The maximum number of model calls of one turn. Default 16.
            timeout_seconds: The time limit of a turn, in seconds. Default 300.
            history: The part of the conversation that the agent sees.
            builtin_tools: The built-in tools of the agent. Default: the file tools, except for
                `openai-compatible` models, because some of them cannot call tools. `generate_image` creates
                pictures, each at a fixed price. Live turns have it only while the service has an image model.
            tools: How agents get REST tools and the tools of MCP servers. Built-in tools are always in the
                prompt.
            approvals: Calls of built-in tools that wait until a person allows them, by the name of the tool.
            on_limit: A turn that cannot pay for its next model call does this. `fail` (the default) ends it
                with its partial result. With `wait` it continues once the limit allows it.
            max_wait_seconds: How long a turn waits for a limit, a decision or a result before it fails. Default
                86400.
            image_model: The pin of the model that `generate_image` uses, one of the `image_models` of `GET
                /v1/models`. Default: the first of them.
            subagents: Agents to which this agent can delegate tasks.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.manifest.put(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                instructions="You answer for the shop. Be brief.",
                max_steps=8,
            )
        """
        sending = Input(
            path={"space_id": space_id},
            body={
                "instructions": given(instructions),
                "time_zone": given(time_zone),
                "model": given(model),
                "temperature": given(temperature),
                "max_output_tokens": given(max_output_tokens),
                "reasoning": given(reasoning),
                "service_tier": given(service_tier),
                "response_format": given(response_format),
                "max_steps": given(max_steps),
                "timeout_seconds": given(timeout_seconds),
                "history": given(history),
                "builtin_tools": given(builtin_tools),
                "tools": given(tools),
                "approvals": given(approvals),
                "on_limit": given(on_limit),
                "max_wait_seconds": given(max_wait_seconds),
                "image_model": given(image_model),
                "subagents": given(subagents),
            },
        )
        return await self._transport.call(PUT_MANIFEST, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncSpaceTools:
    """REST tools of a space: requests to your own API that the agent can make."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Tool]:
        """
        List a space's tools.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.tools.list("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(path={"space_id": space_id})
        return self._transport.pages(LIST_TOOLS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        space_id: str,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Tool:
        """
        Read a tool.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.tools.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", "lookup_order")
        """
        sending = Input(path={"space_id": space_id, "name": name})
        return await self._transport.call(GET_TOOL, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        space_id: str,
        name: str,
        *,
        description: str,
        input_schema: Mapping[str, Any],
        request: PutToolRequest | None,
        approval: Literal["never", "always"] | ApprovalInputWhen | Approval | None = None,
        answers_later: bool | None = None,
        identity: Literal["signed", "none"] | None = None,
        timeout_seconds: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Tool:
        """
        Add or replace a tool.

        Running turns keep the configuration with which they started.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            description: What the tool does. The model reads this text.
            input_schema: The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2,
                which has no look-arounds and no back-references.
            request: The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your
                server sees them in `turn.waiting` and sends their results.
            answers_later: Whether your server may respond with 202 and send the result later. Then each request
                carries `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which
                the server can send it without an API key: `Authorization: Bearer`. Default false.
            identity: Whether each request carries `Turnpike-Identity`, a signed token that names the end user,
                the turn and the call. See Whom a tool acts for. Default `signed`.
            timeout_seconds: The time limit of one call, in seconds. Default 30.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.tools.put(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "lookup_order",
                description="Finds an order by its id.",
                input_schema={
                    "type": "object",
                    "properties": {"id": {"type": "string"}},
                    "required": ["id"],
                },
                request={
                    "method": "GET",
                    "url": "https://api.example.com/orders/{{input.id}}",
                },
                approval="never",
            )
        """
        sending = Input(
            path={"space_id": space_id, "name": name},
            body={
                "description": description,
                "input_schema": input_schema,
                "request": request,
                "approval": given(approval),
                "answers_later": given(answers_later),
                "identity": given(identity),
                "timeout_seconds": given(timeout_seconds),
            },
        )
        return await self._transport.call(PUT_TOOL, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        space_id: str,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Deleted:
        """
        Delete a tool.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: SPACE_ARCHIVED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.tools.delete("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", "lookup_order")
        """
        sending = Input(path={"space_id": space_id, "name": name})
        return await self._transport.call(DELETE_TOOL, sending, Options(max_retries=max_retries, timeout=timeout))

    async def test(
        self,
        space_id: str,
        name: str,
        *,
        end_user_ref: str | None = None,
        metadata: Mapping[str, str] | None = None,
        profile: Mapping[str, str | float | bool] | None = None,
        input: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> ToolTest:
        """
        Call a tool once.

        Sends the tool's request with this input, as an agent's call would, and returns the request and the
        response. Secrets are masked. The tool gets your Idempotency-Key, or a new one if you send none. If your
        server deduplicates by that key, you can repeat a test with the same key and its effect happens only
        once.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            end_user_ref: The end user for whom the request is made: `{{end_user.ref}}` and the subject of
                `Turnpike-Identity`. Default: none, as in a web chat. Only keys and the owner of the space can
                choose one.
            metadata: The values of `{{metadata.KEY}}`.
            profile: The values of `{{profile.KEY}}`.
            input: The tool's input, as a model would send it. Default: `{}`.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.tools.test(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "lookup_order",
                end_user_ref="customer-42",
                profile={
                    "name": "Ada",
                    "plan": "gold",
                    "time_zone": "Europe/London",
                },
                input={"id": "A-1"},
            )
        """
        sending = Input(
            path={"space_id": space_id, "name": name},
            body={
                "end_user_ref": given(end_user_ref),
                "metadata": given(metadata),
                "profile": given(profile),
                "input": given(input),
            },
        )
        return await self._transport.call(TEST_TOOL, sending, Options(idempotency_key, max_retries, timeout))


class AsyncSpaceMcpServers:
    """MCP servers whose tools the agent can call."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[McpServer]:
        """
        List a space's MCP servers.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.mcp_servers.list("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(path={"space_id": space_id})
        return self._transport.pages(LIST_MCP_SERVERS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        space_id: str,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> McpServer:
        """
        Read an MCP server.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.mcp_servers.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", "docs")
        """
        sending = Input(path={"space_id": space_id, "name": name})
        return await self._transport.call(GET_MCP_SERVER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        space_id: str,
        name: str,
        *,
        url: str,
        headers: Mapping[str, str] | None = None,
        identity: Literal["signed", "none"] | None = None,
        required: bool | None = None,
        allowed_tools: Sequence[str] | None = None,
        approval: Literal["never", "always"] | ApprovalInputWhen | Approval | None = None,
        approvals: Mapping[str, Literal["never", "always"] | ApprovalInputWhen | Approval] | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> McpServer:
        """
        Add or replace an MCP server.

        Running turns keep the configuration with which they started.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            url: The URL of the server's Streamable HTTP endpoint.
            headers: HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer
                {{secrets.TOKEN}}`.
            identity: Whether each request carries `Turnpike-Identity`, a signed token that names the end user,
                the turn and the call. See Whom a tool acts for. Default `signed`.
            required: Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If
                false, the turn continues without its tools, and `warnings` says so. Default true.
            allowed_tools: The tools that the agent can call, by the names that the server uses. Default: all
                tools.
            approval: For all tools of the server.
            approvals: For some tools, by the names that the server uses. It replaces `approval`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.mcp_servers.put(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "docs",
                url="https://mcp.example.com/mcp",
                approval="never",
            )
        """
        sending = Input(
            path={"space_id": space_id, "name": name},
            body={
                "url": url,
                "headers": given(headers),
                "identity": given(identity),
                "required": given(required),
                "allowed_tools": given(allowed_tools),
                "approval": given(approval),
                "approvals": given(approvals),
            },
        )
        return await self._transport.call(PUT_MCP_SERVER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        space_id: str,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Deleted:
        """
        Delete an MCP server.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: SPACE_ARCHIVED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.mcp_servers.delete("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", "docs")
        """
        sending = Input(path={"space_id": space_id, "name": name})
        return await self._transport.call(DELETE_MCP_SERVER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def check(
        self,
        space_id: str,
        name: str,
        *,
        end_user_ref: str | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> McpCheck:
        """
        Connect to an MCP server.

        Connects as a turn would and lists the tools. It changes nothing in the space, so an Idempotency-Key has
        no effect. The first check or turn after you put a server pins its tools: name, description, input and
        output schema. Turns use the pinned tools. A tool is left out of turns if it is new, if its input schema
        has changed, or if its description has changed and the pinned one is longer than 1,024 characters.
        `changed` lists each tool whose definition differs from the pinned one. To accept the latest
        definitions, PUT the server again without changes. This creates a new version of the configuration.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            end_user_ref: The end user for whom the request is made: `{{end_user.ref}}` and the subject of
                `Turnpike-Identity`. Default: none, as in a web chat. Only keys and the owner of the space can
                choose one.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.mcp_servers.check(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "docs",
                end_user_ref="customer-42",
            )
        """
        sending = Input(path={"space_id": space_id, "name": name}, query={"end_user_ref": end_user_ref})
        return await self._transport.call(CHECK_MCP_SERVER, sending, Options(idempotency_key, max_retries, timeout))

    def failures(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[McpServerFailure]:
        """
        List MCP servers that do not answer.

        The optional MCP servers of the space (`required: false`) that did not answer the last turn that asked
        them. A server that answers again, or that you put again, is not listed.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.mcp_servers.failures("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(path={"space_id": space_id})
        return self._transport.pages(LIST_MCP_SERVER_FAILURES, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncSpaceSecrets:
    """Secret values of a space. Only names and dates are returned, and never values."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Secret]:
        """
        List a space's secrets.

        Returns names and dates. Values are never returned.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.secrets.list("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(path={"space_id": space_id})
        return self._transport.pages(LIST_SECRETS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        space_id: str,
        name: str,
        *,
        value: str,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Secret:
        """
        Set a secret.

        Tools and MCP servers use the secret as `{{secrets.NAME}}`. A running turn uses the old value until its
        next callback.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            value: 4–8192 characters. The value is never shown again. It is sent only to the origin of a tool
                that uses it.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.secrets.put(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "ORDERS_TOKEN",
                value="a-value-of-your-own",
            )
        """
        sending = Input(path={"space_id": space_id, "name": name}, body={"value": value})
        return await self._transport.call(PUT_SECRET, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        space_id: str,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Deleted:
        """
        Delete a secret.

        Args:
            space_id: The space, `spc_…`.
            name: The name, which is unique in the space.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: SPACE_ARCHIVED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.secrets.delete("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", "ORDERS_TOKEN")
        """
        sending = Input(path={"space_id": space_id, "name": name})
        return await self._transport.call(DELETE_SECRET, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncSpaceRetention:
    """How long the data of a space is kept."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Retention:
        """
        Read how long a space's data is kept.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.retention.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"space_id": space_id})
        return await self._transport.call(GET_RETENTION, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        space_id: str,
        *,
        text_days: int | None = None,
        step_days: int | None = None,
        event_days: int | None = None,
        attempt_days: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Retention:
        """
        Set how long a space's data is kept.

        Replaces all days of the space. Data that is older is deleted within an hour, and cannot be restored.
        Bills, token counts, states and times of turns are always kept. A turn whose texts were deleted is no
        part of its conversation any more.

        Args:
            space_id: The space, `spc_…`.
            text_days: Texts of a turn: request, reply, error message and metadata.
            step_days: Steps of a turn and its log.
            event_days: Events of turns, with their deliveries. An event that is still being sent is kept
                longer.
            attempt_days: Attempts of deliveries.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.retention.put("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", text_days=30, step_days=7)
        """
        sending = Input(
            path={"space_id": space_id},
            body={
                "text_days": given(text_days),
                "step_days": given(step_days),
                "event_days": given(event_days),
                "attempt_days": given(attempt_days),
            },
        )
        return await self._transport.call(PUT_RETENTION, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncSpaceVersions:
    """All versions of a space's configuration."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        space_id: str,
        *,
        limit: int | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[ConfigVersionSummary]:
        """
        List the versions of a space's configuration.

        Newest first. A turn's `turn.running` event contains the version that it uses. The newest 1000 are kept,
        but only ten if the account has reached its limit of `config_bytes`. Versions that open turns use, and
        all newer ones, are always kept.

        Args:
            space_id: The space, `spc_…`.
            limit: The most entries on a page.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.versions.list("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(
            path={"space_id": space_id},
            query={"limit": limit, "created_after": created_after, "created_before": created_before},
        )
        return self._transport.pages(LIST_CONFIG_VERSIONS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        space_id: str,
        version: int,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> ConfigVersion:
        """
        Read one version of a space's configuration.

        Args:
            space_id: The space, `spc_…`.
            version: The version number.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.versions.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c", 3)
        """
        sending = Input(path={"space_id": space_id, "version": version})
        return await self._transport.call(GET_CONFIG_VERSION, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncSpaces:
    """Isolated agents, each with its own configuration, conversations and files."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.manifest = AsyncSpaceManifest(transport)
        """The configuration of a space's agent."""
        self.tools = AsyncSpaceTools(transport)
        """REST tools of a space: requests to your own API that the agent can make."""
        self.mcp_servers = AsyncSpaceMcpServers(transport)
        """MCP servers whose tools the agent can call."""
        self.secrets = AsyncSpaceSecrets(transport)
        """Secret values of a space. Only names and dates are returned, and never values."""
        self.retention = AsyncSpaceRetention(transport)
        """How long the data of a space is kept."""
        self.versions = AsyncSpaceVersions(transport)
        """All versions of a space's configuration."""

    async def create(
        self,
        *,
        title: str,
        manifest: ManifestInput | Manifest | None = None,
        model: str | None = None,
        tools: Sequence[ToolInput | Tool] | None = None,
        mcp_servers: Sequence[McpServerInput | McpServer] | None = None,
        secrets: Mapping[str, str] | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Space:
        """
        Create a space.

        A space is an isolated agent with its own configuration, conversations and files.

        Args:
            title: The display name of the space.
            model: The pin of the space's default model.
            tools: REST tools: requests to your API that the agent can make.
            mcp_servers: MCP servers whose tools the agent can call. Turns fail while one of the servers is
                unreachable.
            secrets: Secret values by name. They are stored encrypted and never shown.
            metadata: Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ConflictError: LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.create(
                title="Support desk",
                manifest={
                    "instructions": "You answer for the shop. Be brief.",
                    "max_steps": 8,
                },
            )
        """
        sending = Input(
            body={
                "title": title,
                "manifest": given(manifest),
                "model": given(model),
                "tools": given(tools),
                "mcp_servers": given(mcp_servers),
                "secrets": given(secrets),
                "metadata": given(metadata),
            },
        )
        return await self._transport.call(CREATE_SPACE, sending, Options(idempotency_key, max_retries, timeout))

    async def get(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Space:
        """
        Read a space.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.get("spc_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"space_id": space_id})
        return await self._transport.call(GET_SPACE, sending, Options(max_retries=max_retries, timeout=timeout))

    def list(
        self,
        *,
        limit: int | None = None,
        archived: Literal["true", "false", "all"] | bool | None = None,
        q: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Space]:
        """
        List spaces.

        The spaces in the key's scope, newest first. Archived spaces are left out by default.

        Args:
            limit: The most entries on a page.
            archived: `false`: only active spaces. `true`: only archived spaces. `all`: both. Default: `false`.
            q: A part of the title. Case does not matter.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.spaces.list(q="support"):
                print(item)
        """
        sending = Input(
            query={
                "limit": limit,
                "archived": archived,
                "q": q,
                "created_after": created_after,
                "created_before": created_before,
            },
        )
        return self._transport.pages(LIST_SPACES, sending, Options(max_retries=max_retries, timeout=timeout))

    async def update(
        self,
        space_id: str,
        *,
        title: str | None = None,
        model: str | None | Unset = UNSET,
        metadata: Mapping[str, str] | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Space:
        """
        Change a space's title, model or metadata.

        Fields that you leave out keep their values. `metadata` is replaced as a whole. `model: null` selects
        the catalog's default model. A change of the model creates a new version of the configuration, for turns
        that start later. The manifest, tools, MCP servers and secrets have paths of their own.

        Args:
            space_id: The space, `spc_…`.
            title: The display name of the space.
            model: The pin of the default model. Null: the catalog's first model.
            metadata: Replaces all metadata: at most 16 pairs, keys of 64 and values of 512 characters.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.update(
                "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                title="Support desk",
                model="rehearsal/standard",
            )
        """
        sending = Input(
            path={"space_id": space_id},
            body={"title": given(title), "model": model, "metadata": given(metadata)},
        )
        return await self._transport.call(UPDATE_SPACE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def archive(
        self,
        space_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Space:
        """
        Archive a space.

        An archived space accepts no more turns, files or changes (409 `SPACE_ARCHIVED`). You can still read it.
        Its queued turns are cancelled with the status_reason `space_archived`. Its running turns stop before
        their next step and are billed for their work so far. If many turns are queued, the last ones are
        cancelled within minutes. A second request returns the same response.

        Args:
            space_id: The space, `spc_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.spaces.archive("spc_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"space_id": space_id})
        return await self._transport.call(ARCHIVE_SPACE, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncFiles(AsyncFileActions):
    """Files that you attach to turns, and files that agents create."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        space_id: str,
        *,
        turn: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[FileInfo]:
        """
        List a space's files.

        Uploads and outputs, newest first.

        Args:
            space_id: The space, `spc_…`.
            turn: A `turn_id`: only files that the agent created in this turn.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.files.list("spc_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(
            path={"space_id": space_id},
            query={
                "turn": turn,
                "created_after": created_after,
                "created_before": created_before,
                "limit": limit,
            },
        )
        return self._transport.pages(LIST_FILES, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        file_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> FileInfo:
        """
        Read a file's metadata.

        Args:
            file_id: The file, `file_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.files.get("file_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"file_id": file_id})
        return await self._transport.call(GET_FILE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        file_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> DeletedFile:
        """
        Delete a file.

        The file is no longer available from now on. Its bytes are deleted within minutes.

        Args:
            file_id: The file, `file_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.files.delete("file_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"file_id": file_id})
        return await self._transport.call(DELETE_FILE, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncTurns(AsyncTurnActions):
    """Requests to a space's agent."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        space: str,
        end_user_ref: str,
        text: str | None = None,
        messages: Sequence[SentMessageSystem | SentMessageUser | SentMessageAssistant | SentMessageTool] | None = None,
        tools: Sequence[CallerToolInput | CallerTool] | None = None,
        tool_choice: Literal["auto", "none", "required"] | CreateTurnToolChoice | None = None,
        parallel_tool_calls: bool | None = None,
        results: Sequence[CreateTurnResults] | None = None,
        conversation: str | None = None,
        files: Sequence[str] | None = None,
        model: str | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        timeout_seconds: int | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        reasoning: ReasoningInput | Reasoning | None = None,
        response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat | None = None,
        stop: Sequence[str] | None = None,
        store: bool | None = None,
        on_limit: Literal["fail", "wait"] | None = None,
        max_wait_seconds: int | None = None,
        metadata: Mapping[str, str] | None = None,
        wait: int | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """
        Send a turn.

        Accepts a request for the space's agent and responds at once, or with `wait` at its end. The same
        Idempotency-Key with the same body returns the same turn, with `Idempotent-Replayed: true`, as long as
        the turn exists.

        The turn holds `max_cost_usd`, or 0.25 USD, of the balance and of every cap that applies to it. If they
        have less left, it holds that. If that does not pay for its first model call, the turn is rejected and
        nothing is held. If the balance is too low, the response is 402 `INSUFFICIENT_CREDITS`, and waiting does
        not help. If the wallet of its end user is too low, it is 402 `END_USER_CREDIT_SPENT`. Otherwise it is
        429 `QUOTA_EXCEEDED`. `details` describes the cap that resets last, and `Retry-After` is the number of
        seconds until then. Rejected requests are not stored, so you can send the same Idempotency-Key again. A
        repeat of an accepted turn returns the turn even if a cap has been reached since. If the key or its end
        user has a rate, a turn beyond it is 429 `RATE_LIMITED`. See Caps and quotas.

        Args:
            space: The `space_id` of the space that runs the turn.
            end_user_ref: Your own id for your end user.
            text: The end user's message. Required without `messages` and `results`.
            messages: Instead of `text`: messages, which reach the model as such. Without `conversation` the
                turn knows no other turn, so send the whole chat each time; with one, only the new messages.
                Messages of `system` and `developer` are added to the instructions of the space, for this turn. The
                last message is the user's, or has results of calls.
            tools: Your own tools, which your code carries out. If the model calls some, the turn ends as `done`
                with `finish: tool_calls` and `calls`. Send their `results` with the next turn. Without `tools`, a
                turn with `results` has the tools of the turn before.
            tool_choice: How the model's first answer may call tools, yours and those of the space: `auto`,
                `required` (it calls at least one), or `name` of one of your tools. `none`: it calls none in the
                whole turn. Default: `auto`.
            parallel_tool_calls: False: at most one call of a tool in each answer of the model. Default: true,
                or with `results` and without `tools` as in the turn before.
            results: The results of all `calls` of the conversation's last turn, in any order. The model
                continues exactly there. `text` can be added.
            conversation: A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A
                new name starts a conversation for this space and end user. Default: one conversation for the space
                and the end user. The turn always shows the id.
            files: Ids of files of the space that the agent sees.
            model: The model as a pin, `engine/model`. Default: the space's model.
            max_cost_usd: The most that the turn can cost, in USD. This amount is held for it, as far as the
                balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn
                runs.
            timeout_seconds: Timeout of the turn in seconds. Default: the manifest's timeout, or 300.
            max_output_tokens: The maximum number of output tokens of each call of the space's own agent, with
                reasoning, up to the limit of the model. Default: as the manifest says.
            temperature: Default: as the manifest says.
            reasoning: Default: as the manifest says.
            response_format: The form of the result. Default: as the manifest says, or any text.
            stop: Up to four sequences. The reply of the space's own agent ends before the first of them.
                Providers without such a setting write on, and the rest is cut off.
            store: False: the texts, messages, steps and events of the turn are deleted ten minutes after its
                end, when its webhooks are delivered. Its bill stays, and so do its files. Default: true, and
                retention decides.
            on_limit: A turn that cannot pay for its next model call does this. `fail` (the default) ends it
                with its partial result. With `wait` it continues once the limit allows it.
            max_wait_seconds: How long a turn waits for a limit, a decision or a result before it fails. Default
                86400.
            metadata: Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters.
            wait: Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or
                begins to wait. If the turn can start at once, the request itself runs it, which is the fastest way
                to a result.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            InsufficientCreditsError: END_USER_CREDIT_SPENT, INSUFFICIENT_CREDITS.
            PermissionDeniedError: END_USER_BLOCKED, HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALLS_NOT_OPEN, CONFLICT, LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, COST_LIMIT_TOO_LOW, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, RATE_LIMITED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.create(
                space="spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                end_user_ref="customer-42",
                text="Where is my order?",
                max_cost_usd=0.1,
                max_output_tokens=2000,
                temperature=0.2,
                reasoning={"effort": "low"},
                response_format={"type": "text"},
                stop=["END"],
            )
        """
        sending = Input(
            query={"wait": wait},
            body={
                "space": space,
                "end_user_ref": end_user_ref,
                "text": given(text),
                "messages": given(messages),
                "tools": given(tools),
                "tool_choice": given(tool_choice),
                "parallel_tool_calls": given(parallel_tool_calls),
                "results": given(results),
                "conversation": given(conversation),
                "files": given(files),
                "model": given(model),
                "max_cost_usd": given(max_cost_usd),
                "timeout_seconds": given(timeout_seconds),
                "max_output_tokens": given(max_output_tokens),
                "temperature": given(temperature),
                "reasoning": given(reasoning),
                "response_format": given(response_format),
                "stop": given(stop),
                "store": given(store),
                "on_limit": given(on_limit),
                "max_wait_seconds": given(max_wait_seconds),
                "metadata": given(metadata),
            },
        )
        return await self._transport.call(CREATE_TURN, sending, Options(idempotency_key, max_retries, timeout))

    async def run(
        self,
        *,
        space: str,
        end_user_ref: str,
        text: str | None = None,
        messages: Sequence[SentMessageSystem | SentMessageUser | SentMessageAssistant | SentMessageTool] | None = None,
        tools: Sequence[CallerToolInput | CallerTool] | None = None,
        tool_choice: Literal["auto", "none", "required"] | CreateTurnToolChoice | None = None,
        parallel_tool_calls: bool | None = None,
        results: Sequence[CreateTurnResults] | None = None,
        conversation: str | None = None,
        files: Sequence[str] | None = None,
        model: str | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        timeout_seconds: int | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        reasoning: ReasoningInput | Reasoning | None = None,
        response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat | None = None,
        stop: Sequence[str] | None = None,
        store: bool | None = None,
        on_limit: Literal["fail", "wait"] | None = None,
        max_wait_seconds: int | None = None,
        metadata: Mapping[str, str] | None = None,
        timeout: float | None = None,
        on_event: Callable[[TurnEvent], Awaitable[None] | None] | None = None,
        on_waiting: Callable[[Turn], Awaitable[None] | None] | None = None,
        cancel_on_abort: bool = False,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
    ) -> Turn:
        """
        Sends a turn and waits until it is ``done``, ``failed`` or ``cancelled``.

        A failed turn is returned and not raised: check ``state`` and ``error.code``. With your own
        ``idempotency_key``, a second call after a crash continues with the same turn.

        Args:
            space: The `space_id` of the space that runs the turn.
            end_user_ref: Your own id for your end user.
            text: The end user's message. Required without `messages` and `results`.
            messages: Instead of `text`: messages, which reach the model as such. Without `conversation` the
                turn knows no other turn, so send the whole chat each time; with one, only the new messages.
                Messages of `system` and `developer` are added to the instructions of the space, for this turn. The
                last message is the user's, or has results of calls.
            tools: Your own tools, which your code carries out. If the model calls some, the turn ends as `done`
                with `finish: tool_calls` and `calls`. Send their `results` with the next turn. Without `tools`, a
                turn with `results` has the tools of the turn before.
            tool_choice: How the model's first answer may call tools, yours and those of the space: `auto`,
                `required` (it calls at least one), or `name` of one of your tools. `none`: it calls none in the
                whole turn. Default: `auto`.
            parallel_tool_calls: False: at most one call of a tool in each answer of the model. Default: true,
                or with `results` and without `tools` as in the turn before.
            results: The results of all `calls` of the conversation's last turn, in any order. The model
                continues exactly there. `text` can be added.
            conversation: A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A
                new name starts a conversation for this space and end user. Default: one conversation for the space
                and the end user. The turn always shows the id.
            files: Ids of files of the space that the agent sees.
            model: The model as a pin, `engine/model`. Default: the space's model.
            max_cost_usd: The most that the turn can cost, in USD. This amount is held for it, as far as the
                balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn
                runs.
            timeout_seconds: Timeout of the turn in seconds. Default: the manifest's timeout, or 300.
            max_output_tokens: The maximum number of output tokens of each call of the space's own agent, with
                reasoning, up to the limit of the model. Default: as the manifest says.
            temperature: Default: as the manifest says.
            reasoning: Default: as the manifest says.
            response_format: The form of the result. Default: as the manifest says, or any text.
            stop: Up to four sequences. The reply of the space's own agent ends before the first of them.
                Providers without such a setting write on, and the rest is cut off.
            store: False: the texts, messages, steps and events of the turn are deleted ten minutes after its
                end, when its webhooks are delivered. Its bill stays, and so do its files. Default: true, and
                retention decides.
            on_limit: A turn that cannot pay for its next model call does this. `fail` (the default) ends it
                with its partial result. With `wait` it continues once the limit allows it.
            max_wait_seconds: How long a turn waits for a limit, a decision or a result before it fails. Default
                86400.
            metadata: Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters.
            timeout: The time limit of the whole call in seconds. Default: no limit.
            on_event: Called with each event as it happens, including the agent's text (``text.delta``).
            on_waiting: Called each time the turn begins to wait: decide about its calls, send results, or raise
                its limit.
            cancel_on_abort: Cancels the turn if the time limit, an interrupt or a cancelled task ends the wait.
                Default: the turn continues and is billed.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.

        Raises:
            APITimeoutError: The turn has not ended in time. ``details["turn_id"]`` is its id.
            InsufficientCreditsError: END_USER_CREDIT_SPENT, INSUFFICIENT_CREDITS.
            PermissionDeniedError: END_USER_BLOCKED, HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALLS_NOT_OPEN, CONFLICT, LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, COST_LIMIT_TOO_LOW, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, RATE_LIMITED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            turn = await turnpike.turns.run(space="spc_…", end_user_ref="customer-42", text="Where is my order?")
            print(turn.result if turn.state == "done" else turn.error, turn.billed_cost_usd)
        """
        body = {
            "space": space,
            "end_user_ref": end_user_ref,
            "text": given(text),
            "messages": given(messages),
            "tools": given(tools),
            "tool_choice": given(tool_choice),
            "parallel_tool_calls": given(parallel_tool_calls),
            "results": given(results),
            "conversation": given(conversation),
            "files": given(files),
            "model": given(model),
            "max_cost_usd": given(max_cost_usd),
            "timeout_seconds": given(timeout_seconds),
            "max_output_tokens": given(max_output_tokens),
            "temperature": given(temperature),
            "reasoning": given(reasoning),
            "response_format": given(response_format),
            "stop": given(stop),
            "store": given(store),
            "on_limit": given(on_limit),
            "max_wait_seconds": given(max_wait_seconds),
            "metadata": given(metadata),
        }
        options = Options(idempotency_key, max_retries)
        return await self._run(body, options, timeout, on_event, on_waiting, cancel_on_abort)

    def stream(
        self,
        *,
        space: str,
        end_user_ref: str,
        text: str | None = None,
        messages: Sequence[SentMessageSystem | SentMessageUser | SentMessageAssistant | SentMessageTool] | None = None,
        tools: Sequence[CallerToolInput | CallerTool] | None = None,
        tool_choice: Literal["auto", "none", "required"] | CreateTurnToolChoice | None = None,
        parallel_tool_calls: bool | None = None,
        results: Sequence[CreateTurnResults] | None = None,
        conversation: str | None = None,
        files: Sequence[str] | None = None,
        model: str | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        timeout_seconds: int | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        reasoning: ReasoningInput | Reasoning | None = None,
        response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat | None = None,
        stop: Sequence[str] | None = None,
        store: bool | None = None,
        on_limit: Literal["fail", "wait"] | None = None,
        max_wait_seconds: int | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncTurnStream:
        """
        Returns a stream of a turn's events. The turn is sent when the stream is first read.

        You get each event once and in order, even if the connection breaks.

        Args:
            space: The `space_id` of the space that runs the turn.
            end_user_ref: Your own id for your end user.
            text: The end user's message. Required without `messages` and `results`.
            messages: Instead of `text`: messages, which reach the model as such. Without `conversation` the
                turn knows no other turn, so send the whole chat each time; with one, only the new messages.
                Messages of `system` and `developer` are added to the instructions of the space, for this turn. The
                last message is the user's, or has results of calls.
            tools: Your own tools, which your code carries out. If the model calls some, the turn ends as `done`
                with `finish: tool_calls` and `calls`. Send their `results` with the next turn. Without `tools`, a
                turn with `results` has the tools of the turn before.
            tool_choice: How the model's first answer may call tools, yours and those of the space: `auto`,
                `required` (it calls at least one), or `name` of one of your tools. `none`: it calls none in the
                whole turn. Default: `auto`.
            parallel_tool_calls: False: at most one call of a tool in each answer of the model. Default: true,
                or with `results` and without `tools` as in the turn before.
            results: The results of all `calls` of the conversation's last turn, in any order. The model
                continues exactly there. `text` can be added.
            conversation: A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A
                new name starts a conversation for this space and end user. Default: one conversation for the space
                and the end user. The turn always shows the id.
            files: Ids of files of the space that the agent sees.
            model: The model as a pin, `engine/model`. Default: the space's model.
            max_cost_usd: The most that the turn can cost, in USD. This amount is held for it, as far as the
                balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn
                runs.
            timeout_seconds: Timeout of the turn in seconds. Default: the manifest's timeout, or 300.
            max_output_tokens: The maximum number of output tokens of each call of the space's own agent, with
                reasoning, up to the limit of the model. Default: as the manifest says.
            temperature: Default: as the manifest says.
            reasoning: Default: as the manifest says.
            response_format: The form of the result. Default: as the manifest says, or any text.
            stop: Up to four sequences. The reply of the space's own agent ends before the first of them.
                Providers without such a setting write on, and the rest is cut off.
            store: False: the texts, messages, steps and events of the turn are deleted ten minutes after its
                end, when its webhooks are delivered. Its bill stays, and so do its files. Default: true, and
                retention decides.
            on_limit: A turn that cannot pay for its next model call does this. `fail` (the default) ends it
                with its partial result. With `wait` it continues once the limit allows it.
            max_wait_seconds: How long a turn waits for a limit, a decision or a result before it fails. Default
                86400.
            metadata: Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            InsufficientCreditsError: END_USER_CREDIT_SPENT, INSUFFICIENT_CREDITS.
            PermissionDeniedError: END_USER_BLOCKED, HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALLS_NOT_OPEN, CONFLICT, LIMIT_REACHED, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, COST_LIMIT_TOO_LOW, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, RATE_LIMITED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            stream = turnpike.turns.stream(space="spc_…", end_user_ref="customer-42", text="Tell me more.")
            async for event in stream:
                if event.type == "text.delta":
                    print(event.data["text"], end="")
            turn = await stream.result()
        """
        body = {
            "space": space,
            "end_user_ref": end_user_ref,
            "text": given(text),
            "messages": given(messages),
            "tools": given(tools),
            "tool_choice": given(tool_choice),
            "parallel_tool_calls": given(parallel_tool_calls),
            "results": given(results),
            "conversation": given(conversation),
            "files": given(files),
            "model": given(model),
            "max_cost_usd": given(max_cost_usd),
            "timeout_seconds": given(timeout_seconds),
            "max_output_tokens": given(max_output_tokens),
            "temperature": given(temperature),
            "reasoning": given(reasoning),
            "response_format": given(response_format),
            "stop": given(stop),
            "store": given(store),
            "on_limit": given(on_limit),
            "max_wait_seconds": given(max_wait_seconds),
            "metadata": given(metadata),
        }
        return self._stream(body, Options(idempotency_key, max_retries, timeout))

    async def estimate(
        self,
        *,
        space: str,
        end_user_ref: str,
        text: str | None = None,
        messages: Sequence[SentMessageSystem | SentMessageUser | SentMessageAssistant | SentMessageTool] | None = None,
        tools: Sequence[CallerToolInput | CallerTool] | None = None,
        tool_choice: Literal["auto", "none", "required"] | EstimateTurnToolChoice | None = None,
        parallel_tool_calls: bool | None = None,
        results: Sequence[EstimateTurnResults] | None = None,
        conversation: str | None = None,
        files: Sequence[str] | None = None,
        model: str | None = None,
        max_cost_usd: Decimal | float | str | None = None,
        timeout_seconds: int | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        reasoning: ReasoningInput | Reasoning | None = None,
        response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat | None = None,
        stop: Sequence[str] | None = None,
        store: bool | None = None,
        on_limit: Literal["fail", "wait"] | None = None,
        max_wait_seconds: int | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> TurnEstimate:
        """
        Estimate a turn.

        Takes the body of a turn. The response says whether the turn would be accepted now, and the hold that it
        would take or the error that it would get. Nothing is sent, held or stored, so you can call it as often
        as you like. An Idempotency-Key has no effect. Errors that do not concern money are returned as for the
        turn: 404, 403 `END_USER_BLOCKED`, 409 `SPACE_ARCHIVED`, 422.

        The estimate is no guarantee: another turn can take the credit first. The final cost is not predicted;
        it never exceeds `max_cost_usd`. Files by `url` or `data` are not counted.

        Args:
            space: The `space_id` of the space that runs the turn.
            end_user_ref: Your own id for your end user.
            text: The end user's message. Required without `messages` and `results`.
            messages: Instead of `text`: messages, which reach the model as such. Without `conversation` the
                turn knows no other turn, so send the whole chat each time; with one, only the new messages.
                Messages of `system` and `developer` are added to the instructions of the space, for this turn. The
                last message is the user's, or has results of calls.
            tools: Your own tools, which your code carries out. If the model calls some, the turn ends as `done`
                with `finish: tool_calls` and `calls`. Send their `results` with the next turn. Without `tools`, a
                turn with `results` has the tools of the turn before.
            tool_choice: How the model's first answer may call tools, yours and those of the space: `auto`,
                `required` (it calls at least one), or `name` of one of your tools. `none`: it calls none in the
                whole turn. Default: `auto`.
            parallel_tool_calls: False: at most one call of a tool in each answer of the model. Default: true,
                or with `results` and without `tools` as in the turn before.
            results: The results of all `calls` of the conversation's last turn, in any order. The model
                continues exactly there. `text` can be added.
            conversation: A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A
                new name starts a conversation for this space and end user. Default: one conversation for the space
                and the end user. The turn always shows the id.
            files: Ids of files of the space that the agent sees.
            model: The model as a pin, `engine/model`. Default: the space's model.
            max_cost_usd: The most that the turn can cost, in USD. This amount is held for it, as far as the
                balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn
                runs.
            timeout_seconds: Timeout of the turn in seconds. Default: the manifest's timeout, or 300.
            max_output_tokens: The maximum number of output tokens of each call of the space's own agent, with
                reasoning, up to the limit of the model. Default: as the manifest says.
            temperature: Default: as the manifest says.
            reasoning: Default: as the manifest says.
            response_format: The form of the result. Default: as the manifest says, or any text.
            stop: Up to four sequences. The reply of the space's own agent ends before the first of them.
                Providers without such a setting write on, and the rest is cut off.
            store: False: the texts, messages, steps and events of the turn are deleted ten minutes after its
                end, when its webhooks are delivered. Its bill stays, and so do its files. Default: true, and
                retention decides.
            on_limit: A turn that cannot pay for its next model call does this. `fail` (the default) ends it
                with its partial result. With `wait` it continues once the limit allows it.
            max_wait_seconds: How long a turn waits for a limit, a decision or a result before it fails. Default
                86400.
            metadata: Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: END_USER_BLOCKED, HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALLS_NOT_OPEN, SPACE_ARCHIVED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.estimate(
                space="spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
                end_user_ref="customer-42",
                text="Where is my order?",
                max_cost_usd=0.1,
                max_output_tokens=2000,
                temperature=0.2,
                reasoning={"effort": "low"},
                response_format={"type": "text"},
                stop=["END"],
            )
        """
        sending = Input(
            body={
                "space": space,
                "end_user_ref": end_user_ref,
                "text": given(text),
                "messages": given(messages),
                "tools": given(tools),
                "tool_choice": given(tool_choice),
                "parallel_tool_calls": given(parallel_tool_calls),
                "results": given(results),
                "conversation": given(conversation),
                "files": given(files),
                "model": given(model),
                "max_cost_usd": given(max_cost_usd),
                "timeout_seconds": given(timeout_seconds),
                "max_output_tokens": given(max_output_tokens),
                "temperature": given(temperature),
                "reasoning": given(reasoning),
                "response_format": given(response_format),
                "stop": given(stop),
                "store": given(store),
                "on_limit": given(on_limit),
                "max_wait_seconds": given(max_wait_seconds),
                "metadata": given(metadata),
            },
        )
        return await self._transport.call(ESTIMATE_TURN, sending, Options(idempotency_key, max_retries, timeout))

    def list(
        self,
        *,
        limit: int | None = None,
        space: str | None = None,
        end_user_ref: str | None = None,
        conversation: str | None = None,
        state: Literal["queued", "running", "done", "failed", "cancelled"] | None = None,
        waiting: Literal["limit", "approval", "result"] | None = None,
        key: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Turn]:
        """
        List turns.

        The turns in the key's spaces, newest first. To find the turn of one of your requests, store the
        `turn_id` of the response, or send the request again with its Idempotency-Key.

        Args:
            limit: The most entries on a page.
            space: A `space_id`.
            conversation: A conversation's id, `conv_…`; not a name.
            waiting: Only turns that wait for this.
            key: A `key_id`.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.turns.list():
                print(item)
        """
        sending = Input(
            query={
                "limit": limit,
                "space": space,
                "end_user_ref": end_user_ref,
                "conversation": conversation,
                "state": state,
                "waiting": waiting,
                "key": key,
                "created_after": created_after,
                "created_before": created_before,
            },
        )
        return self._transport.pages(LIST_TURNS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        turn_id: str,
        *,
        wait: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """
        Read a turn.

        Args:
            turn_id: The turn, `turn_…`.
            wait: Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or
                begins to wait.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.get("turn_01jd3k9m2x4t8r5w6y7z0a1b2c", wait=30)
        """
        sending = Input(path={"turn_id": turn_id}, query={"wait": wait})
        return await self._transport.call(GET_TURN, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get_messages(
        self,
        turn_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> TurnMessages:
        """
        Read the messages of a turn.

        The messages as they were sent, at most 2000. The text of a turn is one message. When the texts of the
        turn are deleted, there is none.

        Args:
            turn_id: The turn, `turn_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.get_messages("turn_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"turn_id": turn_id})
        return await self._transport.call(GET_TURN_MESSAGES, sending, Options(max_retries=max_retries, timeout=timeout))

    async def update(
        self,
        turn_id: str,
        *,
        max_cost_usd: Decimal | float | str,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """
        Raise a turn's cost limit.

        Raises `max_cost_usd` of a turn that has not ended. If the turn waits for this limit, it continues, as
        far as the balance and the caps allow it. The same request again has no further effect. See Turns that
        wait.

        Args:
            turn_id: The turn, `turn_…`.
            max_cost_usd: The new limit of the turn's cost, in USD. It can only be raised.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: TURN_FINISHED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.update("turn_01jd3k9m2x4t8r5w6y7z0a1b2c", max_cost_usd=0.5)
        """
        sending = Input(path={"turn_id": turn_id}, body={"max_cost_usd": max_cost_usd})
        return await self._transport.call(PATCH_TURN, sending, Options(max_retries=max_retries, timeout=timeout))

    async def cancel(
        self,
        turn_id: str,
        *,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """
        Cancel a turn.

        A queued or waiting turn is cancelled at once. A running turn stops before its next step and is billed
        for its work so far. A second cancel returns the same response, with or without an Idempotency-Key.

        Args:
            turn_id: The turn, `turn_…`.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: TURN_FINISHED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.cancel("turn_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"turn_id": turn_id})
        return await self._transport.call(CANCEL_TURN, sending, Options(idempotency_key, max_retries, timeout))

    def list_events(
        self,
        turn_id: str,
        *,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[TurnEvent]:
        """
        Read a turn's events.

        The events in ascending order. `seq` has no gaps. `next_cursor` is the last `seq` of the page. With
        `Accept: text/event-stream` the events are sent as they happen, as server-sent events, until the turn
        ends. A client that reconnects with the id of its last message as Last-Event-ID gets every event and
        every piece of text exactly once. The agent's text (`text.delta`) is written only while a client follows
        the turn. A stream shows it before it is in the log: the `seq` of such a piece is the number of the last
        event before it, and the event of the log then has only text that was not shown, perhaps none. A second
        `step.started` of the same step means that its text starts again. If the turn has ended and the client
        has all of its events, the response is 204, so that an EventSource does not reconnect. `model.waiting`
        means that the turn waits for capacity at the model's provider. `turn.waiting` and `turn.resumed` mean
        that it waits for a limit, a decision or a result, and that it continues.

        Args:
            turn_id: The turn, `turn_…`.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.turns.list_events("turn_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(path={"turn_id": turn_id}, query={"limit": limit})
        return self._transport.pages(LIST_TURN_EVENTS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def create_watch_token(
        self,
        turn_id: str,
        *,
        expires_in: int | None = None,
        include: Sequence[Literal["tool_inputs"]] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> WatchToken:
        """
        Let a browser watch a turn.

        Returns a token for one turn, which your server passes to a browser, so that it shows the reply while it
        is written. The token can do nothing else. It has the rights of this key at each look: if the key is
        revoked or expires, the token ends with it. A repeat creates another token, which has no other effect.

        Args:
            turn_id: The turn, `turn_…`.
            expires_in: The token's life in seconds.
            include: `tool_inputs`: the browser also gets the inputs of tool calls. Otherwise only the tools'
                names.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.create_watch_token(
                "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
                expires_in=300,
                include=[],
            )
        """
        sending = Input(
            path={"turn_id": turn_id},
            body={"expires_in": given(expires_in), "include": given(include)},
        )
        return await self._transport.call(CREATE_WATCH_TOKEN, sending, Options(idempotency_key, max_retries, timeout))

    async def receipt(
        self,
        turn_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> TurnReceipt:
        """
        Read a turn's receipt.

        The charge of an ended turn, as a signed document from which every amount can be computed again. It has
        no texts, never changes, and stays readable after the erasure of the end user. A refund is a document of
        its own that names the receipt. See Receipts and statements.

        Args:
            turn_id: The turn, `turn_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: TURN_NOT_ENDED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.turns.receipt("turn_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"turn_id": turn_id})
        return await self._transport.call(GET_TURN_RECEIPT, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncConversations:
    """Conversations of end users with agents."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        conversation_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Conversation:
        """
        Read a conversation.

        The conversation, and the part of it that the agent sees: which turns, which summary, and about how many
        tokens. See The life of a turn.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.conversations.get("conv_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"conversation_id": conversation_id})
        return await self._transport.call(GET_CONVERSATION, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncCalls(AsyncCallActions):
    """Tool calls that wait for a decision or for a result."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def decide(
        self,
        turn_id: str,
        call: str,
        *,
        decision: Literal["allow", "deny"],
        input: Mapping[str, Any] | None = None,
        message: str | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> DecidedCall:
        """
        Decide about a call.

        Allows or denies a call that waits for a decision. The first decision wins. The same decision again has
        no effect and gets the same response, also after the turn's end. When no call of the turn waits for a
        decision any more, the turn continues. See Turns that wait.

        Args:
            turn_id: The turn, `turn_…`.
            call: The `call` of `waiting.calls`.
            decision: `deny`: the call is not made, and the agent is told.
            input: Another input for an allowed call. It must fit the tool's schema. Default: the agent's input.
            message: A text for the agent if the call is denied.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALL_DECIDED, CALL_NOT_WAITING, TURN_FINISHED.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.calls.decide(
                "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "0.0",
                decision="allow",
                input={"order": "A-1", "amount": 40},
                message="Ask a manager first.",
            )
        """
        sending = Input(
            path={"turn_id": turn_id, "call": call},
            body={"decision": decision, "input": given(input), "message": given(message)},
        )
        return await self._transport.call(DECIDE_CALL, sending, Options(idempotency_key, max_retries, timeout))

    async def send_result(
        self,
        turn_id: str,
        call: str,
        *,
        output: Any | Unset = UNSET,
        error: str | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> TakenResult:
        """
        Send the result of a call.

        The result of a call that comes later: after your server answered 202, or of a tool without a request.
        Instead of an API key, the header Authorization can have the token that the call's request carried in
        `Turnpike-Result-Token`. A result counts once. The same result again has no effect and gets the same
        response, also after the turn's end. Secrets of the space are not masked in it. With the token, an
        Idempotency-Key belongs to the call.

        Args:
            turn_id: The turn, `turn_…`.
            call: The `call` of `waiting.calls`.
            output: The result: a text, or any JSON value, whose numbers keep their digits. At most 65536 bytes
                as text.
            error: Why the call failed. The agent reads this text.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALL_ANSWERED, CALL_NOT_WAITING, TURN_FINISHED.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.calls.send_result(
                "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
                "0.0",
                output={"refunded": True},
            )
        """
        sending = Input(
            path={"turn_id": turn_id, "call": call},
            body={"output": output, "error": given(error)},
        )
        return await self._transport.call(SEND_CALL_RESULT, sending, Options(idempotency_key, max_retries, timeout))

    async def take(
        self,
        *,
        wait: int | None = None,
        limit: int | None = None,
        space: str | None = None,
        tool: Sequence[str] | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> TakenCallList:
        """
        Take calls.

        Calls of tools without a request, for a worker of yours that has no public address. A call belongs to
        the worker for 60 seconds. If the worker neither sends its result nor renews it, another one gets the
        call. So a call is given at least once, and its result counts once.

        Args:
            wait: Maximum time in seconds to wait for a call.
            space: Only calls of this space.
            tool: Only calls of these tools. Can be repeated.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.calls.take(wait=30)
        """
        sending = Input(query={"wait": wait, "limit": limit, "space": space, "tool": tool})
        return await self._transport.call(TAKE_CALLS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def renew(
        self,
        turn_id: str,
        call: str,
        *,
        takes: int,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> RenewCallAnswer:
        """
        Keep a taken call.

        Keeps a call that your worker has taken for another 60 seconds.

        Args:
            turn_id: The turn, `turn_…`.
            call: The `call` of `waiting.calls`.
            takes: The `takes` of the call.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: CALL_NOT_WAITING.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.calls.renew("turn_01jd3k9m2x4t8r5w6y7z0a1b2c", "0.0", takes=1)
        """
        sending = Input(path={"turn_id": turn_id, "call": call}, body={"takes": takes})
        return await self._transport.call(RENEW_CALL, sending, Options(idempotency_key, max_retries, timeout))


class AsyncWebhooks(WebhookVerifier):
    """Events posted to your server."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        url: str,
        events: Sequence[Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"]] | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        ping: bool | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> WebhookWithSecret:
        """
        Register a webhook.

        Events are posted to the URL as JSON and signed according to Standard Webhooks: `webhook-id`,
        `webhook-timestamp` and `webhook-signature` (`v1,` + base64 HMAC-SHA256 of `id.timestamp.body`). A 2xx
        response within 15 seconds is a success; a redirect is a failure. Failed attempts are retried after 5
        seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours and 10 hours, or later if the receiver sends
        Retry-After. A 410 disables the webhook, and so do 5 days in which every attempt fails. A later event of
        a turn waits until the earlier ones were accepted or tried twice. The webhook receives the events that
        the key that created it can see. The first event is a `ping`. All other events wait until it has been
        answered with 2xx; until then the webhook's `state` is `pending`. An account can have only one webhook
        per URL.

        Args:
            url: The URL to which events are posted. It must use https and a public host name.
            events: The types of events to send. Null: all types, including those added later, but not
                `activity.recorded`, which must be named.
            description: Your own description.
            ping: `false`: no `ping` is sent yet. Start your server with the secret, then send the ping with
                `POST …/test`. Until the server has answered it, all other events wait.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ConflictError: LIMIT_REACHED, WEBHOOK_EXISTS.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.create(
                url="https://example.com/webhooks/turnpike",
                events=["turn.done", "turn.failed", "turn.cancelled"],
            )
        """
        sending = Input(
            body={"url": url, "events": events, "description": description, "ping": given(ping)},
        )
        return await self._transport.call(CREATE_WEBHOOK, sending, Options(idempotency_key, max_retries, timeout))

    def list(
        self,
        *,
        limit: int | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Webhook]:
        """
        List webhooks.

        The webhooks in the key's scope, newest first.

        Args:
            limit: The most entries on a page.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.webhooks.list():
                print(item)
        """
        sending = Input(
            query={"limit": limit, "created_after": created_after, "created_before": created_before},
        )
        return self._transport.pages(LIST_WEBHOOKS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        webhook_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Webhook:
        """
        Read a webhook.

        Args:
            webhook_id: The webhook, `whk_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.get("whk_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"webhook_id": webhook_id})
        return await self._transport.call(GET_WEBHOOK, sending, Options(max_retries=max_retries, timeout=timeout))

    async def update(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Sequence[Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"]] | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        enabled: bool | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Webhook:
        """
        Change a webhook.

        Changes the fields that you send. If you disable a webhook, its pending deliveries fail. You can replay
        them after you enable it again. A new `url` must answer a `ping` before it receives events.

        Args:
            webhook_id: The webhook, `whk_…`.
            url: The URL to which events are posted. It must use https and a public host name.
            events: The types of events to send. Null: all types, including those added later, but not
                `activity.recorded`, which must be named.
            description: Your own description.
            enabled: `false` disables the webhook. `true` enables it again, also if it was disabled
                automatically.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: WEBHOOK_EXISTS.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.update(
                "whk_01jd3k9m2x4t8r5w6y7z0a1b2c",
                url="https://example.com/webhooks/turnpike",
                events=["turn.done", "turn.failed", "turn.cancelled"],
            )
        """
        sending = Input(
            path={"webhook_id": webhook_id},
            body={"url": given(url), "events": events, "description": description, "enabled": given(enabled)},
        )
        return await self._transport.call(UPDATE_WEBHOOK, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        webhook_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> DeleteWebhookAnswer:
        """
        Delete a webhook.

        Args:
            webhook_id: The webhook, `whk_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.delete("whk_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"webhook_id": webhook_id})
        return await self._transport.call(DELETE_WEBHOOK, sending, Options(max_retries=max_retries, timeout=timeout))

    async def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap_seconds: int | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> WebhookWithSecret:
        """
        Rotate a webhook's signing secret.

        For `overlap_seconds`, each event has two signatures: one with the old secret and one with the new.
        Receivers can switch at any time within this period. A second rotation within it does not shorten the
        life of any secret, but `overlap_seconds=0` ends all old secrets at once: use it if one has leaked. At
        most 10 old secrets can sign at a time.

        Args:
            webhook_id: The webhook, `whk_…`.
            overlap_seconds: The time in seconds for which the old secret also signs. 0: only the new secret
                signs from now on.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: LIMIT_REACHED.
            ValidationError: IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.rotate_secret("whk_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"webhook_id": webhook_id}, query={"overlap_seconds": overlap_seconds})
        return await self._transport.call(ROTATE_WEBHOOK_SECRET, sending, Options(idempotency_key, max_retries, timeout))

    async def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Delivery:
        """
        Send a test event.

        Sends a `ping` to this webhook only. Read the delivery to see the response of your server. A webhook
        that is `pending` becomes verified if the response is 2xx.

        Args:
            webhook_id: The webhook, `whk_…`.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: WEBHOOK_DISABLED.
            ValidationError: IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.test("whk_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"webhook_id": webhook_id})
        return await self._transport.call(TEST_WEBHOOK, sending, Options(idempotency_key, max_retries, timeout))

    def deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        state: Literal["pending", "delivered", "failed"] | None = None,
        event_type: Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared", "ping"] | None = None,
        turn: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Delivery]:
        """
        List a webhook's deliveries.

        Deliveries with their attempts, newest event first. Use a cursor only with the filters of the page that
        returned it.

        Args:
            webhook_id: The webhook, `whk_…`.
            limit: The most entries on a page.
            turn: Only deliveries of this turn's events: a `turn_id`.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.webhooks.deliveries("whk_01jd3k9m2x4t8r5w6y7z0a1b2c"):
                print(item)
        """
        sending = Input(
            path={"webhook_id": webhook_id},
            query={
                "limit": limit,
                "state": state,
                "event_type": event_type,
                "turn": turn,
                "created_after": created_after,
                "created_before": created_before,
            },
        )
        return self._transport.pages(LIST_DELIVERIES, sending, Options(max_retries=max_retries, timeout=timeout))

    async def replay(
        self,
        webhook_id: str,
        *,
        from_: datetime | str,
        to: datetime | str | None = None,
        events: Sequence[Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"]] | None | Unset = UNSET,
        include_delivered: bool | None = None,
        cursor: str | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Replayed:
        """
        Replay the events of a period.

        Sends again, under the same ids, the events that failed or were never sent to this webhook. With
        `include_delivered`, all events are sent again. One request sends at most 1,000 events: to continue,
        send the same request with the `cursor` of the response. Within an hour, at most 10,000 events can be
        sent again to one webhook, and 1,000 by a test key. Beyond that, the response is 429 with `Retry-After`.

        Args:
            webhook_id: The webhook, `whk_…`.
            from_: The start of the period (inclusive). Events from before the time for which deliveries are
                kept are left out, because they might be sent twice.
            to: The end of the period (exclusive). Default: no end.
            events: The types of events to send. Null: all types, including those added later, but not
                `activity.recorded`, which must be named.
            include_delivered: `true` also sends events that this webhook has already accepted.
            cursor: The `cursor` of the previous response, to continue.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: WEBHOOK_DISABLED.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.webhooks.replay(
                "whk_01jd3k9m2x4t8r5w6y7z0a1b2c",
                from_="2026-11-20T00:00:00Z",
                events=["turn.done", "turn.failed", "turn.cancelled"],
            )
        """
        sending = Input(
            path={"webhook_id": webhook_id},
            query={"cursor": cursor},
            body={
                "from": from_,
                "to": given(to),
                "events": events,
                "include_delivered": given(include_delivered),
            },
        )
        return await self._transport.call(REPLAY_EVENTS, sending, Options(idempotency_key, max_retries, timeout))


class AsyncDeliveries:
    """The deliveries of events to webhooks, with every attempt."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        delivery_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Delivery:
        """
        Read a delivery.

        Args:
            delivery_id: The delivery, `dlv_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.deliveries.get("dlv_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"delivery_id": delivery_id})
        return await self._transport.call(GET_DELIVERY, sending, Options(max_retries=max_retries, timeout=timeout))

    async def redeliver(
        self,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Delivery:
        """
        Send a delivery again.

        Sends the delivery at once, under the same id and with all retries. It can be delivered, failed or
        pending.

        Args:
            delivery_id: The delivery, `dlv_…`.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ConflictError: WEBHOOK_DISABLED.
            ValidationError: IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.deliveries.redeliver("dlv_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"delivery_id": delivery_id})
        return await self._transport.call(REDELIVER, sending, Options(idempotency_key, max_retries, timeout))


class AsyncEvents:
    """The feed of all events, to catch up with."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        type: Literal["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared", "ping"] | None = None,
        turn: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[FeedEvent]:
        """
        List events.

        All events of the account, newest first, including those that no webhook received. To catch up, read
        with `order=asc`, oldest first. Then every page has a `next_cursor`, even the last one. Continue with it
        later, and you get every new event exactly once. Use a cursor only with the filters of the page that
        returned it.

        Args:
            limit: The most entries on a page.
            created_after: Only entries created at or after this time.
            created_before: Only entries created before this time.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.events.list():
                print(item)
        """
        sending = Input(
            query={
                "limit": limit,
                "order": order,
                "type": type,
                "turn": turn,
                "created_after": created_after,
                "created_before": created_before,
            },
        )
        return self._transport.pages(LIST_EVENTS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        event_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> FeedEvent:
        """
        Read an event.

        Args:
            event_id: The event, `evt_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.events.get("evt_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"event_id": event_id})
        return await self._transport.call(GET_EVENT, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncEndUsers:
    """Your own customers: costs, limits, wallets, export and erasure."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        q: str | None = None,
        blocked: bool | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[EndUser]:
        """
        List end users.

        The end users with turns, and their billed amounts, most recent turn first. End users with limits or a
        profile but without turns are sorted by the time of these. A key sees the turns in its spaces. It sees
        end users without turns only if it has the scope `all`.

        Args:
            limit: The most entries on a page.
            q: A part of the `end_user_ref`. Case does not matter.
            blocked: `true`: only blocked end users. `false`: only end users who are not blocked.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.end_users.list(q="customer"):
                print(item)
        """
        sending = Input(query={"limit": limit, "q": q, "blocked": blocked})
        return self._transport.pages(LIST_END_USERS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUser:
        """
        Read an end user.

        The end user's turns in the key's spaces, their billed amounts, the end user's own limits, and what is
        left of all limits that apply.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.get("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(GET_END_USER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_limits(
        self,
        end_user_ref: str,
        *,
        daily_usd: Decimal | float | str | None | Unset = UNSET,
        monthly_usd: Decimal | float | str | None | Unset = UNSET,
        blocked: bool | None | Unset = UNSET,
        rate: SetRate | None | Unset = UNSET,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUser:
        """
        Set an end user's limits.

        Replaces the end user's limits. You can set them before the first turn. They apply to the whole account,
        so the key needs the scope `all`. New turns of a blocked end user are rejected with 403
        `END_USER_BLOCKED`. Turns that are already accepted continue, unless you cancel them.

        A limit counts the spending of the end user's turns across all keys, and takes precedence over the
        defaults of the key and the account. It applies from the next turn on. A higher limit admits turns at
        once. A limit below the amount already spent rejects turns with 429 `QUOTA_EXCEEDED` until the day or
        the month ends. 0 rejects all turns. See Caps and quotas.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            daily_usd: The limit for a UTC day, in USD. Null or left out: the default applies.
            monthly_usd: The limit for a UTC month, in USD. Null or left out: the default applies.
            blocked: `true`: new turns are rejected with END_USER_BLOCKED. Null or left out: false.
            rate: How much the end user may send. Null or left out: the default applies.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            ConflictError: LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.put_limits("customer-42", daily_usd=1.5, monthly_usd=20)
        """
        sending = Input(
            path={"end_user_ref": end_user_ref},
            body={"daily_usd": daily_usd, "monthly_usd": monthly_usd, "blocked": blocked, "rate": rate},
        )
        return await self._transport.call(PUT_END_USER_LIMITS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get_profile(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserProfile:
        """
        Read an end user's profile.

        The facts about the end user that agents and tools can use; `{}` without a profile. The key needs the
        scope `all`.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.get_profile("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(GET_END_USER_PROFILE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_profile(
        self,
        end_user_ref: str,
        *,
        profile: Mapping[str, str | float | bool],
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserProfile:
        """
        Set an end user's profile.

        Replaces the facts about the end user, also before the first turn. `{{profile.KEY}}` inserts them into
        requests of tools and headers of MCP servers, and gives them to agents. A turn that has started keeps
        the facts with which it started. See Tools. The key needs the scope `all`.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            profile: Facts about the end user, which `{{profile.KEY}}` inserts: at most 32 keys and 4096 bytes
                of JSON. Each value is a text, a number, or true or false. `time_zone` is the zone of `{{now}}` and
                `{{today}}`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ConflictError: LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.put_profile(
                "customer-42",
                profile={
                    "name": "Ada",
                    "plan": "gold",
                    "time_zone": "Europe/London",
                },
            )
        """
        sending = Input(path={"end_user_ref": end_user_ref}, body={"profile": profile})
        return await self._transport.call(PUT_END_USER_PROFILE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete_profile(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserProfile:
        """
        Delete an end user's profile.

        Turns that start from now on have no facts about the end user. The key needs the scope `all`.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.delete_profile("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(DELETE_END_USER_PROFILE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def export(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserExport:
        """
        Export all data of an end user.

        One JSON document to download: the end user with its limits and its profile, and each of its turns in
        the key's spaces with its events, model calls, tool inputs and results, tasks and files (their bytes are
        at `content`). The document is streamed, so its size is not limited. If the connection breaks before the
        end, the document is incomplete.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.export("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(EXPORT_END_USER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def erase(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Erasure:
        """
        Erase an end user.

        Erases the content of all past turns of the end user, in the whole account: texts, results, error
        messages, metadata, output of models and tools, tasks, names of conversations, and files that their
        agents created, and the profile. It also erases files that were sent with these turns and with no other
        end user's turns. A file that was never sent with a turn belongs to no end user: delete it yourself.
        Queued turns are cancelled and running turns are stopped, with the status_reason `end_user_erased`. They
        are erased when they have ended.

        Erasure keeps amounts, token counts, times, states and codes, your own identifiers (`end_user_ref`,
        Idempotency-Keys), and the limits. An erased turn has the text `""` and the result `null`, and its
        Idempotency-Key returns 422 from now on. You can erase the end user again at any time, to erase newer
        turns. The key needs the scope `all`. Erasure cannot be undone, so first export the data that you must
        keep.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.erase("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(ERASE_END_USER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get_erasure(
        self,
        erasure_id: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Erasure:
        """
        Read the receipt of an erasure.

        The receipt lists the erased data and the data that is kept. For keys with the scope `all`.

        Args:
            erasure_id: The erasure, `era_…`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.get_erasure("era_01jd3k9m2x4t8r5w6y7z0a1b2c")
        """
        sending = Input(path={"erasure_id": erasure_id})
        return await self._transport.call(GET_ERASURE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get_balance(
        self,
        end_user_ref: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserBalance:
        """
        Read an end user's wallet.

        The prepaid credit of the end user, and how its turns are charged. The key needs the scope `all`.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.get_balance("customer-42")
        """
        sending = Input(path={"end_user_ref": end_user_ref})
        return await self._transport.call(GET_END_USER_BALANCE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_billing(
        self,
        end_user_ref: str,
        *,
        price: str | None | Unset = UNSET,
        prepaid: bool | None | Unset = UNSET,
        low_balance_usd: Decimal | float | str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserBalance:
        """
        Set how an end user is charged.

        Replaces the end user's price, and whether turns are paid from the end user's wallet.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            price: The price of the end user's turns. Null: the default.
            prepaid: True: turns are paid from the end user's wallet. False: they are not. Null: the default.
            low_balance_usd: The event `end_user.balance_low` is sent below this amount. 0: never. At first 1.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            ConflictError: LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.put_billing("customer-42", price="standard", prepaid=False)
        """
        sending = Input(
            path={"end_user_ref": end_user_ref},
            body={"price": price, "prepaid": prepaid, "low_balance_usd": given(low_balance_usd)},
        )
        return await self._transport.call(PUT_END_USER_BILLING, sending, Options(max_retries=max_retries, timeout=timeout))

    async def credit(
        self,
        end_user_ref: str,
        *,
        amount_usd: Decimal | float | str,
        note: str | None | Unset = UNSET,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserLedgerEntry:
        """
        Add credit to an end user's wallet.

        Adds prepaid credit, or takes it back with a negative amount. The first credit makes the end user
        prepaid, unless a setting of the end user, the key or the account says otherwise. Turns that wait for
        this credit continue. The credit is yours: your own balance does not change.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            amount_usd: The credit in USD. A negative amount is a correction, up to the available credit.
            note: Your note, such as the number of an order. The portal does not show it.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            ConflictError: BALANCE_TOO_LOW, LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.credit("customer-42", amount_usd=5, note="Order 1042")
        """
        sending = Input(path={"end_user_ref": end_user_ref}, body={"amount_usd": amount_usd, "note": note})
        return await self._transport.call(CREDIT_END_USER, sending, Options(idempotency_key, max_retries, timeout))

    def list_ledger(
        self,
        end_user_ref: str,
        *,
        reason: Literal["credit", "correction", "usage", "refund"] | None = None,
        turn: str | None = None,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[EndUserLedgerEntry]:
        """
        List an end user's ledger.

        The credits, corrections and charges of the end user's wallet, newest first.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            reason: Only these entries.
            turn: A `turn_id`: only its charge.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.end_users.list_ledger("customer-42"):
                print(item)
        """
        sending = Input(
            path={"end_user_ref": end_user_ref},
            query={"reason": reason, "turn": turn, "limit": limit},
        )
        return self._transport.pages(LIST_END_USER_LEDGER, sending, Options(max_retries=max_retries, timeout=timeout))

    async def create_portal_session(
        self,
        end_user_ref: str,
        *,
        scopes: Sequence[Literal["usage", "turns", "limits", "wallet", "approvals", "profile"]],
        profile_keys: Sequence[str] | None = None,
        expires_in: int | None = None,
        allowed_origins: Sequence[str] | None = None,
        return_url: str | None = None,
        theme: PortalTheme | None = None,
        lang: Literal["en", "de", "fr", "es", "ja"] | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> PortalSession:
        """
        Open the portal for an end user.

        Returns the address of a page that shows one end user their own use, in a frame of your page or by
        itself. Nothing on it is about you or another end user. It opens once: the code after `#` is exchanged
        for a token that only the page has. The session has the rights of this key at each look: it shows the
        turns in the key's spaces, and it ends if the key is revoked or expires, or if the end user is erased.
        It also works for an end user without turns. A repeat creates another session, which has no other
        effect. See Portal.

        Args:
            end_user_ref: The `end_user_ref` of the turns.
            scopes: What the end user sees. `usage`: the amounts charged, by day. `turns`: the turns with their
                texts. `limits`: what is left of the daily and the monthly limit. `wallet`: the prepaid balance and
                its last entries. `approvals`: calls that wait for a decision, with their inputs. The end user may
                allow or deny them. `profile`: the facts of `profile_keys`, which the end user may change.
            profile_keys: The facts of their profile that the end user sees and may change, with the scope
                `profile`.
            expires_in: The session's life in seconds.
            allowed_origins: The origins of the pages that may show the portal in a frame, and that get its
                messages. Default: none, so the portal opens only as a page of its own. With a test key,
                `http://localhost` is also possible.
            return_url: Where the portal's link back leads. Default: no link.
            lang: The language of the page. Default: the language of the browser if the page has it, otherwise
                English.
            idempotency_key: One value per logical request, of 1–255 printable ASCII characters. Default: a new
                UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: QUOTA_EXCEEDED, TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.end_users.create_portal_session(
                "customer-42",
                scopes=["usage", "turns", "limits", "profile"],
                profile_keys=["name", "time_zone"],
                expires_in=900,
                allowed_origins=["https://shop.example.com"],
                return_url="https://shop.example.com/account",
                theme={},
                lang="de",
            )
        """
        sending = Input(
            path={"end_user_ref": end_user_ref},
            body={
                "scopes": scopes,
                "profile_keys": given(profile_keys),
                "expires_in": given(expires_in),
                "allowed_origins": given(allowed_origins),
                "return_url": given(return_url),
                "theme": given(theme),
                "lang": given(lang),
            },
        )
        return await self._transport.call(CREATE_PORTAL_SESSION, sending, Options(idempotency_key, max_retries, timeout))


class AsyncPrices:
    """The prices that you charge your end users, and their defaults."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Price]:
        """
        List prices.

        The prices that you charge your end users, by name, each with its current version. The key needs the
        scope `all`.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.prices.list():
                print(item)
        """
        sending = Input()
        return self._transport.pages(LIST_PRICES, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        name: str,
        *,
        version: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Price:
        """
        Read a price.

        A price with its versions. The versions of a deleted price stay readable, and `deleted` is true.

        Args:
            name: The name of the price.
            version: Shows this version only. Default: the newest ones.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.prices.get("standard", version=3)
        """
        sending = Input(path={"name": name}, query={"version": version})
        return await self._transport.call(GET_PRICE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put(
        self,
        name: str,
        *,
        multiplier: float | None = None,
        per_model: Mapping[str, float] | None = None,
        per_turn_usd: Decimal | float | str | None = None,
        rounding: PutPriceRounding | None = None,
        begins_at: datetime | str | None | Unset = UNSET,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Price:
        """
        Set a price.

        Creates the price, or a new version of it. A turn keeps the version that was current when it was
        accepted. The same values again make no new version. With `begins_at` the version is planned, and
        `planned` shows it. Setting the price again replaces the plan.

        The charge of a turn is the sum over its model calls of billed amount times multiplier, plus
        `per_turn_usd`. It is computed exactly and rounded once, when the turn ends. A turn without a model
        call, and a turn that the service lost, charge nothing. Prices of test keys are apart, and apply to test
        turns.

        Args:
            name: The name of the price.
            multiplier: Multiplied with the billed amount of each model call. 1: what the call cost you.
            per_model: Multipliers of single models, by pin. All other models have `multiplier`.
            per_turn_usd: Added for each turn with at least one model call, in USD.
            rounding: The charge is computed exactly and rounded once, when the turn ends: to a multiple of
                `to_usd`, `up`, `down` or to the `nearest` (halves up).
            begins_at: A moment in the future from which new turns have this price. Until then, they have the
                present one. Null: they have it from now on. Either way, it replaces a plan that exists.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            ConflictError: LIMIT_REACHED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.prices.put(
                "standard",
                multiplier=1.5,
                per_model={"rehearsal/standard": 2},
                per_turn_usd=0.01,
                rounding={"to_usd": 1e-7, "mode": "nearest"},
                begins_at=None,
            )
        """
        sending = Input(
            path={"name": name},
            body={
                "multiplier": given(multiplier),
                "per_model": given(per_model),
                "per_turn_usd": given(per_turn_usd),
                "rounding": given(rounding),
                "begins_at": begins_at,
            },
        )
        return await self._transport.call(PUT_PRICE, sending, Options(max_retries=max_retries, timeout=timeout))

    async def delete(
        self,
        name: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> DeletedPrice:
        """
        Delete a price.

        A price that an end user, a key or the account names cannot be deleted. Accepted turns keep it.

        Args:
            name: The name of the price.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            NotFoundError: NOT_FOUND.
            ConflictError: PRICE_IN_USE.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.prices.delete("standard")
        """
        sending = Input(path={"name": name})
        return await self._transport.call(DELETE_PRICE, sending, Options(max_retries=max_retries, timeout=timeout))

    def list_defaults(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[EndUserDefault]:
        """
        List the default prices.

        The price and the kind of payment of end users without settings of their own: of the account first, then
        of keys.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.prices.list_defaults():
                print(item)
        """
        sending = Input()
        return self._transport.pages(LIST_END_USER_DEFAULTS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_defaults(
        self,
        *,
        key_id: str | None | Unset = UNSET,
        price: str | None | Unset = UNSET,
        prepaid: bool | None | Unset = UNSET,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> EndUserDefaultList:
        """
        Set the default price.

        Replaces the defaults of the account, or of one key. A setting of an end user comes before that of the
        key, and that before the account's. They apply from the next turn on.

        Args:
            key_id: A key of the same mode, live or test. Null: the whole account.
            price: The price of end users without one. Null: none.
            prepaid: Whether the turns of end users without such a setting are paid from their wallets. Null:
                not set.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            NotFoundError: NOT_FOUND.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.prices.put_defaults(key_id=None, price="standard", prepaid=False)
        """
        sending = Input(body={"key_id": key_id, "price": price, "prepaid": prepaid})
        return await self._transport.call(PUT_END_USER_DEFAULTS, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncUsage(AsyncUsageActions):
    """Reports of billed amounts, in US dollars. They add up exactly to the ledger."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def statements(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[ListedStatement]:
        """
        List monthly statements.

        The months (UTC) since the first usage of the account, newest first, with the totals of final
        statements.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.usage.statements():
                print(item)
        """
        sending = Input()
        return self._transport.pages(LIST_STATEMENTS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def statement(
        self,
        month: str,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> MonthStatement:
        """
        Read a monthly statement.

        The signed sums of a month (UTC), with a digest over its receipts. Turns count in the month in which
        they ended, refunds in the month in which they were booked. The first request builds the statement. A
        large month takes some minutes: `state` is `building` until then.

        Args:
            month: A month (UTC).
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            NotFoundError: NOT_FOUND.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.statement("2026-10")
        """
        sending = Input(path={"month": month})
        return await self._transport.call(GET_STATEMENT, sending, Options(max_retries=max_retries, timeout=timeout))

    def documents(
        self,
        month: str,
        *,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[StatementDocument]:
        """
        List the documents of a month.

        All signed receipts of a month (UTC) in the order of the statement's digests, and then its refunds. A
        month that is not over has the documents so far.

        Args:
            month: A month (UTC).
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.usage.documents("2026-10"):
                print(item)
        """
        sending = Input(path={"month": month}, query={"limit": limit})
        return self._transport.pages(LIST_STATEMENT_DOCUMENTS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get_export(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> UsageExport:
        """
        Read the state of the usage export.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.get_export()
        """
        sending = Input()
        return await self._transport.call(GET_USAGE_EXPORT, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_export(
        self,
        *,
        enabled: bool,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> UsageExport:
        """
        Start or stop the usage export.

        While it runs, every charge and refund becomes an event `usage.posted`, and every hour with rows an
        event `hour.closed`. A webhook that names one of these types starts it too. See Metering and billing.

        Args:
            enabled: `true` exports every charge and refund that is booked from now on. `false` ends the current
                hour at this moment and stops.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, ROLE_REQUIRED, SCOPE_DENIED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.put_export(enabled=True)
        """
        sending = Input(body={"enabled": enabled})
        return await self._transport.call(PUT_USAGE_EXPORT, sending, Options(max_retries=max_retries, timeout=timeout))

    async def get(
        self,
        *,
        group_by: Literal["end_user_ref", "space", "model", "key", "day", "hour", "config_version"] | str | None = None,
        from_: str | None = None,
        to: str | None = None,
        space: Sequence[str] | None = None,
        end_user_ref: Sequence[str] | None = None,
        model: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        sort: Literal["group", "billed", "turns", "model_calls", "tokens_input", "tokens_output"] | None = None,
        direction: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> UsageReport:
        """
        Report usage by end user, space, model, key, day, hour or metadata.

        Sums the turns that ended in the range, within the key's scope, by `group_by`. Groups are sorted by
        their bytes or by `sort`, and groups without turns are left out. A turn counts at the time when it ended
        and was billed, which is the time of its ledger entry. So for every grouping, `billed_usd` adds up
        exactly to the ledger entries with the reason `usage` in the range. A refund counts at the time of its
        ledger entry, too: in `refunded_usd`, also in a group without turns in the range. By `model`, each call
        counts for its own model, including calls of sub-agents. Web-chat turns are not included: they have no
        key, and their ledger reason is `space_usage`.

        With `Accept: text/csv` or `format=csv`, the response is the whole report as CSV (RFC 4180, UTF-8, with
        a header line), without pages. Some groups get a leading apostrophe, because a spreadsheet could read
        them as a formula: those that begin with one of `=+-@`, a tab or a line break. Groups that begin with an
        apostrophe get another one, so remove one apostrophe to get the original group. The same applies after
        each `;`, `|`, tab or line break within a group. With `bom=true` the file begins with a byte order mark,
        so that Excel reads it as UTF-8.

        Args:
            group_by: The dimension of the rows: `end_user_ref`, `space`, `model`, `key`, `day`, `hour` (of the
                day, UTC), `config_version`, or `metadata.` and a key that you have registered with `PUT
                /v1/usage-keys`. Default: `day`.
            from_: The start, inclusive: an instant, or a date, which means 00:00 UTC. Default: 30 days before
                `to`.
            to: The end, exclusive: an instant, or a date, which means 00:00 UTC. Default: the end of today
                (UTC).
            space: Only these spaces. Repeat the parameter for several.
            end_user_ref: Only these end users. Repeat the parameter for several.
            model: Only model calls with these pins. Repeat the parameter for several.
            key: Only turns of these keys, by `key_id`. Repeat the parameter for several.
            sort: The order of the groups: by their bytes (`group`), or by a sum. Equal sums are in the order of
                the groups. Default: `group`.
            direction: Default: `asc` by `group`, and `desc` by a sum.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.get(
                group_by="day",
                from_="2026-11-01",
                to="2026-12-01T00:00:00Z",
                sort="billed",
            )
        """
        sending = Input(
            query={
                "group_by": group_by,
                "from": from_,
                "to": to,
                "space": space,
                "end_user_ref": end_user_ref,
                "model": model,
                "key": key,
                "sort": sort,
                "direction": direction,
                "limit": limit,
            },
        )
        return await self._transport.call(GET_USAGE, sending, Options(max_retries=max_retries, timeout=timeout))

    def groups(
        self,
        *,
        group_by: Literal["end_user_ref", "space", "model", "key", "day", "hour", "config_version"] | str | None = None,
        from_: str | None = None,
        to: str | None = None,
        space: Sequence[str] | None = None,
        end_user_ref: Sequence[str] | None = None,
        model: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        sort: Literal["group", "billed", "turns", "model_calls", "tokens_input", "tokens_output"] | None = None,
        direction: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[UsageGroup]:
        """
        Lists all groups of a report, and loads as many pages as necessary.

        Args:
            group_by: The dimension of the rows: `end_user_ref`, `space`, `model`, `key`, `day`, `hour` (of the
                day, UTC), `config_version`, or `metadata.` and a key that you have registered with `PUT
                /v1/usage-keys`. Default: `day`.
            from_: The start, inclusive: an instant, or a date, which means 00:00 UTC. Default: 30 days before
                `to`.
            to: The end, exclusive: an instant, or a date, which means 00:00 UTC. Default: the end of today
                (UTC).
            space: Only these spaces. Repeat the parameter for several.
            end_user_ref: Only these end users. Repeat the parameter for several.
            model: Only model calls with these pins. Repeat the parameter for several.
            key: Only turns of these keys, by `key_id`. Repeat the parameter for several.
            sort: The order of the groups: by their bytes (`group`), or by a sum. Equal sums are in the order of
                the groups. Default: `group`.
            direction: Default: `asc` by `group`, and `desc` by a sum.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for group in turnpike.usage.groups(group_by="end_user_ref"):
                print(group.group, group.billed_usd)
        """
        sending = Input(query={
            "group_by": group_by,
            "from": from_,
            "to": to,
            "space": space,
            "end_user_ref": end_user_ref,
            "model": model,
            "key": key,
            "sort": sort,
            "direction": direction,
            "limit": limit,
        })
        return self._transport.pages(GET_USAGE_GROUPS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def csv(
        self,
        *,
        group_by: Literal["end_user_ref", "space", "model", "key", "day", "hour", "config_version"] | str | None = None,
        from_: str | None = None,
        to: str | None = None,
        space: Sequence[str] | None = None,
        end_user_ref: Sequence[str] | None = None,
        model: Sequence[str] | None = None,
        key: Sequence[str] | None = None,
        sort: Literal["group", "billed", "turns", "model_calls", "tokens_input", "tokens_output"] | None = None,
        direction: Literal["asc", "desc"] | None = None,
        bom: Literal["true", "false"] | bool | None = None,
        limit: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncDownload:
        """
        Downloads the whole report as CSV.

        Args:
            group_by: The dimension of the rows: `end_user_ref`, `space`, `model`, `key`, `day`, `hour` (of the
                day, UTC), `config_version`, or `metadata.` and a key that you have registered with `PUT
                /v1/usage-keys`. Default: `day`.
            from_: The start, inclusive: an instant, or a date, which means 00:00 UTC. Default: 30 days before
                `to`.
            to: The end, exclusive: an instant, or a date, which means 00:00 UTC. Default: the end of today
                (UTC).
            space: Only these spaces. Repeat the parameter for several.
            end_user_ref: Only these end users. Repeat the parameter for several.
            model: Only model calls with these pins. Repeat the parameter for several.
            key: Only turns of these keys, by `key_id`. Repeat the parameter for several.
            sort: The order of the groups: by their bytes (`group`), or by a sum. Equal sums are in the order of
                the groups. Default: `group`.
            direction: Default: `asc` by `group`, and `desc` by a sum.
            bom: `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8.
            limit: The most entries on a page.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            csv = await (await turnpike.usage.csv(group_by="day")).text()
        """
        query: dict[str, Any] = {
            "group_by": group_by,
            "from": from_,
            "to": to,
            "space": space,
            "end_user_ref": end_user_ref,
            "model": model,
            "key": key,
            "sort": sort,
            "direction": direction,
            "bom": bom,
            "limit": limit,
        }
        return await self._csv(query, Options(max_retries=max_retries, timeout=timeout))

    async def get_keys(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> UsageKeys:
        """
        Read the registered keys of metadata.

        The keys of the turns' `metadata` by which usage can be grouped.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.get_keys()
        """
        sending = Input()
        return await self._transport.call(GET_USAGE_KEYS, sending, Options(max_retries=max_retries, timeout=timeout))

    async def put_keys(
        self,
        *,
        keys: Sequence[str],
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> UsageKeys:
        """
        Register keys of metadata.

        Replaces the keys of the turns' `metadata` by which usage can be grouped. Turns that ended before count
        too. Erased turns have no metadata. The key needs the scope `all`.

        Args:
            keys: At most 10 keys. A report shows the 1000 values that were billed most, and all others as
                `(other)`.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.usage.put_keys(keys=["feature", "plan"])
        """
        sending = Input(body={"keys": keys})
        return await self._transport.call(PUT_USAGE_KEYS, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncModels:
    """The models on which agents can run."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[Model]:
        """
        List the models.

        All models that turns can use, with their prices, in the catalog's order and in one page. The first
        model is the default of turns whose space names no model. `image_models` are the models of
        `generate_image`, with the price of each picture. The first of them is the default if the manifest names
        none. A test key sees the rehearsal models, and no image models: its pictures are free.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            async for item in turnpike.models.list():
                print(item)
        """
        sending = Input()
        return self._transport.pages(LIST_MODELS, sending, Options(max_retries=max_retries, timeout=timeout))


class AsyncAccount:
    """All operations of a client."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.spaces = AsyncSpaces(transport)
        """Isolated agents, each with its own configuration, conversations and files."""
        self.files = AsyncFiles(transport)
        """Files that you attach to turns, and files that agents create."""
        self.turns = AsyncTurns(transport)
        """Requests to a space's agent."""
        self.conversations = AsyncConversations(transport)
        """Conversations of end users with agents."""
        self.calls = AsyncCalls(transport)
        """Tool calls that wait for a decision or for a result."""
        self.webhooks = AsyncWebhooks(transport)
        """Events posted to your server."""
        self.deliveries = AsyncDeliveries(transport)
        """The deliveries of events to webhooks, with every attempt."""
        self.events = AsyncEvents(transport)
        """The feed of all events, to catch up with."""
        self.end_users = AsyncEndUsers(transport)
        """Your own customers: costs, limits, wallets, export and erasure."""
        self.prices = AsyncPrices(transport)
        """The prices that you charge your end users, and their defaults."""
        self.usage = AsyncUsage(transport)
        """Reports of billed amounts, in US dollars. They add up exactly to the ledger."""
        self.models = AsyncModels(transport)
        """The models on which agents can run."""

    async def me(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Me:
        """
        Read this API key.

        The key, its caps with the amounts left, and its account's balance.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.me()
        """
        sending = Input()
        return await self._transport.call(GET_ME, sending, Options(max_retries=max_retries, timeout=timeout))

    async def balance(
        self,
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Balance:
        """
        Read the balance.

        Not available to test keys or to keys with the scope `space`.

        Args:
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            PermissionDeniedError: HTTPS_REQUIRED, SCOPE_DENIED.
            ValidationError: VALIDATION_FAILED.
            QuotaExceededError: TOO_MANY_UNKNOWN_KEYS.

        Example:
            await turnpike.balance()
        """
        sending = Input()
        return await self._transport.call(GET_BALANCE, sending, Options(max_retries=max_retries, timeout=timeout))
