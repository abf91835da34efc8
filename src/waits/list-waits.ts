import type { QueryCreator } from "kysely"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { SPACE_ROLES, type SpaceRole } from "../actor/shares.ts"
import { sameQuery, storedRows } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { EXPLORER_POLICY } from "../turns/policies.ts"
import { turnSchema } from "../turns/schemas.ts"
import { serializeWaiting, type TurnRow } from "../turns/turn-row.ts"
import type { Waiting } from "../turns/waiting-schema.ts"

export const waitingTurnSchema = z
  .object({
    ...turnSchema.pick({ turn_id: true, space: true, end_user_ref: true, conversation: true, created_at: true }).shape,
    space_title: z.string().meta({ example: "Support" }),
    waiting: turnSchema.shape.waiting.unwrap(),
    max_cost_usd: z.number().nullable().meta({ description: "The turn's own limit. Null: it has none.", example: 0.1 }),
    role: z.enum(SPACE_ROLES).meta({
      description:
        "Your role in the space. Its owner and admins decide about calls. Only the owner raises the turn's limit.",
    }),
    text: z
      .string()
      .nullable()
      .meta({
        description: `The first ${EXPLORER_POLICY.excerpt} characters of the request. Null: you cannot read the turn.`,
        example: "Please refund my order A-1.",
      }),
    key_id: z.string().nullable().meta({
      description: "The API key that sent the turn. Null: none, or you do not own the space.",
      example: "key_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    readable: z.boolean().meta({ description: "True if you can read the turn: you own the space or sent the turn." }),
  })
  .meta({ id: "WaitingTurn" })

export interface WaitFilters {
  waiting?: Waiting["for"] | undefined
  space?: string | undefined
  turn?: string | undefined
}

interface WaitRow
  extends Pick<
    TurnRow,
    "turn_id" | "space" | "end_user_ref" | "conversation_id" | "created_at" | "max_cost_credit_micros"
  > {
  waiting: NonNullable<TurnRow["waiting"]>
  space_title: string
  role: SpaceRole
  text: string
  key_id: string | null
  readable: boolean
}

/**
 * The turns that wait and that a signed-in user sees, the one that waits for longest first: the turns of their own
 * spaces, the turns that they sent into shared spaces, and the turns of spaces in which they are admins.
 */
export async function listWaits(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: WaitFilters; limit: number; offset: number },
): Promise<{ waits: z.output<typeof waitingTurnSchema>[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) => {
    const page = db
      .selectFrom(seen(db, filters).as("seen"))
      .selectAll("seen")
      .select((eb) => eb.fn.countAll<number>().over().as("total"))
      .orderBy("seen.since")
      .orderBy("seen.turn_id")
      .limit(limit)
      .offset(offset)
    return db
      .selectFrom(page.as("w"))
      .innerJoin("turns as t", "t.turn_id", "w.turn_id")
      .innerJoin("spaces as s", "s.space_id", "t.space_id")
      .select(["w.total", "w.role", "w.readable", "t.turn_id", "t.end_user_ref", "t.conversation_id", "t.created_at"])
      .select(["t.max_cost_credit_micros", "t.waiting", "t.key_id", "s.slug as space", "s.title as space_title"])
      .select((eb) => eb.fn<string>("left", ["t.text", eb.val(EXPLORER_POLICY.excerpt)]).as("text"))
      .orderBy("w.since")
      .orderBy("w.turn_id")
  })
  return { waits: storedRows<WaitRow>(rows).map(serializeWait), total: rows[0]?.total ?? 0 }
}

/** The ids of the turns that the caller sees, with the caller's role in their spaces. */
function seen(db: QueryCreator<CallerDB>, { waiting, space, turn }: WaitFilters) {
  const waits = () =>
    db
      .selectFrom("waiting_turns as w")
      .innerJoin("caller", "caller.test", "w.test")
      .$if(waiting !== undefined, (query) => query.where("w.reason", "=", waiting ?? ""))
      .$if(turn !== undefined, (query) => query.where("w.turn_id", "=", turn ?? ""))
      .$if(space !== undefined, (query) =>
        query.where((eb) =>
          eb.exists(
            eb
              .selectFrom("turns as of")
              .innerJoin("spaces as named", "named.space_id", "of.space_id")
              .whereRef("of.turn_id", "=", "w.turn_id")
              .where("named.slug", "=", space ?? "")
              .select("of.turn_id"),
          ),
        ),
      )
  const own = waits()
    .whereRef("w.user_id", "=", "caller.user_id")
    .select((eb) => [
      "w.turn_id",
      "w.since",
      eb.val<SpaceRole>("owner").$castTo<SpaceRole>().as("role"),
      eb.lit(true).as("readable"),
    ])
  // Starts from the shared spaces, because their owners' waiting turns have an index.
  const shared = waits()
    .innerJoin("spaces as s", (join) => join.onRef("s.user_id", "=", "w.user_id").onRef("s.test", "=", "w.test"))
    .innerJoin("turns as t", (join) => join.onRef("t.turn_id", "=", "w.turn_id").onRef("t.space_id", "=", "s.space_id"))
    .innerJoin("space_shares as h", (join) =>
      join.onRef("h.space_id", "=", "s.space_id").onRef("h.user_id", "=", "caller.user_id"),
    )
    .whereRef("s.user_id", "<>", "caller.user_id")
    .where("caller.person_id", "is", null)
    .groupBy(["w.turn_id", "w.since", "t.member_id", "caller.user_id"])
    .having((eb) =>
      eb.or([eb(eb.fn.min<SpaceRole>("h.role"), "=", "admin"), eb("t.member_id", "=", eb.ref("caller.user_id"))]),
    )
    .select((eb) => [
      "w.turn_id",
      "w.since",
      // In alphabetical order, the role with more rights comes first.
      eb.fn.min<SpaceRole>("h.role").as("role"),
      eb.fn.coalesce(eb("t.member_id", "=", eb.ref("caller.user_id")), eb.lit(false)).as("readable"),
    ])
  return own.unionAll(sameQuery<typeof own>(shared))
}

const serializeWait = (row: WaitRow): z.output<typeof waitingTurnSchema> => ({
  turn_id: row.turn_id,
  space: row.space,
  space_title: row.space_title,
  end_user_ref: row.end_user_ref,
  conversation: row.conversation_id,
  created_at: toInstant(row.created_at),
  waiting: serializeWaiting(row.waiting),
  max_cost_usd: row.max_cost_credit_micros === null ? null : toUsd(row.max_cost_credit_micros),
  role: row.role,
  text: row.readable ? row.text : null,
  key_id: row.role === "owner" ? row.key_id : null,
  readable: row.readable,
})
