import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type InParts, inOrder, type ListHead, type ListPage, readInParts } from "../base/in-parts.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { toInstant } from "../base/time.ts"
import { isOneOf } from "../platform/one-of.ts"
import { recentTurns } from "./recent-turns.ts"

const contextSchema = z.object({
  model: z.string().meta({ description: "The model pin of the call.", example: "openai/gpt-5-mini" }),
  context_tokens: z.int().meta({ description: "The number of tokens that the call read.", example: 48_000 }),
  window_tokens: z
    .int()
    .nullable()
    .meta({ description: "The size of the model's context window, in tokens; null if unknown.", example: 400_000 }),
  share: z
    .number()
    .nullable()
    .meta({ description: "`context_tokens / window_tokens`; null if the window is unknown.", example: 0.12 }),
  turn_id: z.string().meta({ example: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  called_at: z.iso.datetime(),
})

export const spaceContextSchema = z
  .object({
    space_id: z.int().meta({ example: 318 }),
    slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    title: z.string().meta({ example: "Support desk" }),
    orchestrator: contextSchema
      .nullable()
      .meta({ description: "The last call of the space's own agent; null if it made none." }),
    subagents: z.array(contextSchema.extend({ name: z.string().meta({ example: "researcher" }) })).meta({
      description: "The last call of each sub-agent that was called, by name.",
    }),
  })
  .meta({ id: "SpaceContext" })

export type SpaceContext = z.infer<typeof spaceContextSchema>

interface CallRow {
  agent: string
  model: string
  tokens_input: number
  turn_id: string
  called_at: string
  context_tokens: number | null
}

function serializeCall({ model, tokens_input, context_tokens, turn_id, called_at }: CallRow) {
  const share = context_tokens === null ? null : tokens_input / context_tokens
  return {
    model,
    context_tokens: tokens_input,
    window_tokens: context_tokens,
    share,
    turn_id,
    called_at: toInstant(called_at),
  }
}

/** The last call of each agent of every space, newest space first, for admins (docs/contract.md). */
export async function listSessionContexts(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: ListPage,
): Promise<InParts<ListHead, SpaceContext>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const ids = db
        .selectFrom("spaces as s")
        .select("s.space_id")
        .orderBy("s.space_id", "desc")
        .limit(limit)
        .offset(offset)
      return db.selectFrom("caller").select([
        db
          .selectFrom("spaces")
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .as("total"),
        sql<number[]>`array(${ids})`.as("ids"),
      ])
    },
    { role: "admin" },
  )
  const { total, ids = [] } = rows[0] ?? {}
  return {
    head: { total: total ?? 0, limit, offset },
    parts: readInParts(ids, LIST_POLICY.part, (part) => readContexts(ctx, credential, part)),
  }
}

async function readContexts(ctx: Context, credential: SessionCredential, ids: number[]): Promise<SpaceContext[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const shown = db
        .selectFrom("spaces as s")
        .where(isOneOf("s.space_id", ids))
        .select(["s.space_id", "s.slug", "s.title"])
      const last = db
        .selectFrom(calls(db).as("l"))
        .leftJoin("model_catalog as m", "m.pin", "l.model")
        .where(isOneOf("l.space_id", ids))
        .selectAll("l")
        .select("m.context_tokens")
        .distinctOn(["l.space_id", "l.agent"])
        .orderBy("l.space_id")
        .orderBy("l.agent")
        .orderBy("l.called_at", "desc")
        .orderBy("l.turn_id", (order) => order.collate("C").desc())
        .orderBy("l.step", "desc")
      return db.selectFrom("caller").select([jsonArrayFrom(shown).as("spaces"), jsonArrayFrom(last).as("calls")])
    },
    { role: "admin" },
  )
  const { spaces = [], calls: made = [] } = rows[0] ?? {}
  const bySpace = Map.groupBy(made, ({ space_id }) => space_id)
  return inOrder(ids, spaces, ({ space_id }) => space_id).map(({ space_id, slug, title }) => {
    const own = (bySpace.get(space_id) ?? []) as CallRow[]
    const orchestrator = own.find(({ agent }) => agent === "")
    return {
      space_id,
      slug,
      title,
      orchestrator: orchestrator ? serializeCall(orchestrator) : null,
      subagents: own.filter(({ agent }) => agent !== "").map((row) => ({ name: row.agent, ...serializeCall(row) })),
    }
  })
}

/** The last calls that are in the totals, and all calls of turns that are not yet in them. */
function calls(db: QueryCreator<CallerDB>) {
  return db
    .selectFrom("space_sessions as k")
    .select(["k.space_id", "k.agent", "k.model", "k.tokens_input", "k.turn_id", "k.step", "k.called_at"])
    .unionAll(
      db
        .selectFrom(recentTurns(db).as("n"))
        .innerJoin("turn_steps as p", "p.turn_id", "n.turn_id")
        .where("n.turns", "=", 1)
        .where("p.tokens_input", "is not", null)
        .select((eb) => [
          "n.space_id",
          eb.fn.coalesce("p.subagent", eb.val("")).as("agent"),
          eb.ref("p.model").$notNull().as("model"),
          eb.ref("p.tokens_input").$notNull().as("tokens_input"),
          "p.turn_id",
          "p.step",
          "p.created_at as called_at",
        ]),
    )
}
