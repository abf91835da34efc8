import * as z from "zod"
import {
  maxWaitSchema,
  onLimitSchema,
  reasoningSchema,
  settingsFields,
  temperatureSchema,
} from "../agent-config/manifest.ts"
import { askedFormatSchema, shownFormatSchema } from "../agent-config/response-format.ts"
import { endUserRef } from "../base/end-user-ref.ts"
import { metadataSchema } from "../base/metadata.ts"
import { usdIn, usdText } from "../base/money.ts"
import { refundOfTurn } from "../base/refunds.ts"
import { type CallerAsked, calledFields, callerFaults, callerFields } from "./caller-tools.ts"
import { filesIn, messagesSchema, newOrStored, type SentMessage, sentMessagesSchema } from "./messages.ts"
import { MESSAGE_POLICY, TURN_POLICY } from "./policies.ts"
import { providerDetailsSchema } from "./provider-details.ts"
import { waitingSchema } from "./waiting-schema.ts"

const instant = z.iso.datetime()

export const TURN_STATES = ["queued", "running", "done", "failed", "cancelled"] as const
export type TurnState = (typeof TURN_STATES)[number]

/** A limit of a turn's cost. */
export const maxCostSchema = usdIn(z.number().positive().max(1_000_000))

const text = (max: number) => z.string().min(1).max(max)

/** The text of a turn that is sent as one. */
export const turnText = text(100_000).refine((value) => value.trim() !== "", "must not be blank")

const firstFields = {
  space: z.string().min(1).max(64).meta({ description: "The `space_id` of the space that runs the turn." }),
  end_user_ref: endUserRef.meta({ description: "Your own id for your end user.", example: "customer-42" }),
  text: turnText.optional().meta({
    description: "The end user's message. Required without `messages` and `results`.",
    example: "Where is my order?",
  }),
}

const moreFields = {
  conversation: text(128)
    .optional()
    .meta({
      description:
        "A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A new name " +
        "starts a conversation for this space and end user. Default: one conversation for the space and " +
        "the end user. The turn always shows the id.",
    }),
  files: z
    .array(z.string().min(1).max(64))
    .max(MESSAGE_POLICY.files)
    .refine((ids) => new Set(ids).size === ids.length, "must name each file once")
    .optional()
    .meta({ description: "Ids of files of the space that the agent sees." }),
  model: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: "The model as a pin, `engine/model`. Default: the space's model." }),
  max_cost_usd: maxCostSchema.optional().meta({
    description:
      "The most that the turn can cost, in USD. This amount is held for it, as far as the balance and the caps allow. " +
      `Default: ${usdText(TURN_POLICY.defaultHold)} USD is held at first, and the hold grows while the turn runs.`,
    example: 0.1,
  }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .meta({
      description: `Timeout of the turn in seconds. Default: the manifest's timeout, or ${TURN_POLICY.timeoutSeconds}.`,
    }),
  max_output_tokens: settingsFields.max_output_tokens.meta({
    description:
      "The maximum number of output tokens of each call of the space's own agent, with reasoning, up to the limit of " +
      "the model. Default: as the manifest says.",
    example: 2_000,
  }),
  temperature: settingsFields.temperature.meta({ description: "Default: as the manifest says.", example: 0.2 }),
  reasoning: settingsFields.reasoning.meta({ description: "Default: as the manifest says." }),
  response_format: askedFormatSchema,
  stop: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(4)
    .optional()
    .meta({
      description:
        "Up to four sequences. The reply of the space's own agent ends before the first of them. Providers without such a setting write on, and " +
        "the rest is cut off.",
      example: ["END"],
    }),
  store: z
    .boolean()
    .optional()
    .meta({
      description:
        "False: the texts, messages, steps and events of the turn are deleted ten minutes after its end, when its webhooks are delivered. Its " +
        "bill stays, and so do its files. Default: true, and retention decides.",
    }),
  on_limit: onLimitSchema.optional(),
  max_wait_seconds: maxWaitSchema.optional(),
  metadata: metadataSchema.optional(),
}

type Said = CallerAsked & { messages?: SentMessage[] | undefined; files?: string[] | undefined }

/** A turn has a text, messages or results, and not too many files. */
export function checkSaid(asked: Said, { addIssue }: z.RefinementCtx): void {
  const { text, messages, results, files = [] } = asked
  for (const { at, message } of callerFaults(asked)) addIssue({ code: "custom", path: at, message })
  const added = newOrStored(messages ?? []).filter(({ file_id }) => file_id === undefined)
  if (new Set([...files, ...filesIn(messages ?? [])]).size + added.length > MESSAGE_POLICY.files) {
    const message = `and the messages must name at most ${MESSAGE_POLICY.files} files`
    addIssue({ code: "custom", path: ["files"], message })
  }
  if (messages === undefined) {
    if (text === undefined && results === undefined)
      addIssue({ code: "custom", path: ["text"], message: "is required without `messages` and `results`" })
  } else if (text !== undefined) {
    addIssue({ code: "custom", path: ["text"], message: "cannot be sent together with `messages`" })
  }
}

/** A turn whose files are stored. */
export const createTurnSchema = z
  .strictObject({ ...firstFields, messages: messagesSchema.optional(), ...callerFields, ...moreFields })
  .superRefine(checkSaid)

/** A turn as it is sent. Its messages may have new files. */
export const sentTurnSchema = z
  .strictObject({ ...firstFields, messages: sentMessagesSchema.optional(), ...callerFields, ...moreFields })
  .superRefine(checkSaid)
  .meta({ id: "CreateTurn" })

export type SentTurnBody = z.infer<typeof sentTurnSchema>

export type CreateTurn = z.infer<typeof createTurnSchema>

const outputSchema = z
  .object({ file_id: z.string(), name: z.string(), media_type: z.string(), bytes: z.int(), sha256: z.string() })
  .meta({ id: "Output" })

export type Output = z.infer<typeof outputSchema>

export const turnPriceSchema = z
  .object({ name: z.string().meta({ example: "standard" }), version: z.int().meta({ example: 3 }) })
  .meta({ id: "TurnPrice" })

export const turnSchema = z
  .object({
    turn_id: z.string().meta({ example: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    space: z.string().meta({ description: "The space that the turn runs in." }),
    end_user_ref: z.string().meta({ description: "Your own id for your end user." }),
    conversation: z
      .string()
      .meta({ description: "The conversation's id. Turns of one conversation run in order, one at a time." }),
    state: z.enum(TURN_STATES).meta({ description: "`done`, `failed` and `cancelled` are final." }),
    waiting: waitingSchema.nullable().meta({ description: "Why a running turn waits. Null: it does not wait." }),
    waits_behind: z.string().nullable().meta({
      description: "The earlier turn of the conversation that waits, if a queued turn cannot start because of it.",
      example: null,
    }),
    waits_behind_until: instant.nullable().meta({
      description: "When the queued turn is `cancelled` (`expired`) if that earlier turn still waits.",
      example: null,
    }),
    status_reason: z.string().nullable().meta({
      description:
        "Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null.",
    }),
    text: z.string().meta({
      description:
        `The end user's message. A turn with messages has the user's last text, at most ${MESSAGE_POLICY.textBytes} bytes; read them all with ` +
        "`GET /v1/turns/{turn_id}/messages`.",
    }),
    result: z
      .string()
      .nullable()
      .meta({ description: "The agent's reply. Null until the turn has ended, or without one." }),
    output: z.unknown().meta({
      description:
        "The value of the result, if the turn is done and has a `response_format` of JSON: it fits the schema. Otherwise null.",
      example: null,
    }),
    ...calledFields,
    truncated: z.boolean().meta({ description: "True if the reply of a done turn was cut off at an output limit." }),
    error: z
      .object({ code: z.string(), message: z.string(), details: providerDetailsSchema.nullable() })
      .nullable()
      .meta({
        description:
          "Why the turn failed: `MODEL_UNAVAILABLE`, `FILE_REJECTED`, `EMPTY_ANSWER`, `OUTPUT_INVALID`, `TIMEOUT_REACHED`, … Null in all other states. " +
          "`details` has the provider's words. It is null if no provider has caused the failure.",
      }),
    warnings: z
      .array(
        z.object({
          code: z.string().meta({ description: "`TOOLS_MISSING`: an optional MCP server did not answer." }),
          server: z.string(),
          message: z.string(),
        }),
      )
      .meta({
        description: "What the turn had to do without. It did not fail for that.",
        example: [{ code: "TOOLS_MISSING", server: "docs", message: 'The MCP server "docs" cannot be reached.' }],
      }),
    files: z.array(z.string()).meta({ description: "Ids of the files that were sent with the turn." }),
    outputs: z.array(outputSchema).meta({
      description:
        "The files that the agent made, once the turn is done. A turn that failed or was cancelled has the images that it is billed for.",
    }),
    billed_cost_usd: z.number().meta({ description: "Amount charged for the turn. 0 until it has ended." }),
    refunded_usd: refundOfTurn,
    price: turnPriceSchema.nullable().meta({
      description:
        "Your price for the end user and its version, as they were when the turn was accepted. Null: no price. Read the version with " +
        "`GET /v1/prices/{name}?version=`.",
    }),
    end_user_charge_usd: z
      .number()
      .nullable()
      .meta({
        description:
          "The amount that your end user is charged, by your price or from the end user's wallet. Null until the turn has ended, and for a turn " +
          "with neither. A test turn is charged to the test wallet, for its rehearsed cost. See [Prices and wallets](/docs/resale).",
        example: 0.0062,
      }),
    held_usd: z
      .number()
      .meta({ description: "Amount of your balance that is set aside for the turn until it ends.", example: 0 }),
    max_cost_usd: z.number().nullable().meta({
      description:
        "The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events of an open turn.",
      example: 0.1,
    }),
    on_limit: onLimitSchema.nullable().meta({
      description: "`fail` or `wait` at a limit, as sent. Null: the manifest of its space says it.",
      example: null,
    }),
    max_output_tokens: z.int().nullable().meta({
      description: "The most output tokens of each model call, as sent. Null: the manifest of its space says it.",
      example: 2_000,
    }),
    temperature: temperatureSchema.nullable().meta({
      description: "The temperature, as sent. Null: the manifest of its space says it.",
      example: null,
    }),
    reasoning: reasoningSchema.nullable().meta({
      description: "The effort of reasoning, as sent. Null: the manifest of its space says it.",
      example: { effort: "low" },
    }),
    response_format: shownFormatSchema,
    stop: z.array(z.string()).nullable().meta({
      description: "The sequences before which the reply ends, as sent. Null: none.",
      example: null,
    }),
    store: z.boolean().meta({ description: "False: the texts of the turn are deleted soon after its end." }),
    usage: z.object({
      model_calls: z.int().meta({ description: "Model calls of all agents of the turn." }),
      tool_calls: z.int().meta({ description: "Tool calls, including calls of built-in tools." }),
      tokens_input: z.int().meta({ description: "All prompt tokens, including cached tokens." }),
      tokens_cached: z.int().meta({ description: "The part of `tokens_input` that came from the provider's cache." }),
      tokens_output: z.int().meta({ description: "All tokens that models wrote, including reasoning." }),
      tokens_reasoning: z.int().meta({ description: "The reasoning in `tokens_output`. 0 if it is not counted." }),
    }),
    model: z.string().meta({ description: "The model that the turn runs on, as a pin." }),
    metadata: metadataSchema,
    test: z.boolean().meta({ description: "True if a test key sent the turn: it is rehearsed and free." }),
    traceparent: z.string().meta({
      description:
        "The turn's span in its trace (W3C Trace Context): the trace of the request's `traceparent`, or a new one. " +
        "See [Traces](/docs/traces).",
      example: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }),
    tracestate: z.string().nullable().meta({
      description: "The `tracestate` of the request. Null without one.",
      example: null,
    }),
    texts_deleted_at: instant.nullable().meta({
      description:
        "When the texts of the turn were deleted, because their time was over or the end user was erased. Then `text` is empty, `result` is null, " +
        "and the bill stays. Null while the texts are kept.",
      example: null,
    }),
    steps_deleted_at: instant.nullable().meta({
      description: "The same for the turn's steps and its log. Then it has no events. Null while they are kept.",
      example: null,
    }),
    created_at: instant,
    started_at: instant.nullable().meta({ description: "When the turn started to run. Null if it has not started." }),
    finished_at: instant.nullable().meta({ description: "When the turn ended. Null until then." }),
  })
  .meta({ id: "Turn" })

export type Turn = z.infer<typeof turnSchema>
