import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Answers } from "../platform/procedures.ts"
import { MOST_KEPT_DAYS } from "../settings/registry.ts"
import { throwRefusedChange } from "../spaces/change-config.ts"

const days = z.int().min(1).max(MOST_KEPT_DAYS)
const keptDays = z.object({ text_days: days, step_days: days, event_days: days, attempt_days: days })
const ownDays = keptDays.partial()
const KINDS = keptDays.keyof().options

const MEANINGS = {
  text_days: "Texts of a turn: request, reply, error message and metadata.",
  step_days: "Steps of a turn and its log.",
  event_days: "Events of turns, with their deliveries. An event that is still being sent is kept longer.",
  attempt_days: "Attempts of deliveries.",
}

export const putRetentionSchema = z
  .strictObject({
    text_days: days.optional().meta({ description: MEANINGS.text_days, example: 30 }),
    step_days: days.optional().meta({ description: MEANINGS.step_days, example: 7 }),
    event_days: days.optional().meta({ description: MEANINGS.event_days }),
    attempt_days: days.optional().meta({ description: MEANINGS.attempt_days }),
  })
  .meta({
    id: "PutRetention",
    description: "Days after the end of a turn. A field that you leave out has no days of its own.",
  })

export const retentionSchema = z
  .object({
    own: ownDays.meta({ description: "The days that the space has set.", example: { text_days: 30 } }),
    service: keptDays.meta({
      description: "The days of the service, which apply to all spaces.",
      example: { text_days: 730, step_days: 90, event_days: 400, attempt_days: 30 },
    }),
    kept: keptDays.meta({
      description: "The days that apply: for each kind, the fewer of both.",
      example: { text_days: 30, step_days: 90, event_days: 400, attempt_days: 30 },
    }),
  })
  .meta({ id: "Retention" })

export type Retention = z.infer<typeof retentionSchema>

function serializeRetention(row: Answers["retention_answer"]): Retention {
  const own = row.own as Retention["own"]
  const service = row.service as Retention["service"]
  const kept = Object.fromEntries(KINDS.map((kind) => [kind, Math.min(own[kind] ?? MOST_KEPT_DAYS, service[kind])]))
  return { own, service, kept: kept as Retention["kept"] }
}

/** How long the data of a space's turns is kept. Throws NOT_FOUND. */
export async function getRetention(ctx: Context, credential: Credential, spaceId: string): Promise<Retention> {
  const { row } = await callAs(ctx, credential, "get_retention", { slug: spaceId })
  throwRefusedChange(spaceId, row)
  return serializeRetention(row.retention as Answers["retention_answer"])
}

export const PUT_RETENTION_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "SPACE_ROLE_REQUIRED"] as const

/** Sets the days of a space, all at once. Throws NOT_FOUND, SPACE_ROLE_REQUIRED, SPACE_ARCHIVED. */
export async function putRetention(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  days: z.infer<typeof putRetentionSchema>,
): Promise<Retention> {
  const { row } = await callAs(ctx, credential, "put_retention", { slug: spaceId, days })
  throwRefusedChange(spaceId, row)
  return serializeRetention(row.retention as Answers["retention_answer"])
}
