import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { callsOf, type ToolOutput } from "../agent/engine.ts"
import { storedRows } from "../base/casts.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { turnNotFound } from "./get-turn.ts"
import { meantCall } from "./meant-call.ts"
import { TURN_POLICY } from "./policies.ts"
import type { StepRow } from "./step-row.ts"
import { visibleTurn } from "./visible-turn.ts"

const toolOutputSchema = z
  .object({
    is_error: z.boolean().meta({ example: false }),
    text: z.string().meta({ description: "The text that the model got.", example: '{"state":"shipped"}' }),
    objects: z
      .array(z.object({ name: z.string().meta({ example: "chart.png" }), media_type: z.string(), bytes: z.int() }))
      .meta({ description: "Images and other binary parts." }),
  })
  .meta({ id: "ToolOutput" })

export const turnStepSchema = z
  .object({
    step: z.int().meta({ description: "The step's number: from 0, over all agents of the turn.", example: 0 }),
    agent: z.string().nullable().meta({
      description:
        "The tool call (`step.call`) that a sub-agent works for, or `summary:…` for the summary of earlier turns. Null for the space's own agent.",
      example: null,
    }),
    subagent: z
      .string()
      .nullable()
      .meta({ description: "The sub-agent's name. Null for the space's own agent.", example: null }),
    model: z.string().nullable().meta({ description: "The model of the step, as a pin. Null in old turns." }),
    text: z.string().meta({ description: "The text that the model wrote.", example: "I look it up." }),
    finish: z.string().meta({
      description:
        "Why the answer ended: `stop`, `length`, `tool-calls`, `more`, `paused`, `refused`, `filtered`, `error`, `other`, " +
        "`empty` if it has neither text nor a call, or `aborted` if the call was cut off.",
      example: "tool-calls",
    }),
    tool_calls: z
      .array(
        z.object({
          call: z.int().meta({ description: "The call's number in the step, as in the events.", example: 0 }),
          name: z.string().meta({ example: "lookup_order" }),
          input: z.unknown().meta({ description: "The input that the model gave.", example: { id: "A-1" } }),
          output: toolOutputSchema.nullable().meta({ description: "The tool's output. Null until it has answered." }),
        }),
      )
      .meta({ description: "The tool calls of the step, with input and output." }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "TurnStep" })

/** The columns of turn_steps, as `p`, that a step is made of. */
export const STEP_COLUMNS = [
  "p.step",
  "p.agent",
  "p.subagent",
  "p.model",
  "p.text",
  "p.finish",
  "p.content",
  "p.results",
  "p.created_at",
] as const

export type ListedStep = Omit<StepRow, "agent"> &
  Pick<JsonRow<"turn_steps">, "agent" | "subagent" | "model" | "created_at">

export function serializeStep(row: ListedStep): z.infer<typeof turnStepSchema> {
  const { step, agent, subagent, model, text, finish, content, results, created_at } = row
  const tool_calls = callsOf(content).map(({ toolName, input }, call) => {
    const output = results[call]
    const meant = meantCall(toolName, input)
    return { call, name: meant.name, input: meant.input, output: output ? serializeOutput(output) : null }
  })
  return { step, agent, subagent, model, text, finish, tool_calls, created_at: toInstant(created_at) }
}

function serializeOutput(output: ToolOutput): z.infer<typeof toolOutputSchema> {
  const is_error = output.type === "error"
  if (output.type !== "parts") return { is_error, text: output.value, objects: [] }
  const texts = output.value.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const objects = output.value.flatMap((part) =>
    part.type === "object" ? [{ name: part.name, media_type: part.mediaType, bytes: part.bytes }] : [],
  )
  return { is_error, text: texts.join("\n"), objects }
}

/** A turn's committed steps, oldest first, with their total. A page with long texts may be shorter than its limit. */
export async function listSteps(
  ctx: Context,
  credential: SessionCredential,
  { turnId, limit, offset }: { turnId: string; limit: number; offset: number },
): Promise<{ steps: ListedStep[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    visibleTurn(db, turnId).select((turn) => {
      const steps = turn.selectFrom("turn_steps as p").whereRef("p.turn_id", "=", "t.turn_id")
      const page = steps.select(STEP_COLUMNS).orderBy("p.step").limit(limit).offset(offset)
      const sized = turn
        .selectFrom(page.as("p"))
        .selectAll("p")
        .select(({ ref }) =>
          sql<number>`coalesce(sum(octet_length(${ref("p.text")}) + octet_length(${ref("p.content")}::text)
            + octet_length(${ref("p.results")}::text)) over (order by ${ref("p.step")} rows between unbounded preceding
            and 1 preceding), 0)`.as("bytes_before"),
        )
      const fitting = turn
        .selectFrom(sized.as("page"))
        .selectAll("page")
        .where("page.bytes_before", "<", TURN_POLICY.answerBytes)
        .orderBy("page.step")
      return [
        steps.select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("total")).as("total"),
        jsonArrayFrom(fitting).as("steps"),
      ]
    }),
  )
  if (!rows[0]) throw turnNotFound(turnId)
  return { steps: storedRows<ListedStep>(rows[0].steps), total: rows[0].total ?? 0 }
}
