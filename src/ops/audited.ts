import type pg from "pg"
import type { SystemContext } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"

/** The entry of a command in the audit log. Must not contain secrets. */
interface Act {
  action: string
  subject: [type: string, id: string | number]
  after?: object
}

/** Writes an audit entry for a command whose procedure does not write one. */
export async function noteAct(ctx: SystemContext, { action, subject: [type, id], after = {} }: Act): Promise<void> {
  await callOne(ctx.db, "note_act", {
    action,
    subject_type: type,
    subject_id: String(id),
    after,
    request_id: ctx.requestId,
    moment: ctx.clock.now(),
  })
}

/** Runs `work` and writes its audit entry in one transaction. */
export async function audited<T>(
  client: pg.Client,
  ctx: SystemContext,
  work: () => Promise<T>,
  actOf: (done: T) => Act,
): Promise<T> {
  await client.query("begin")
  try {
    const done = await work()
    await noteAct(ctx, actOf(done))
    await client.query("commit")
    return done
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}
