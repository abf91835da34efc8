import * as z from "zod"
import { storedRow } from "../base/casts.ts"
import { timeInWords } from "../base/in-words.ts"
import { toUsd } from "../base/money.ts"
import { type Turn, turnSchema } from "../turns/schemas.ts"
import { serializeTurn, type TurnRow, waitOfEvent } from "../turns/turn-row.ts"
import {
  type BalanceReachedRow,
  balanceReachedSchema,
  type CapReachedRow,
  capReachedSchema,
  type EndUserBalanceRow,
  endUserBalanceReachedSchema,
  serializeBalanceReached,
  serializeCapReached,
  serializeEndUserBalanceReached,
} from "./account-events.ts"
import { ACTIVITY_RECORDED } from "./activity-event.ts"
import { CALL_DECIDED } from "./call-event.ts"
import { HOUR_CLOSED, USAGE_POSTED } from "./export-events.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { SERVER_FAILING, SPACE_SHARED } from "./space-notices.ts"
import { ANOMALY_FOUND, BUDGET_REACHED } from "./spending-notices.ts"
import { KNOWN_WHEN_QUEUED, KNOWN_WHEN_RUNNING, turnAsOf } from "./turn-as-of.ts"

/** Schemas of events that have their own names. Several types of event can share one. */
export type NamedForm = "TurnStateEvent" | "CapEvent" | "BalanceEvent" | "EndUserBalanceEvent"

type Data = { turn?: Turn; [name: string]: unknown }

/** The source of an event's data: the data in its row, and the row of its turn. */
interface Source {
  data: Record<string, unknown>
  held_credit_micros: number | null
  turn: TurnRow | null
  turn_id: string | null
}

/**
 * Declares a type of event. The lists of types, the schemas, the OpenAPI document, the guide, the
 * client's types and the labels of the web app are generated from the declarations.
 */
interface Declaration {
  /** Without it, the type has a schema of its own, named after the type. */
  form?: NamedForm
  /** The label in forms of the web app, and the summary in OpenAPI. */
  label: string
  /** When the event is sent, for the guide. Adjacent types with the same text share a row. */
  when: string
  data: z.ZodObject
  /** A notice to the account's owner. Only keys to all spaces see it. */
  isNotice?: true
  serialize(source: Source): Data
  /** The example of its data, made from the example of its schema. */
  example(made: Data): Data
  /** For events of a turn: the event's number in the example. */
  seq?: number
}

export const turnDataSchema = z.object({ turn: turnSchema.meta({ description: "The turn as it was at that moment." }) })

const turnEvent = (own: Pick<Declaration, "label" | "serialize" | "seq"> & { example: (done: Turn) => Turn }) => ({
  ...own,
  form: "TurnStateEvent" as const,
  when: "A turn has a new state. `data.turn` is the turn as it was then.",
  data: turnDataSchema,
  example: (made: Data) => ({ turn: own.example(made.turn as Turn) }),
})

/** An event of an open turn. Its row stores the amount that the turn held then. */
function openTurnEvent(state: "queued" | "running", known: readonly (keyof Turn)[], label: string, seq: number) {
  const asOf = (turn: Turn, held_usd: number) => turnAsOf(turn, known, { state, held_usd })
  return turnEvent({
    label,
    seq,
    serialize: ({ turn, data, held_credit_micros }) =>
      turn ? { turn: asOf(serializeTurn(turn), toUsd(held_credit_micros ?? 0)) } : data,
    example: (done) => asOf(done, 0.1),
  })
}

/** An event of a running turn that begins or ends to wait. */
function waitEvent(label: string, { when, example }: { when: string; example: Turn["waiting"] }) {
  const asOf = (turn: Turn, held_usd: number, waiting: Turn["waiting"]) =>
    turnAsOf(turn, KNOWN_WHEN_RUNNING, { state: "running", held_usd, waiting })
  return {
    ...turnEvent({
      label,
      seq: 5,
      serialize: ({ turn, data, held_credit_micros }) =>
        turn ? { turn: asOf(serializeTurn(turn), toUsd(held_credit_micros ?? 0), waitOfEvent(data)) } : data,
      example: (done) => asOf(done, 0.1, example),
    }),
    when,
  }
}

const endedTurnEvent = (label: string, seq: number, differs: Partial<Turn> = {}) =>
  turnEvent({
    label,
    seq,
    serialize: ({ turn, data }) => (turn ? { turn: serializeTurn(turn) } : data),
    example: (done) => ({ ...done, ...differs }),
  })

const balanceEvent = (own: Pick<Declaration, "label" | "when" | "example">) => ({
  ...own,
  form: "BalanceEvent" as const,
  data: balanceReachedSchema,
  serialize: ({ data }: Source) => ({ ...serializeBalanceReached(storedRow<BalanceReachedRow>(data)) }),
})

const endUserEvent = (own: Pick<Declaration, "label" | "when" | "example">) => ({
  ...own,
  form: "EndUserBalanceEvent" as const,
  data: endUserBalanceReachedSchema,
  serialize: ({ data }: Source) => ({ ...serializeEndUserBalanceReached(storedRow<EndUserBalanceRow>(data)) }),
})

type AccountEvent<Shape extends z.ZodRawShape> = Pick<Declaration, "label" | "when"> & {
  data: Shape
  example: z.input<z.ZodObject<Shape>>
}

/** An event whose data is shown as its procedure wrote it. */
const accountEvent = <Shape extends z.ZodRawShape>({ label, when, data, example }: AccountEvent<Shape>) => ({
  label,
  when,
  data: z.object(data),
  serialize: (source: Source) => source.data,
  example: () => example as Data,
})

const notice = <Shape extends z.ZodRawShape>(own: AccountEvent<Shape>) => ({
  ...accountEvent(own),
  isNotice: true as const,
})

/** An event that the account's other people, their keys and their webhooks do not get (is_own_notice). */
const ownNotice = <Shape extends z.ZodRawShape>({ when, ...own }: AccountEvent<Shape>) =>
  notice({
    ...own,
    when: `${when} It is for the account's own user: keys and webhooks get it if this user made them and is an owner.`,
  })

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"
const text = z.string()

export const EVENTS = {
  "turn.queued": openTurnEvent("queued", KNOWN_WHEN_QUEUED, "A turn was accepted", 1),
  "turn.running": openTurnEvent("running", KNOWN_WHEN_RUNNING, "A turn started to run", 2),
  "turn.waiting": waitEvent("A turn waits for a limit, a decision or a result", {
    when: "A turn waits. `data.turn.waiting` says for what, with the calls that you must decide about or answer. The state is still `running`.",
    example: {
      for: "approval",
      since: "2026-01-05T09:00:00.000Z",
      expires_at: "2026-01-06T09:00:00.000Z",
      limit: null,
      calls: [{ call: "0.0", tool: "refund", input: null, for: "approval" }],
    },
  }),
  "turn.resumed": waitEvent("A waiting turn continues", {
    when: "A turn that waited continues.",
    example: null,
  }),
  "turn.done": endedTurnEvent("A turn is done", 7),
  "turn.failed": endedTurnEvent("A turn has failed", 7, {
    state: "failed",
    status_reason: "MODEL_UNAVAILABLE",
    result: null,
    error: { code: "MODEL_UNAVAILABLE", message: "The model did not respond, even after retries.", details: null },
  }),
  "turn.cancelled": endedTurnEvent("A turn was cancelled", 4, {
    state: "cancelled",
    status_reason: "client",
    result: null,
  }),
  "call.decided": CALL_DECIDED,
  "balance.low": balanceEvent({
    label: "The balance is low",
    when:
      "The balance has fallen below `threshold_usd`. It is sent again only after the balance has been above this " +
      "threshold.",
    example: (made) => made,
  }),
  "balance.depleted": balanceEvent({
    label: "The balance is used up",
    when:
      "The balance is 0 or too low for any turn, so new turns get 402. It is sent again only after credit was " +
      "added.",
    example: () => ({ balance_usd: 0.25, held_usd: 0.25, available_usd: 0, threshold_usd: 0 }),
  }),
  "end_user.balance_low": endUserEvent({
    label: "An end user's credit is low",
    when:
      "The balance of an end user's wallet has fallen below its `threshold_usd`. It is sent again only after the balance has been " +
      "above this threshold.",
    example: (made) => made,
  }),
  "end_user.depleted": endUserEvent({
    label: "An end user's credit is used up",
    when:
      "The balance of an end user's wallet is 0 or too low for a turn, so the end user's turns get 402. It is sent again only after " +
      "credit was added.",
    example: (made) => ({ ...made, balance_usd: 0, held_usd: 0, available_usd: 0 }),
  }),
  "cap.reached": {
    form: "CapEvent" as const,
    label: "A threshold of a cap was reached",
    when:
      "50, 80 or 100 `percent` of the cap of a key or an end user is spent. Each is sent once per day, month or window, and " +
      "again after a change of the limit. 100 is also sent if the rest is too small for any turn. Then new turns get 429 until `resets_at`.",
    data: capReachedSchema,
    serialize: ({ data }: Source) => ({ ...serializeCapReached(storedRow<CapReachedRow>(data)) }),
    example: (made: Data) => made,
  },
  "activity.recorded": ACTIVITY_RECORDED,
  "usage.posted": accountEvent(USAGE_POSTED),
  "hour.closed": accountEvent(HOUR_CLOSED),
  "endpoint.disabled": accountEvent({
    label: "Another webhook was disabled",
    when: `One of your webhooks was disabled, because it returned 410 or failed for ${timeInWords(WEBHOOK_POLICY.disableAfterMs)}.`,
    data: { webhook_id: text, url: text, reason: z.enum(["gone", "failing"]) },
    example: { webhook_id: `whk_${ULID}`, url: "https://example.com/webhooks/old", reason: "gone" },
  }),
  "account.signed_in": ownNotice({
    label: "Sign-in from a new place",
    when: "A user has signed in to your account from a new address or browser.",
    data: { session_id: text, address: text.nullable(), user_agent: text.nullable() },
    example: { session_id: `ses_${ULID}`, address: "203.0.113.7", user_agent: "Mozilla/5.0" },
  }),
  "account.locked": ownNotice({
    label: "Sign-in was locked after wrong passwords",
    when: "After too many wrong passwords, your account accepts no password for a while. It is sent at most once per hour.",
    data: { address: text.nullable() },
    example: { address: "203.0.113.7" },
  }),
  "account.factor_changed": ownNotice({
    label: "A sign-in method was changed",
    when: "A password, an identity or a second factor of your account was set or removed.",
    data: { factor: z.enum(["password", "email", "identity", "second_factor"]), change: text },
    example: { factor: "second_factor", change: "set" },
  }),
  "key.created": notice({
    label: "An API key was created or rotated",
    when: "An API key was created or rotated.",
    data: { key_id: text, name: text.nullable(), scope: text, test: z.boolean(), hint: text, rotated: z.boolean() },
    example: { key_id: `key_${ULID}`, name: "Server", scope: "all", test: false, hint: "x7Qa", rotated: false },
  }),
  "key.revoked": notice({
    label: "An API key was revoked",
    when: "An API key was revoked. Requests with it get 401 from now on, and its open turns end.",
    data: { key_id: text, name: text.nullable(), scope: text, test: z.boolean(), hint: text },
    example: { key_id: `key_${ULID}`, name: "Server", scope: "all", test: false, hint: "x7Qa" },
  }),
  "refund.decided": notice({
    label: "A request for a refund was decided",
    when: "The operator has refunded a turn that you asked a refund for, or declined your request.",
    data: { turn_id: text, decision: z.enum(["refunded", "declined"]), answer: text },
    example: { turn_id: `turn_${ULID}`, decision: "refunded", answer: "Sorry for the outage of 14 January." },
  }),
  "anomaly.found": notice(ANOMALY_FOUND),
  "budget.reached": notice(BUDGET_REACHED),
  "mcp_server.failing": notice(SERVER_FAILING),
  "space.shared": notice(SPACE_SHARED),
  ping: accountEvent({
    label: "A test event, and the first event of a new webhook",
    when: "You requested a test, or the webhook must confirm its URL.",
    data: { webhook_id: text },
    example: { webhook_id: `whk_${ULID}` },
  }),
} satisfies Record<string, Declaration>

export type EventType = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** The types that an endpoint can subscribe to. A `ping` is sent only to the endpoint that requested it. */
export const EVENT_TYPES = EVENT_NAMES.filter((type) => type !== "ping") as [Exclude<EventType, "ping">]

export const declarationOf = (type: EventType): Declaration => EVENTS[type]

/** The name of a type in schemas and operations: KeyCreated for `key.created`. */
export const nameOfType = (type: EventType) =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())

/** The name of the schema of a type's events. */
export const formOf = (type: EventType): string => declarationOf(type).form ?? `${nameOfType(type)}Event`

export const typesOfForm = (form: string) => EVENT_NAMES.filter((type) => formOf(type) === form)
