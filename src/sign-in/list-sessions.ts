import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { timeInWords } from "../base/in-words.ts"
import { toInstant } from "../base/time.ts"
import { SESSION_POLICY } from "./policies.ts"

export const sessionSchema = z
  .object({
    session_id: z.string(),
    current: z.boolean().meta({ description: "True for the session of this request.", example: true }),
    user_agent: z.string().nullable().meta({ example: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" }),
    address: z
      .string()
      .nullable()
      .meta({ description: "The IP address from which the session was started.", example: "203.0.113.9" }),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().meta({ description: "When the session was last used, accurate to an hour." }),
    expires_at: z.iso.datetime().meta({
      description: `Each use extends it to ${timeInWords(SESSION_POLICY.lifeMs)} later, up to a maximum age.`,
    }),
  })
  .meta({ id: "Session" })

type SessionRow = z.infer<typeof sessionSchema>

function serializeSession(row: SessionRow): SessionRow {
  return {
    session_id: row.session_id,
    current: row.current,
    user_agent: row.user_agent,
    address: row.address,
    created_at: toInstant(row.created_at),
    last_seen_at: toInstant(row.last_seen_at),
    expires_at: toInstant(row.expires_at),
  }
}

/** Lists the caller's valid sessions, most recently used first. */
export async function listSessions(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ sessions: SessionRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .with("mine", (cte) =>
        cte
          .selectFrom("sessions as n")
          .innerJoin("caller", "caller.user_id", "n.user_id")
          .innerJoin("users as u", "u.user_id", "n.user_id")
          .whereRef("n.epoch", "=", "u.session_epoch")
          .where("n.ended_at", "is", null)
          .where("n.expires_at", ">", ctx.clock.now())
          .select(["n.session_id", "n.user_agent", "n.address", "n.created_at", "n.last_seen_at", "n.expires_at"])
          .select((eb) => eb("n.session_id", "=", eb.ref("caller.session_id")).$castTo<boolean>().as("current")),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom("mine")
          .select((own) => own.fn.countAll<number>().as("total"))
          .as("counted"),
      )
      .select((eb) => [
        "counted.total",
        jsonArrayFrom(
          eb
            .selectFrom("mine")
            .selectAll()
            .orderBy("last_seen_at", "desc")
            .orderBy("session_id", "desc")
            .limit(limit)
            .offset(offset),
        ).as("sessions"),
      ]),
  )
  return { sessions: (rows[0]?.sessions ?? []).map(serializeSession), total: rows[0]?.total ?? 0 }
}
