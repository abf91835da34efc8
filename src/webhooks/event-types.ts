import * as z from "zod"
import { timeInWords } from "../base/in-words.ts"
import { toUsd } from "../base/money.ts"
import { type Turn, turnSchema } from "../turns/schemas.ts"
import { serializeTurn, type TurnRow } from "../turns/turn-row.ts"
import {
  type BalanceReachedRow,
  balanceReachedSchema,
  type CapReachedRow,
  capReachedSchema,
  serializeBalanceReached,
  serializeCapReached,
} from "./account-events.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { KNOWN_WHEN_QUEUED, KNOWN_WHEN_RUNNING, turnAsOf } from "./turn-as-of.ts"

/** The schemas of events. Clients know these four: a new type is an AccountEvent. */
export type EventForm = "TurnStateEvent" | "CapEvent" | "BalanceEvent" | "AccountEvent"

type Data = { turn?: Turn; [name: string]: unknown }

/** What an event's data is made of: what its row keeps, and the row of its turn. */
interface Source {
  data: Record<string, unknown>
  held_credit_micros: number | null
  turn: TurnRow | null
}

/**
 * A type of event. The lists of types, the forms of events, the OpenAPI document, the guide, the client's types and the labels of the
 * web app are made of these.
 */
interface Declaration {
  form: EventForm
  /** For a form of the web app, and the summary in OpenAPI. */
  label: string
  /** When it is sent, for the guide. Types that follow each other and say the same share a row. */
  when: string
  data: z.ZodObject
  /** A notice to the account's owner, which only keys to all spaces see. */
  isNotice?: true
  serialize(source: Source): Data
  /** Its data as an example, made of the example of its schema. */
  example(made: Data): Data
  /** Of an event that belongs to a turn: its number in the example. */
  seq?: number
}

export const turnDataSchema = z.object({ turn: turnSchema.meta({ description: "As it was at that moment." }) })

const turnEvent = (own: Pick<Declaration, "label" | "serialize" | "seq"> & { example: (done: Turn) => Turn }) => ({
  ...own,
  form: "TurnStateEvent" as const,
  when: "A turn has a new state. `data.turn` is the turn as it was then.",
  data: turnDataSchema,
  example: (made: Data) => ({ turn: own.example(made.turn as Turn) }),
})

/** An event of a turn that is open. Its row keeps what the turn held then. */
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
  serialize: ({ data }: Source) => ({ ...serializeBalanceReached(data as unknown as BalanceReachedRow) }),
})

type AccountEvent<Shape extends z.ZodRawShape> = Pick<Declaration, "label" | "when"> & {
  data: Shape
  example: z.input<z.ZodObject<Shape>>
}

/** An event whose data is what its procedure wrote. */
const accountEvent = <Shape extends z.ZodRawShape>({ label, when, data, example }: AccountEvent<Shape>) => ({
  label,
  when,
  form: "AccountEvent" as const,
  data: z.strictObject(data),
  serialize: (source: Source) => source.data,
  example: () => example as Data,
})

const notice = <Shape extends z.ZodRawShape>(own: AccountEvent<Shape>) => ({
  ...accountEvent(own),
  isNotice: true as const,
})

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"
const text = z.string()

/** A list that can be long. */
const named = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .max(WEBHOOK_POLICY.mostNamed)
    .meta({ description: `at most ${WEBHOOK_POLICY.mostNamed}` })

export const EVENTS = {
  "turn.queued": openTurnEvent("queued", KNOWN_WHEN_QUEUED, "A turn was accepted", 1),
  "turn.running": openTurnEvent("running", KNOWN_WHEN_RUNNING, "A turn has begun to run", 2),
  "turn.done": endedTurnEvent("A turn is done", 7),
  "turn.failed": endedTurnEvent("A turn has failed", 7, {
    state: "failed",
    status_reason: "MODEL_UNAVAILABLE",
    result: null,
    error: { code: "MODEL_UNAVAILABLE", message: "The model did not answer, also when it was asked again." },
  }),
  "turn.cancelled": endedTurnEvent("A turn was cancelled", 4, {
    state: "cancelled",
    status_reason: "client",
    result: null,
  }),
  "balance.low": balanceEvent({
    label: "The balance is below its alert",
    when:
      "The balance has fallen below `threshold_usd`. It is sent again only when the balance has been above it " +
      "since.",
    example: (made) => made,
  }),
  "balance.depleted": balanceEvent({
    label: "The balance is used up",
    when:
      "The balance is 0, or too low for any turn: new turns get 402. It is sent again only after credit was " +
      "added.",
    example: () => ({ balance_usd: 0.25, held_usd: 0.25, available_usd: 0, threshold_usd: 0 }),
  }),
  "cap.reached": {
    form: "CapEvent" as const,
    label: "A share of a cap is spent",
    when:
      "50, 80 or 100 `percent` of a cap of a key or of one of your customers are spent. Each is sent once in a day, month or window, and " +
      "again when the limit was changed. 100 is also sent when what is left is too little for any turn: new turns get 429 until `resets_at`.",
    data: capReachedSchema,
    serialize: ({ data }: Source) => ({ ...serializeCapReached(data as unknown as CapReachedRow) }),
    example: (made: Data) => made,
  },
  "endpoint.disabled": accountEvent({
    label: "Another webhook was disabled",
    when: `One of your webhooks was switched off, because it answered 410 or failed for ${timeInWords(WEBHOOK_POLICY.disableAfterMs)}.`,
    data: { webhook_id: text, url: text, reason: z.enum(["gone", "failing"]) },
    example: { webhook_id: `whk_${ULID}`, url: "https://example.com/webhooks/old", reason: "gone" },
  }),
  "account.signed_in": notice({
    label: "Somebody has signed in from a new place",
    when: "Somebody has signed in to your account from an address or a browser that is new to it.",
    data: { session_id: text, address: text.nullable(), user_agent: text.nullable() },
    example: { session_id: `ses_${ULID}`, address: "203.0.113.7", user_agent: "Mozilla/5.0" },
  }),
  "account.locked": notice({
    label: "Sign-in is locked after wrong passwords",
    when: "After too many wrong passwords your account takes none for a while. Sent at most once an hour.",
    data: { address: text.nullable() },
    example: { address: "203.0.113.7" },
  }),
  "account.factor_changed": notice({
    label: "A factor of the sign-in was changed",
    when: "A password, an identity or a second factor of your account was set or removed.",
    data: { factor: z.enum(["password", "email", "identity", "second_factor"]), change: text },
    example: { factor: "second_factor", change: "set" },
  }),
  "key.created": notice({
    label: "An API key was created or rotated",
    when: "An API key was created, or got a new value.",
    data: { key_id: text, name: text.nullable(), scope: text, test: z.boolean(), hint: text, rotated: z.boolean() },
    example: { key_id: `key_${ULID}`, name: "Server", scope: "all", test: false, hint: "x7Qa", rotated: false },
  }),
  "space.shared": notice({
    label: "More people see spaces of the account",
    when: "More people than before see and use spaces of yours: an operator has put them or a space into a workspace, or into its team.",
    data: {
      spaces: named(z.strictObject({ space: text, title: text.nullable() })),
      space_count: z.int(),
      people: named(z.strictObject({ user_id: z.int(), name: text.nullable() })),
      people_count: z.int(),
    },
    example: {
      spaces: [{ space: `spc_${ULID}`, title: "Support desk" }],
      space_count: 1,
      people: [{ user_id: 43, name: "Grace" }],
      people_count: 1,
    },
  }),
  ping: accountEvent({
    label: "A test of the webhook, and the first message to a new one",
    when: "You asked for a test.",
    data: { webhook_id: text },
    example: { webhook_id: `whk_${ULID}` },
  }),
} satisfies Record<string, Declaration>

export type EventType = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** The types that an endpoint can subscribe to. A `ping` goes only to the endpoint that asked for it. */
export const EVENT_TYPES = EVENT_NAMES.filter((type) => type !== "ping") as [Exclude<EventType, "ping">]

export const typesOfForm = (form: EventForm) => EVENT_NAMES.filter((type) => EVENTS[type].form === form)

export const declarationOf = (type: EventType): Declaration => EVENTS[type]
