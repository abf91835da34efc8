import { sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { isOfScope, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Manifest } from "../agent-config/manifest.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { startOf } from "./fit-context.ts"

const summarySchema = z.object({
  text: z.string().meta({ example: "The customer asked for order A-1. It left on Monday." }),
  turns: z.int().meta({ description: "The number of turns that it covers.", example: 28 }),
  tokens: z.int().meta({ description: "About how many tokens it has.", example: 180 }),
  model: z.string().meta({ description: "The model that wrote it, as a pin." }),
  turn_id: z.string().meta({ description: "The turn that has paid for it." }),
  created_at: z.iso.datetime(),
})

export const conversationSchema = z
  .object({
    conversation_id: z.string().meta({ example: "conv_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    space: z.string().meta({ description: "The space that the conversation is in." }),
    end_user_ref: z.string(),
    turns: z.int().meta({ description: "All turns of the conversation, in every state.", example: 40 }),
    context: z
      .object({
        turns: z.array(z.string()).meta({
          description: "The turns that the agent sees, oldest first.",
          example: ["turn_01jd3k9m2x4t8r5w6y7z0a1b2c"],
        }),
        summary: summarySchema
          .nullable()
          .meta({ description: "The summary of the turns before these. Null: there is none." }),
        tokens: z.int().meta({ description: "About how many tokens both have.", example: 2_400 }),
      })
      .meta({
        description:
          "The part of the conversation that the agent sees. A model with a small window may see less: the event `context.trimmed` of a " +
          "turn says it. In a space with summaries, the next turn may summarise the oldest of these turns.",
      }),
    created_at: z.iso.datetime(),
    last_turn_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Conversation" })

interface ConversationRow {
  conversation_id: string
  space: string
  end_user_ref: string
  turns: number
  created_at: string
  last_turn_at: string | null
  model: string | null
  manifest: Manifest
  summary: z.output<typeof summarySchema> | null
  done: { turn_id: string; bytes: number; ended_at: string }[]
}

/** Returns a conversation with the part of it that its agent sees. Throws NOT_FOUND. */
export async function getConversation(
  ctx: Context,
  credential: Credential,
  conversationId: string,
): Promise<z.output<typeof conversationSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("conversations as c")
      .innerJoin("spaces as s", "s.space_id", "c.space_id")
      .innerJoin("caller", (join) => join.onRef("caller.user_id", "=", "c.user_id").onRef("caller.test", "=", "c.test"))
      .where("c.conversation_id", "=", conversationId)
      .where((eb) => isOfScope(eb.ref("c.space_id")))
      // Keys see no web chats, and the owner of a space sees no chat of a member.
      .where((eb) => eb.or([eb("caller.kind", "=", "session"), eb("c.end_user_ref", "<>", "")]))
      .where("c.name", "!~", "^conv_\\d+ ")
      .select(["c.conversation_id", "s.slug as space", "c.end_user_ref", "c.created_at", "c.last_turn_at"])
      .select(["s.model", "s.manifest"])
      .select((eb) => eb.cast<number>("c.last_position", "integer").as("turns"))
      .select((found) => [
        jsonObjectFrom(
          found
            .selectFrom("conversation_summaries as m")
            .whereRef("m.conversation_id", "=", "c.conversation_id")
            .select(["m.text", "m.turns", "m.tokens", "m.model", "m.turn_id", "m.created_at"]),
        ).as("summary"),
        jsonArrayFrom(
          found
            .selectFrom("turns as t")
            .whereRef("t.conversation_id", "=", "c.conversation_id")
            .where("t.state", "=", "done")
            .where("t.texts_deleted_at", "is", null)
            .where("t.erased_at", "is", null)
            .where(({ eb, ref }) =>
              eb("t.position", ">", sql<number>`${ref("c.last_position")} - ${TURN_POLICY.historyWithin}`),
            )
            .where(({ eb, selectFrom, fn, lit }) =>
              eb(
                "t.position",
                ">",
                fn.coalesce(
                  selectFrom("conversation_summaries as m")
                    .whereRef("m.conversation_id", "=", "c.conversation_id")
                    .select("m.until_position"),
                  lit(0),
                ),
              ),
            )
            .select(["t.turn_id", "t.finished_at as ended_at"])
            .select(({ ref }) =>
              sql<number>`octet_length(${ref("t.text")}) + octet_length(${ref("t.result")})`.as("bytes"),
            )
            .orderBy("t.position"),
        ).as("done"),
      ]),
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", `There is no conversation "${conversationId}" that you can see.`)
  return serializeConversation(storedRow<ConversationRow>(row))
}

function serializeConversation({ model, manifest, done, summary: kept, ...row }: ConversationRow) {
  const {
    max_turns = TURN_POLICY.historyTurns,
    max_tokens = TURN_POLICY.historyTokens,
    summary,
  } = manifest.history ?? {}
  const tokensOf = ({ bytes }: { bytes: number }) => Math.ceil(bytes / TURN_POLICY.bytesPerToken)
  let left = max_tokens
  const from = done.findLastIndex((turn, at) => {
    left -= tokensOf(turn)
    return left < 0 || done.length - at > max_turns
  })
  // In a space with summaries, all turns after the last one.
  const newest = summary ? done : done.slice(from + 1)
  const isRehearsed = (manifest.model ?? model ?? "").startsWith("rehearsal/")
  const seen = newest.slice(summary || isRehearsed ? 0 : startOf(newest, max_turns))
  return {
    ...row,
    created_at: toInstant(row.created_at),
    last_turn_at: toInstant(row.last_turn_at),
    context: {
      turns: seen.map(({ turn_id }) => turn_id),
      summary: summary && kept ? { ...kept, created_at: toInstant(kept.created_at) } : null,
      tokens: seen.reduce((sum, turn) => sum + tokensOf(turn), summary && kept ? kept.tokens : 0),
    },
  }
}
