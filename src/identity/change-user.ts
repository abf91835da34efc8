import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { type AdminStatement, queryAsAdmin, queryAsSystem, type SystemContext } from "./as-admin.ts"
import { auditCte } from "./audit.ts"
import type { SessionCredential } from "./credential.ts"
import { endUserTurns } from "./end-user-turns.ts"
import { serializeUser, type User, type UserRow, userJson } from "./user-row.ts"

/** What may be done to an account by an admin. */
export type UserChange = "disable" | "enable" | { role: "user" | "admin" }

/**
 * Disables an account (its sessions, keys and webhooks end with the next request, its turns at once or by the sweeper), enables
 * it again (its webhooks go on, its sessions do not), or sets its role. It binds the very next request, and is in the audit log.
 * Again: the same answer. NOT_FOUND; LAST_ADMIN: there must be one who can sign in; ADMIN_REQUIRED.
 */
export async function changeUser(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
  change: UserChange,
): Promise<User> {
  const user = answerOf(userId, await queryAsAdmin<Answer>(ctx, credential, statement(ctx, userId, change)))
  // The sweeper does it too, within a minute.
  if (change === "disable") ctx.background(endUserTurns(ctx, userId).catch(() => {}))
  return user
}

/** The same, by the command line. */
export async function changeUserAsSystem(ctx: SystemContext, userId: number, change: UserChange): Promise<User> {
  return answerOf(userId, await queryAsSystem<Answer>(ctx, statement(ctx, userId, change)))
}

interface Answer {
  user: UserRow | null
  found: boolean
}

function answerOf(userId: number, { user, found }: Answer): User {
  if (!found) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  if (!user) throw new TurnpikeError("LAST_ADMIN", "This is the last admin who can sign in.")
  return serializeUser(user)
}

function statement(ctx: SystemContext, userId: number, change: UserChange): AdminStatement {
  const now = ctx.clock.now()
  const { set, onlyIf, losesAdmin, also, action } = partsOf(change, now)
  return {
    // Admins are locked by their id, all that are left: of two who end each other, the later one sees the first.
    ctes: sql`locked as materialized (
      select u.* from users u, admin
      where u.user_id = ${userId}::bigint or (u.role = 'admin' and u.disabled_at is null)
      order by u.user_id for no key update of u
    ), before as materialized (
      select b.* from locked b where b.user_id = ${userId}::bigint and not (
        ${losesAdmin} and b.role = 'admin' and b.disabled_at is null
        and not exists (select 1 from locked o where o.user_id <> b.user_id and o.role = 'admin' and o.disabled_at is null))
    ), changed as (
      update users u set ${set} from before where u.user_id = before.user_id and ${onlyIf}
      returning u.*
    )${also}, ${auditCte(ctx, {
      action,
      subject: { type: "user", id: sql`changed.user_id` },
      actor: sql`admin.user_id`,
      before: sql`jsonb_build_object('role', before.role, 'disabled_at', before.disabled_at)`,
      after: sql`jsonb_build_object('role', changed.role, 'disabled_at', changed.disabled_at)`,
      from: sql`changed, before, admin`,
    })}`,
    select: sql`select exists (select 1 from locked where user_id = ${userId}::bigint) as found, (
      select ${userJson} from (select * from changed union all select b.* from before b where not exists (select 1 from changed)) u
    ) as user`,
  }
}

interface Parts {
  set: RawBuilder<unknown>
  /** Whether there is anything to change. */
  onlyIf: RawBuilder<unknown>
  losesAdmin: RawBuilder<unknown>
  also: RawBuilder<unknown>
  action: string
}

function partsOf(change: UserChange, now: Date): Parts {
  if (change === "disable") {
    return {
      action: "user.disable",
      set: sql`disabled_at = ${now}::timestamptz, session_epoch = u.session_epoch + 1, ending_turns = true`,
      onlyIf: sql`before.disabled_at is null`,
      losesAdmin: sql`true`,
      also: sql`, stopped as (
        update webhook_endpoints w set disabled_at = ${now}::timestamptz, disabled_reason = 'account_disabled', stopping = true,
          updated_at = ${now}::timestamptz
        from changed where w.user_id = changed.user_id and w.deleted_at is null and w.disabled_at is null
      )`,
    }
  }
  if (change === "enable") {
    return {
      action: "user.enable",
      set: sql`disabled_at = null, ending_turns = false`,
      onlyIf: sql`before.disabled_at is not null`,
      losesAdmin: sql`false`,
      also: sql`, restarted as (
        update webhook_endpoints w set disabled_at = null, disabled_reason = null, failing_since = null,
          updated_at = ${now}::timestamptz
        from changed where w.user_id = changed.user_id and w.disabled_reason = 'account_disabled'
      )`,
    }
  }
  return {
    action: "user.role",
    set: sql`role = ${change.role}`,
    onlyIf: sql`before.role <> ${change.role}`,
    losesAdmin: sql`${change.role !== "admin"}::boolean`,
    also: sql``,
  }
}
