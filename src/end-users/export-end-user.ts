import { sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { type FileRow, fileJson, fileSchema, serializeFile } from "../files/serialize-file.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { toInstant } from "../time.ts"
import { turnEventSchema, turnSchema } from "../turns/schemas.ts"
import type { StepRow } from "../turns/step-row.ts"
import { serializeTurnEvent, type TurnEventRow } from "../turns/turn-event.ts"
import { serializeTurn, type TurnRow, turnJson } from "../turns/turn-row.ts"
import { ownedBy, serializeEndUser } from "./end-user-row.ts"
import { getEndUser } from "./get-end-user.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { endUserSchema } from "./schemas.ts"

const exportedTurnSchema = turnSchema
  .extend({
    idempotency_key: z.string(),
    conversation_name: z.string(),
    erased_at: z.iso.datetime().nullable(),
    events: z.array(turnEventSchema),
    steps: z.array(z.record(z.string(), z.unknown())).meta({
      description: "Its model calls: what the model said, which tools it called, and what they answered.",
    }),
    file_details: z.array(fileSchema.extend({ content: z.string() })).meta({
      description: "The files that were sent with it and that its agent made; `content` is where their bytes are.",
    }),
    tasks: z.array(z.record(z.string(), z.unknown())),
    images: z
      .array(
        z.object({
          step: z.int(),
          name: z.string().meta({ example: "chart.png" }),
          media_type: z.string(),
          base64: z.string(),
        }),
      )
      .meta({ description: "What tools answered as images." }),
  })
  .meta({ id: "ExportedTurn" })

export const exportSchema = z
  .object({
    exported_at: z.iso.datetime(),
    end_user: endUserSchema,
    turns: z.array(exportedTurnSchema).meta({ description: "Oldest first." }),
  })
  .meta({ id: "EndUserExport" })

interface ExportRow {
  turn: TurnRow
  conversation_name: string
  events: TurnEventRow[]
  steps: (StepRow & { created_at: string })[]
  files: FileRow[]
  tasks: JsonRow<"tasks">[]
}

/**
 * Everything that is known of an end user, as far as the key can see it, as one JSON document in pieces. NOT_FOUND before the
 * first of them.
 */
export async function exportEndUser(
  ctx: Context,
  credential: Credential,
  ref: string,
): Promise<AsyncGenerator<string>> {
  const endUser = serializeEndUser(await getEndUser(ctx, credential, ref))
  const head = JSON.stringify({ exported_at: ctx.clock.now().toISOString(), end_user: endUser })
  return (async function* () {
    yield `${head.slice(0, -1)},"turns":[`
    let after = ""
    for (let first = true, more = true; more; ) {
      const page = await exportPage(ctx, credential, { ref, after })
      for (const row of page.rows) {
        yield* exportedTurn(ctx, row, first)
        first = false
      }
      after = page.rows.at(-1)?.turn.turn_id ?? after
      more = page.more
    }
    yield "]}"
  })()
}

async function exportPage(
  ctx: Context,
  credential: Credential,
  { ref, after }: { ref: string; after: string },
): Promise<{ rows: ExportRow[]; more: boolean }> {
  const { row } = await queryAs<{ found: number; rows: ExportRow[] }>(ctx, credential, {
    select: sql`select count(*)::integer as found, coalesce(jsonb_agg(page.detail order by page.place)
        filter (where page.place = 1 or page.bytes_so_far <= ${ERASURE_POLICY.exportBytes}::integer), '[]') as rows
      from (
        select found.*, row_number() over by_id as place,
          sum(octet_length(to_json(found.detail::text)::text)) over by_id as bytes_so_far
        from (
          select t.turn_id, jsonb_build_object('turn', ${turnJson}, 'conversation_name', c.name,
            'events', (select jsonb_agg(to_jsonb(v) order by v.seq) from turn_events v where v.turn_id = t.turn_id),
            'steps', coalesce((select jsonb_agg(jsonb_build_object('step', p.step, 'agent', p.agent, 'text', p.text,
              'content', p.content, 'finish', p.finish, 'results', p.results, 'created_at', p.created_at) order by p.step)
              from turn_steps p where p.turn_id = t.turn_id), '[]'),
            'files', coalesce((select jsonb_agg(${fileJson} order by f.file_id collate "C") from files f
              where f.state = 'ready' and f.file_id in (
                select made.file_id from files made where made.turn_id = t.turn_id
                union select jsonb_array_elements_text(t.file_ids))), '[]'),
            'tasks', coalesce((select jsonb_agg(to_jsonb(k) order by k.task_id) from tasks k where k.turn_id = t.turn_id), '[]')
          ) as detail
          from turns t join spaces s on s.space_id = t.space_id join conversations c on c.conversation_id = t.conversation_id,
            caller
          where ${ownedBy("t")} and t.end_user_ref = ${ref} and ${inScope} and t.turn_id collate "C" > ${after}
          order by t.turn_id collate "C" limit ${ERASURE_POLICY.exportTurns}::integer
        ) found
        window by_id as (order by found.turn_id collate "C")
      ) page`,
  })
  return { rows: row.rows, more: row.found === ERASURE_POLICY.exportTurns || row.rows.length < row.found }
}

async function* exportedTurn(ctx: Context, row: ExportRow, first: boolean): AsyncGenerator<string> {
  const { turn, conversation_name, events, steps, files, tasks } = row
  const { idempotency_key, erased_at } = turn
  const whole = {
    ...serializeTurn(turn),
    idempotency_key,
    conversation_name,
    erased_at: toInstant(erased_at),
    events: events.map(serializeTurnEvent),
    steps: steps.map((step) => ({ ...withoutKeys(step), created_at: toInstant(step.created_at) })),
    file_details: files.map((file) => ({ ...serializeFile(file), content: `/v1/files/${file.file_id}/content` })),
    tasks: tasks.map(serializeTask),
  }
  yield `${first ? "" : ","}${JSON.stringify(whole).slice(0, -1)},"images":[`
  let images = 0
  for (const image of imagesOf(row)) {
    // One at a time: they are too large to be in memory together.
    const object = await ctx.files.get(image.objectKey)
    if (!object) continue
    const base64 = Buffer.from(await object.arrayBuffer()).toString("base64")
    const { step, name, mediaType: media_type } = image
    yield `${images++ > 0 ? "," : ""}${JSON.stringify({ step, name, media_type, base64 })}`
  }
  yield "]}"
}

/** Objects of the bucket that tools answered and that are no files: the images of MCP servers. */
function imagesOf({ turn, steps, files }: ExportRow) {
  const known = new Set(files.map(({ object_key }) => object_key))
  return steps.flatMap(({ step, results }) =>
    Object.values(results).flatMap((output) => {
      const parts = output.type === "parts" ? output.value : []
      return parts.flatMap((part) => {
        const isOwn = part.type === "object" && part.objectKey.startsWith(`turns/${turn.turn_id}/`)
        return isOwn && !known.has(part.objectKey) ? [{ ...part, step }] : []
      })
    }),
  )
}

/** Where objects are in the bucket is our own business. */
function withoutKeys<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === "objectKey" ? undefined : item)))
}

function serializeTask(task: JsonRow<"tasks">) {
  const { task_id, state, title, description, flow, created_at, updated_at } = task
  return {
    task_id,
    state,
    title,
    description,
    flow,
    created_at: toInstant(created_at),
    updated_at: toInstant(updated_at),
  }
}
