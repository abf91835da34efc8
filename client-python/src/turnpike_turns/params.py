# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""The objects of requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, TypedDict

from .models import Approval, Reasoning, ResponseFormat, Subagent


class ApprovalInputWhen(TypedDict):
    """The object ApprovalInputWhen of a request."""

    # A JSON Schema (2020-12) of the input. A call whose input fits it waits for a decision.
    when: Mapping[str, Any]


class _CallerToolInput(TypedDict):
    # A name that no built-in tool and no tool of the space or of its MCP servers has.
    name: str
    # The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no
    # look-arounds and no back-references.
    input_schema: Mapping[str, Any]


class CallerToolInput(_CallerToolInput, total=False):
    """The object CallerToolInput of a request."""

    # What the tool does. The model reads this text.
    description: str


class _CreateTurnResults(TypedDict):
    id: str


class CreateTurnResults(_CreateTurnResults, total=False):
    """The object CreateTurnResults of a request."""

    output: str
    error: str


class CreateTurnToolChoice(TypedDict):
    """The object CreateTurnToolChoice of a request."""

    name: str


class _EstimateTurnResults(TypedDict):
    id: str


class EstimateTurnResults(_EstimateTurnResults, total=False):
    """The object EstimateTurnResults of a request."""

    output: str
    error: str


class EstimateTurnToolChoice(TypedDict):
    """The object EstimateTurnToolChoice of a request."""

    name: str


class ManifestInput(TypedDict, total=False):
    """The configuration of a space's agent."""

    # The agent's system instructions. They may have variables, such as `{{today}}` or `{{profile.name}}`. Each
    # is sent as its name in square brackets, and a note with each turn has the values.
    instructions: str
    # The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it. Default: UTC.
    time_zone: str
    # The pin of the model, `engine/model`. Default: the model of the space.
    model: str
    # Default: the default of the model.
    temperature: float
    # The maximum number of output tokens of each model call, with reasoning.
    max_output_tokens: int
    # Default: the default of the model. A model that cannot reason answers without it.
    reasoning: ReasoningInput | Reasoning
    # How the model's provider is asked to serve the calls of the agent and its sub-agents. `flex` is cheaper
    # and slower; `priority`, `fast` and `ultrafast` are dearer and faster; `default` is the usual service. The
    # answer says how it was served, and is billed with the factor of that (`price_modifiers` of `GET
    # /v1/models`). A tier without a factor is not asked for. Default: as the provider's account says.
    service_tier: Literal["auto", "default", "flex", "priority", "fast", "ultrafast"]
    # The form of the results of all turns that ask for none. The order of properties is not kept: send the form
    # with the turn if it matters.
    response_format: ResponseFormatInputText | ResponseFormatInputJsonObject | ResponseFormatInputJsonSchema | ResponseFormat
    # The maximum number of model calls of one turn. Default 16.
    max_steps: int
    # The time limit of a turn, in seconds. Default 300.
    timeout_seconds: int
    # The part of the conversation that the agent sees.
    history: ManifestInputHistory
    # The built-in tools of the agent. Default: the file tools, except for `openai-compatible` models, because
    # some of them cannot call tools. `generate_image` creates pictures, each at a fixed price. Live turns have
    # it only while the service has an image model.
    builtin_tools: Sequence[Literal["list_files", "read_file", "write_file", "create_task", "update_task", "generate_image"]]
    # How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt.
    tools: ManifestInputTools
    # Calls of built-in tools that wait until a person allows them, by the name of the tool.
    approvals: Mapping[str, Literal["never", "always"] | ApprovalInputWhen | Approval]
    # A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial
    # result. With `wait` it continues once the limit allows it.
    on_limit: Literal["fail", "wait"]
    # How long a turn waits for a limit, a decision or a result before it fails. Default 86400.
    max_wait_seconds: int
    # The pin of the model that `generate_image` uses, one of the `image_models` of `GET /v1/models`. Default:
    # the first of them.
    image_model: str
    # Agents to which this agent can delegate tasks.
    subagents: Sequence[SubagentInput | Subagent]


class ManifestInputHistory(TypedDict, total=False):
    """The part of the conversation that the agent sees."""

    # The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of
    # them, so that the provider's cache helps. Default 20.
    max_turns: int
    # The maximum number of tokens of these turns together.
    max_tokens: int
    # True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later
    # turns see the summary. Default false: they are left out.
    summary: bool
    # The pin of the model that writes summaries. Default: the model of the turn.
    model: str


class ManifestInputTools(TypedDict):
    """How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt."""

    # `all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups
    # of tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the
    # default): `search` with more than 40 tools, or if they fill more than 10 % of the model's window.
    mode: Literal["auto", "all", "search"]


class _McpServerInput(TypedDict):
    name: str
    # The URL of the server's Streamable HTTP endpoint.
    url: str


class McpServerInput(_McpServerInput, total=False):
    """An MCP server. The agent can call its tools as `server__tool`."""

    # HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.
    headers: Mapping[str, str]
    # Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the
    # call. See Whom a tool acts for. Default `signed`.
    identity: Literal["signed", "none"]
    # Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn
    # continues without its tools, and `warnings` says so. Default true.
    required: bool
    # The tools that the agent can call, by the names that the server uses. Default: all tools.
    allowed_tools: Sequence[str]
    # For all tools of the server.
    approval: Literal["never", "always"] | ApprovalInputWhen | Approval
    # For some tools, by the names that the server uses. It replaces `approval`.
    approvals: Mapping[str, Literal["never", "always"] | ApprovalInputWhen | Approval]


class PortalTheme(TypedDict, total=False):
    """The object PortalTheme of a request."""

    # The colour of links, buttons and bars. Its contrast must be at least 4.5:1 on the background of the mode.
    # With `auto`, this is the light background. Default: the portal's own blue.
    accent: str
    # The accent on the dark background of the mode `auto`, with the same contrast. Default: `accent`, made as
    # light as needed.
    accent_dark: str
    # The https address of a picture, shown 24 pixels high.
    logo: str
    # `auto`: as the end user's system.
    mode: Literal["light", "dark", "auto"]


class PutManifestHistory(TypedDict, total=False):
    """The part of the conversation that the agent sees."""

    # The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of
    # them, so that the provider's cache helps. Default 20.
    max_turns: int
    # The maximum number of tokens of these turns together.
    max_tokens: int
    # True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later
    # turns see the summary. Default false: they are left out.
    summary: bool
    # The pin of the model that writes summaries. Default: the model of the turn.
    model: str


class PutManifestTools(TypedDict):
    """How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt."""

    # `all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups
    # of tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the
    # default): `search` with more than 40 tools, or if they fill more than 10 % of the model's window.
    mode: Literal["auto", "all", "search"]


class PutPriceRounding(TypedDict, total=False):
    """The object PutPriceRounding of a request."""

    to_usd: Decimal | float | str
    mode: Literal["up", "nearest", "down"]


class _PutToolRequest(TypedDict):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    # The URL. Placeholders are allowed only after the host.
    url: str


class PutToolRequest(_PutToolRequest, total=False):
    """The object PutToolRequest of a request."""

    # HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.
    headers: Mapping[str, str]
    # Query parameters. A parameter that is only a placeholder is left out if the input has no such value.
    query: Mapping[str, str]
    # The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value
    # itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the
    # input. The model neither sees nor fills a field whose value is taken from the turn, such as
    # `{{end_user.ref}}`.
    body: Any


class ReasoningInput(TypedDict):
    """How much the model reasons before it answers."""

    # `none`: no reasoning, as far as the model can do without it. `high`: most of the output may be reasoning.
    effort: Literal["none", "low", "medium", "high"]


class ResponseFormatInputJsonObject(TypedDict):
    """The object ResponseFormatInputJsonObject of a request."""

    type: Literal["json_object"]


class _ResponseFormatInputJsonSchema(TypedDict):
    type: Literal["json_schema"]
    # A name for the form, which the model may read.
    name: str
    # The JSON Schema of the result, of draft 4 to 2020-12. References stay within the schema. Patterns use RE2,
    # which has no look-arounds and no back-references.
    schema: Mapping[str, Any]


class ResponseFormatInputJsonSchema(_ResponseFormatInputJsonSchema, total=False):
    """The object ResponseFormatInputJsonSchema of a request."""

    # What the result is. The model reads it.
    description: str


class ResponseFormatInputText(TypedDict):
    """The object ResponseFormatInputText of a request."""

    type: Literal["text"]


class _SentFile(TypedDict):
    type: Literal["file"]


class SentFile(_SentFile, total=False):
    """A file of the space, or a new one, which becomes a file of the space."""

    # A file of the space.
    file_id: str
    # The public URL of a file of at most 20 MiB, which is loaded before the turn is accepted.
    url: str
    # The file itself, in base64.
    data: str
    # Of `data`. Default: by the name, or by the first bytes.
    media_type: str
    # The name of a file by `url` or `data`.
    name: str


class _SentMessageAssistant(TypedDict):
    role: Literal["assistant"]


class SentMessageAssistant(_SentMessageAssistant, total=False):
    """The object SentMessageAssistant of a request."""

    content: str | Sequence[SentMessageAssistantContent] | None
    # Calls of tools that the model has made.
    calls: Sequence[SentMessageAssistantCalls]


class SentMessageAssistantCalls(TypedDict):
    """The object SentMessageAssistantCalls of a request."""

    id: str
    name: str
    input: Mapping[str, Any]


class SentMessageAssistantContent(TypedDict):
    """The object SentMessageAssistantContent of a request."""

    type: Literal["text"]
    text: str


class SentMessageSystem(TypedDict):
    """The object SentMessageSystem of a request."""

    role: Literal["system", "developer"]
    content: str | Sequence[SentMessageSystemContent]


class SentMessageSystemContent(TypedDict):
    """The object SentMessageSystemContent of a request."""

    type: Literal["text"]
    text: str


class SentMessageTool(TypedDict):
    """The object SentMessageTool of a request."""

    role: Literal["tool"]
    # The results of calls of the assistant's message before it, in any order.
    results: Sequence[SentMessageToolResults]


class _SentMessageToolResults(TypedDict):
    id: str


class SentMessageToolResults(_SentMessageToolResults, total=False):
    """The object SentMessageToolResults of a request."""

    output: str
    error: str


class SentMessageUser(TypedDict):
    """The object SentMessageUser of a request."""

    role: Literal["user"]
    content: str | Sequence[SentMessageUserContent | SentFile]


class SentMessageUserContent(TypedDict):
    """The object SentMessageUserContent of a request."""

    type: Literal["text"]
    text: str


class SetRate(TypedDict, total=False):
    """Replaces the whole rate."""

    # The most turns that are accepted in a minute. Null: no limit.
    requests_per_minute: int | None
    # The most input tokens in a minute. A turn is accepted while the window has any left. It counts by an
    # estimate of its text, and from its end on by the tokens that its model calls had. Null: no limit.
    input_tokens_per_minute: int | None
    # The most turns that are queued or running at the same time. Null: no limit.
    concurrent_turns: int | None
    # What happens while the counters cannot be read. `open`: turns are accepted. `closed`: they are rejected
    # with 503 `UNAVAILABLE`. `concurrent_turns` is exact in both cases.
    fail: Literal["open", "closed"]


class _SubagentInput(TypedDict):
    name: str
    # When to use the sub-agent. The agent reads this text.
    description: str


class SubagentInput(_SubagentInput, total=False):
    """An agent to which the main agent can delegate tasks. Sub-agents cannot delegate."""

    # The sub-agent's system instructions.
    instructions: str
    # The pin of the sub-agent's model. Default: the model of the agent.
    model: str
    # The names of the tools that the sub-agent can call: `name`, `server__tool`, `server__*`, or a built-in
    # tool. Default: all tools of the agent.
    tools: Sequence[str]
    # The maximum number of model calls for one task. Default 16.
    max_steps: int
    max_output_tokens: int


class _ToolInput(TypedDict):
    name: str
    # What the tool does. The model reads this text.
    description: str
    # The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no
    # look-arounds and no back-references.
    input_schema: Mapping[str, Any]
    # The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them
    # in `turn.waiting` and sends their results.
    request: ToolInputRequest | None


class ToolInput(_ToolInput, total=False):
    """A tool of your own: a request to your API that the agent can make, or calls that your worker takes."""

    approval: Literal["never", "always"] | ApprovalInputWhen | Approval
    # Whether your server may respond with 202 and send the result later. Then each request carries
    # `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can
    # send it without an API key: `Authorization: Bearer`. Default false.
    answers_later: bool
    # Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the
    # call. See Whom a tool acts for. Default `signed`.
    identity: Literal["signed", "none"]
    # The time limit of one call, in seconds. Default 30.
    timeout_seconds: int


class _ToolInputRequest(TypedDict):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    # The URL. Placeholders are allowed only after the host.
    url: str


class ToolInputRequest(_ToolInputRequest, total=False):
    """The object ToolInputRequest of a request."""

    # HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`.
    headers: Mapping[str, str]
    # Query parameters. A parameter that is only a placeholder is left out if the input has no such value.
    query: Mapping[str, str]
    # The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value
    # itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the
    # input. The model neither sees nor fills a field whose value is taken from the turn, such as
    # `{{end_user.ref}}`.
    body: Any
