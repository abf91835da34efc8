import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { isOfScope, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { plainJson } from "../base/plain-json.ts"
import { toInstant } from "../base/time.ts"
import { type FileRow, fileSchema, serializeFile } from "../files/serialize-file.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { type CallerTool, callerFields } from "../turns/caller-tools.ts"
import { turnEventSchema } from "../turns/event-schema.ts"
import { fileIdsIn } from "../turns/list-turn-files.ts"
import { type TurnMessage, turnMessagesSchema } from "../turns/messages.ts"
import { turnSchema } from "../turns/schemas.ts"
import { type StepRow, stepRowOf } from "../turns/step-row.ts"
import { serializeTurnEvent, type TurnEventRow } from "../turns/turn-event.ts"
import { serializeTurn, type TurnRow } from "../turns/turn-row.ts"
import { getEndUser, serializeEndUser } from "./get-end-user.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { findProfile } from "./profile.ts"
import { profileSchema } from "./profile-schemas.ts"
import { endUserSchema } from "./schemas.ts"

const exportedTurnSchema = turnSchema
  .extend({
    idempotency_key: z.string(),
    conversation_name: z.string(),
    erased_at: z.iso.datetime().nullable(),
    messages: turnMessagesSchema.shape.messages.nullable().meta({
      description: "The messages of the turn. Null: it was sent as one text, or its texts are deleted.",
    }),
    tools: callerFields.tools
      .unwrap()
      .nullable()
      .meta({ description: "The tools of its caller. Null: it had none, or its texts are deleted." }),
    events: z.array(turnEventSchema),
    steps: z.array(z.record(z.string(), z.unknown())).meta({
      description: "The turn's model calls: the model's output, its tool calls, and their results.",
    }),
    file_details: z.array(fileSchema.extend({ content: z.string() })).meta({
      description:
        "Files that were sent with the turn, and files that its agent created. `content` is the path of the bytes.",
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
      .meta({ description: "Images that tools returned." }),
  })
  .meta({ id: "ExportedTurn" })

export const exportSchema = z
  .object({
    exported_at: z.iso.datetime(),
    end_user: endUserSchema,
    profile: profileSchema.nullable().meta({ description: "Null: the key cannot access the whole account." }),
    turns: z.array(exportedTurnSchema).meta({ description: "Oldest first." }),
  })
  .meta({ id: "EndUserExport" })

interface ExportRow extends TurnRow {
  conversation_name: string
  messages: TurnMessage[] | null
  tools: CallerTool[] | null
  events: TurnEventRow[]
  steps: (StepRow & { created_at: string })[]
  files: FileRow[]
  tasks: JsonRow<"tasks">[]
}

/**
 * All data of an end user that the caller can access, as one JSON document in pieces. Throws NOT_FOUND before the
 * first piece.
 */
export async function exportEndUser(
  ctx: Context,
  credential: Credential,
  ref: string,
): Promise<AsyncGenerator<string>> {
  const endUser = await serializeEndUser(ctx, await getEndUser(ctx, credential, ref))
  const profile = await findProfile(ctx, credential, ref)
  const head = plainJson({ exported_at: ctx.clock.now().toISOString(), end_user: endUser, profile })
  return (async function* () {
    yield `${head.slice(0, -1)},"turns":[`
    let after = ""
    for (let first = true, more = true; more; ) {
      const page = await exportPage(ctx, credential, { ref, after })
      for (const row of page.rows) {
        yield* exportedTurn(ctx, row, { first, contentOf: contentFor(credential) })
        first = false
      }
      after = page.rows.at(-1)?.turn_id ?? after
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
  const { rows } = await readAs(ctx, credential, (db) => {
    const found = db
      .selectFrom("turns as t")
      .innerJoin("spaces as s", "s.space_id", "t.space_id")
      .innerJoin("conversations as c", "c.conversation_id", "t.conversation_id")
      .where((eb) => eb("t.user_id", "=", eb.selectFrom("caller").select("caller.user_id")))
      .where((eb) => eb("t.test", "=", eb.selectFrom("caller").select("caller.test")))
      .where("t.end_user_ref", "=", ref)
      .where((eb) => isOfScope(eb.ref("t.space_id")))
      .where((eb) => sql`${eb.ref("t.turn_id")} collate "C" > ${after}`)
      .selectAll("t")
      .select(["s.slug as space", "c.name as conversation_name"])
      .select((turn) => [
        jsonArrayFrom(
          turn.selectFrom("turn_log as v").whereRef("v.turn_id", "=", "t.turn_id").selectAll("v").orderBy("v.seq"),
        ).as("events"),
        turn
          .selectFrom("turn_messages as m")
          .whereRef("m.turn_id", "=", "t.turn_id")
          .select("m.messages")
          .as("messages"),
        turn.selectFrom("turn_tools as o").whereRef("o.turn_id", "=", "t.turn_id").select("o.tools").as("tools"),
        jsonArrayFrom(
          turn
            .selectFrom("turn_steps as p")
            .whereRef("p.turn_id", "=", "t.turn_id")
            .select(["p.step", "p.agent", "p.text", "p.content", "p.finish", "p.results", "p.created_at"])
            .orderBy("p.step"),
        ).as("steps"),
        jsonArrayFrom(
          turn
            .selectFrom("files as f")
            .where("f.state", "=", "ready")
            .where("f.file_id", "in", (eb) =>
              eb
                .selectFrom("files as made")
                .whereRef("made.turn_id", "=", "t.turn_id")
                .select("made.file_id")
                .union(eb.selectFrom(fileIdsIn(turn.ref("t.file_ids"))).select("sent.file_id")),
            )
            .selectAll("f")
            .select("s.slug as space")
            .orderBy("f.file_id", (order) => order.collate("C")),
        ).as("files"),
        jsonArrayFrom(
          turn.selectFrom("tasks as k").whereRef("k.turn_id", "=", "t.turn_id").selectAll("k").orderBy("k.task_id"),
        ).as("tasks"),
      ])
      .orderBy("t.turn_id", (order) => order.collate("C"))
      .limit(ERASURE_POLICY.exportTurns)
    const sized = db
      .selectFrom(found.as("found"))
      .selectAll("found")
      .select(({ fn, ref }) => [
        fn.countAll<number>().over().as("found_rows"),
        fn
          .agg<number>("row_number")
          .over((over) => over.orderBy("found.turn_id", (order) => order.collate("C")))
          .as("row_number"),
        sql<number>`sum(octet_length(to_json(${fn.toJson("found")}::text)::text))
          over (order by ${ref("found.turn_id")} collate "C")`.as("bytes_so_far"),
      ])
    return db
      .selectFrom(sized.as("page"))
      .selectAll("page")
      .where((eb) => eb.or([eb("page.row_number", "=", 1), eb("page.bytes_so_far", "<=", ERASURE_POLICY.exportBytes)]))
      .orderBy("page.row_number")
  })
  const foundRows = rows[0]?.found_rows ?? 0
  return {
    rows: storedRows<ExportRow>(rows),
    more: foundRows === ERASURE_POLICY.exportTurns || rows.length < foundRows,
  }
}

/** The path at which this caller can download a file. */
const contentFor =
  ({ kind }: Credential) =>
  ({ file_id, space }: FileRow) =>
    kind === "key" ? `/v1/files/${file_id}/content` : `/api/account/spaces/${space}/files/${file_id}/content`

interface Exporting {
  first: boolean
  contentOf(file: FileRow): string
}

async function* exportedTurn(ctx: Context, row: ExportRow, { first, contentOf }: Exporting): AsyncGenerator<string> {
  const { idempotency_key, conversation_name, erased_at, messages, tools, events, steps, files, tasks } = row
  const whole = {
    ...serializeTurn(row),
    idempotency_key,
    conversation_name,
    erased_at: toInstant(erased_at),
    messages,
    tools,
    events: events.map(serializeTurnEvent),
    steps: steps.map((step) => ({ ...withoutKeys(shownStep(step)), created_at: toInstant(step.created_at) })),
    file_details: files.map((file) => ({ ...serializeFile(file), content: contentOf(file) })),
    tasks: tasks.map(serializeTask),
  }
  yield `${first ? "" : ","}${plainJson(whole).slice(0, -1)},"images":[`
  let images = 0
  for (const image of imagesOf(row)) {
    // Images are read one at a time, because all of them together could exceed the memory.
    const bytes = await ctx.files.read(image.objectKey)
    if (!bytes) continue
    const base64 = Buffer.from(bytes).toString("base64")
    const { step, name, mediaType: media_type } = image
    yield `${images++ > 0 ? "," : ""}${JSON.stringify({ step, name, media_type, base64 })}`
  }
  yield "]}"
}

/** Objects that tools returned and that are not files: the images of MCP servers. */
function imagesOf({ turn_id, steps, files }: ExportRow) {
  const known = new Set(files.map(({ object_key }) => object_key))
  return steps.flatMap(({ step, results }) =>
    Object.values(results).flatMap((output) => {
      const parts = output.type === "parts" ? output.value : []
      return parts.flatMap((part) => {
        const isOwn = part.type === "object" && part.objectKey.startsWith(`turns/${turn_id}/`)
        return isOwn && !known.has(part.objectKey) ? [{ ...part, step }] : []
      })
    }),
  )
}

/** A step without what only its provider reads: reasoning and signatures. */
function shownStep(row: ExportRow["steps"][number]) {
  const step = stepRowOf(row)
  const content = step.content.filter(({ type }) => type !== "reasoning")
  return { ...step, content: content.map(({ providerOptions: _read, ...part }) => part) }
}

/** Removes object keys, which are internal. */
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
