import { jsonArrayFrom } from "kysely/helpers/postgres"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { type SessionRow, serializeSession } from "./session-row.ts"

/** The caller's sessions that go on, the one last used first. */
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
