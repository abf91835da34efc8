import type { Argument, Arguments } from "./arguments.ts"
import { docstring } from "./text.ts"

/** A group of methods, such as `turnpike.turns`. */
export interface MethodGroup {
  name: string
  about: string
  /** The class with the methods that are written by hand, in client-python/src/turnpike_turns/_async. */
  base?: string
}

/** The groups by their path in the client, the inner ones first. A new group of operations needs a row here. */
export const NAMESPACES: Record<string, MethodGroup> = {
  "spaces.manifest": { name: "AsyncSpaceManifest", about: "The configuration of a space's agent." },
  "spaces.tools": {
    name: "AsyncSpaceTools",
    about: "REST tools of a space: requests to your own API that the agent can make.",
  },
  "spaces.mcpServers": { name: "AsyncSpaceMcpServers", about: "MCP servers whose tools the agent can call." },
  "spaces.secrets": {
    name: "AsyncSpaceSecrets",
    about: "Secret values of a space. Only names and dates are returned, and never values.",
  },
  "spaces.retention": { name: "AsyncSpaceRetention", about: "How long the data of a space is kept." },
  "spaces.versions": { name: "AsyncSpaceVersions", about: "All versions of a space's configuration." },
  spaces: { name: "AsyncSpaces", about: "Isolated agents, each with its own configuration, conversations and files." },
  files: {
    name: "AsyncFiles",
    about: "Files that you attach to turns, and files that agents create.",
    base: "AsyncFileActions",
  },
  turns: { name: "AsyncTurns", about: "Requests to a space's agent.", base: "AsyncTurnActions" },
  conversations: {
    name: "AsyncConversations",
    about: "Conversations of end users with agents.",
  },
  calls: {
    name: "AsyncCalls",
    about: "Tool calls that wait for a decision or for a result.",
    base: "AsyncCallActions",
  },
  webhooks: { name: "AsyncWebhooks", about: "Events posted to your server.", base: "WebhookVerifier" },
  deliveries: { name: "AsyncDeliveries", about: "The deliveries of events to webhooks, with every attempt." },
  events: { name: "AsyncEvents", about: "The feed of all events, to catch up with." },
  endUsers: { name: "AsyncEndUsers", about: "Your own customers: costs, limits, wallets, export and erasure." },
  prices: { name: "AsyncPrices", about: "The prices that you charge your end users, and their defaults." },
  usage: {
    name: "AsyncUsage",
    about: "Reports of billed amounts, in US dollars. They add up exactly to the ledger.",
    base: "AsyncUsageActions",
  },
  models: { name: "AsyncModels", about: "The models on which agents can run." },
  "": { name: "AsyncAccount", about: "All operations of a client." },
}

/** Operations whose bodies are not JSON. Their methods are written by hand. */
export const BY_HAND = new Set(["uploadFile", "getFileContent"])

interface Tools {
  signature: (list: readonly Argument[]) => string
  documented: (list: readonly Argument[]) => string[]
  KEY: Argument
  RETRIES: Argument
  TIMEOUT: Argument
  raises: string[]
}

interface Derived {
  /** The operation whose arguments it has. */
  from: string
  /** Query parameters that it has in addition. */
  kept?: readonly string[]
  /** An operation of its own, which lists the items of the answer. */
  constant?: string
  write: (given: Arguments, tools: Tools) => string
}

const LIMIT: Argument = {
  name: "timeout",
  type: "float | None",
  fallback: "None",
  doc: "The time limit of the whole call in seconds. Default: no limit.",
}
const ON_EVENT: Argument = {
  name: "on_event",
  type: "Callable[[TurnEvent], Awaitable[None] | None] | None",
  fallback: "None",
  doc: "Called with each event as it happens, including the agent's text (``text.delta``).",
}
const ON_WAITING: Argument = {
  name: "on_waiting",
  type: "Callable[[Turn], Awaitable[None] | None] | None",
  fallback: "None",
  doc: "Called each time the turn begins to wait: decide about its calls, send results, or raise its limit.",
}
const CANCEL: Argument = {
  name: "cancel_on_abort",
  type: "bool",
  fallback: "False",
  doc: "Cancels the turn if the time limit, an interrupt or a cancelled task ends the wait. Default: the turn continues and is billed.",
}

const args = (lines: string[]) => ["Args:", ...lines].join("\n")

/** Methods that have the arguments of an operation, and do more. */
export const DERIVED: readonly Derived[] = [
  {
    from: "createTurn",
    write({ body, sent }, { signature, documented, KEY, RETRIES, raises }) {
      const keywords = [...body, LIMIT, ON_EVENT, ON_WAITING, CANCEL, KEY, RETRIES]
      const doc = docstring(
        [
          "Sends a turn and waits until it is ``done``, ``failed`` or ``cancelled``.",
          "A failed turn is returned and not raised: check ``state`` and ``error.code``. With your own\n``idempotency_key``, a second call after a crash continues with the same turn.",
          args(documented(keywords)),
          ...raises.map((text) =>
            text.replace(
              "Raises:",
              'Raises:\n    APITimeoutError: The turn has not ended in time. ``details["turn_id"]`` is its id.',
            ),
          ),
          'Example:\n    turn = await turnpike.turns.run(space="spc_…", end_user_ref="customer-42", text="Where is my order?")\n    print(turn.result if turn.state == "done" else turn.error, turn.billed_cost_usd)',
        ],
        "        ",
      )
      return `    async def run(
        self,
        *,
${signature(keywords)}    ) -> Turn:
${doc}        body = ${lines(sent.body)}
        options = Options(idempotency_key, max_retries)
        return await self._run(body, options, timeout, on_event, on_waiting, cancel_on_abort)
`
    },
  },
  {
    from: "createTurn",
    write({ body, sent }, { signature, documented, KEY, RETRIES, TIMEOUT, raises }) {
      const keywords = [...body, KEY, RETRIES, TIMEOUT]
      const doc = docstring(
        [
          "Returns a stream of a turn's events. The turn is sent when the stream is first read.",
          "You get each event once and in order, even if the connection breaks.",
          args(documented(keywords)),
          ...raises,
          'Example:\n    stream = turnpike.turns.stream(space="spc_…", end_user_ref="customer-42", text="Tell me more.")\n    async for event in stream:\n        if event.type == "text.delta":\n            print(event.data["text"], end="")\n    turn = await stream.result()',
        ],
        "        ",
      )
      return `    def stream(
        self,
        *,
${signature(keywords)}    ) -> AsyncTurnStream:
${doc}        body = ${lines(sent.body)}
        return self._stream(body, Options(idempotency_key, max_retries, timeout))
`
    },
  },
  {
    from: "getUsage",
    constant: "GET_USAGE_GROUPS",
    write({ query, sent }, { signature, documented, RETRIES, TIMEOUT, raises }) {
      const keywords = [...query, RETRIES, TIMEOUT]
      const doc = docstring(
        [
          "Lists all groups of a report, and loads as many pages as necessary.",
          args(documented(keywords)),
          ...raises,
          'Example:\n    async for group in turnpike.usage.groups(group_by="end_user_ref"):\n        print(group.group, group.billed_usd)',
        ],
        "        ",
      )
      return `    def groups(
        self,
        *,
${signature(keywords)}    ) -> AsyncPager[UsageGroup]:
${doc}        sending = Input(query=${lines(sent.query)})
        return self._transport.pages(GET_USAGE_GROUPS, sending, Options(max_retries=max_retries, timeout=timeout))
`
    },
  },
  {
    from: "getUsage",
    kept: ["bom"],
    write({ query, sent }, { signature, documented, RETRIES, TIMEOUT, raises }) {
      const keywords = [...query, RETRIES, TIMEOUT]
      const doc = docstring(
        [
          "Downloads the whole report as CSV.",
          args(documented(keywords)),
          ...raises,
          'Example:\n    csv = await (await turnpike.usage.csv(group_by="day")).text()',
        ],
        "        ",
      )
      return `    async def csv(
        self,
        *,
${signature(keywords)}    ) -> AsyncDownload:
${doc}        query: dict[str, Any] = ${lines(sent.query)}
        return await self._csv(query, Options(max_retries=max_retries, timeout=timeout))
`
    },
  },
]

const lines = (dictionary: string) =>
  dictionary.replace("{", "{\n            ").replaceAll(", ", ",\n            ").replace(/\}$/, ",\n        }")
