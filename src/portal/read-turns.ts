import { sql } from "kysely"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { decodeCursor, type Page, toPage } from "../base/pagination.ts"
import { toInstant } from "../base/time.ts"
import { WATCH_POLICY } from "../turns/policies.ts"
import { waitForEndUser } from "../turns/shown-wait.ts"
import type { StoredWaiting } from "../turns/turn-row.ts"
import { waitsBehind } from "../turns/waits-behind.ts"
import { createWatchToken, WATCH_PATH } from "../turns/watch-token.ts"
import type { PortalTurn, PortalTurnTexts, PortalWait, PortalWatch } from "./answers.ts"
import { charged } from "./charge.ts"
import { PORTAL_POLICY } from "./policies.ts"
import { asEndUser, checkSession, isOwnTurn, requireScope } from "./read-portal.ts"
import type { Portal } from "./session.ts"

/** The end user's turns, newest first. Erased ones are left out. */
export async function listPortalTurns(
  ctx: Context,
  portal: Portal,
  { cursor }: { cursor: string | undefined },
): Promise<Page<PortalTurn>> {
  requireScope(portal, "turns")
  await checkSession(ctx, portal)
  const filters = { portal: portal.ref }
  const after = decodeCursor(cursor, filters)
  const { rows } = await turnsOf(ctx, portal, { after, limit: PORTAL_POLICY.turns + 1 })
  const turns = rows.slice(0, PORTAL_POLICY.turns)
  const page = toPage(turns, { more: rows.length > turns.length, filters, idOf: ({ turn_id }) => turn_id })
  return { ...page, data: page.data.map(serialize) }
}

/** One of the end user's turns with its texts. NOT_FOUND for every other turn. */
export async function getPortalTurn(ctx: Context, portal: Portal, turnId: string): Promise<PortalTurnTexts> {
  requireScope(portal, "turns")
  await checkSession(ctx, portal)
  const { rows } = await turnsOf(ctx, portal, { only: turnId, limit: 1 })
  const [turn] = rows
  if (!turn) throw turnUnknown()
  return { ...serialize(turn), text: turn.text, result: turn.result }
}

/**
 * Makes the stream of one of the end user's turns: that of a watch token, which ends with the session at the latest.
 * NOT_FOUND for every other turn.
 */
export async function watchPortalTurn(ctx: Context, portal: Portal, turnId: string): Promise<PortalWatch> {
  await getPortalTurn(ctx, portal, turnId)
  const { credential, until } = portal
  if (credential.kind !== "key") return { url: null }
  const left = Math.floor((until.getTime() - ctx.clock.now().getTime()) / 1000)
  const seconds = Math.max(1, Math.min(WATCH_POLICY.seconds, left))
  const { token } = await asEndUser(createWatchToken(ctx, credential, { turnId, seconds, include: [] }))
  return { url: `${WATCH_PATH}?token=${token}` }
}

/** Tells the same about the turn of another end user and about a turn that never was. */
export const turnUnknown = () => new TurnpikeError("NOT_FOUND", "There is no such turn.")

function turnsOf(
  ctx: Context,
  { credential, ref }: Portal,
  { after, only, limit }: { after?: string | undefined; only?: string; limit: number },
) {
  return asEndUser(
    readAs(ctx, credential, (db) =>
      db
        .selectFrom("turns as t")
        .where(isOwnTurn(ref))
        .where("t.erased_at", "is", null)
        // The erasure of these turns may still run.
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("erasures as e")
                .whereRef("e.user_id", "=", "t.user_id")
                .whereRef("e.test", "=", "t.test")
                .whereRef("e.end_user_ref", "=", "t.end_user_ref")
                .whereRef("e.until_at", ">=", "t.created_at"),
            ),
          ),
        )
        .$if(only !== undefined, (query) => query.where("t.turn_id", "=", only ?? ""))
        .$if(after !== undefined, (query) => query.where(sql<boolean>`t.turn_id collate "C" < ${after}`))
        .select(["t.turn_id", "t.state", charged.as("charged"), "t.created_at", "t.finished_at"])
        .select((eb) => [
          "t.waiting",
          waitsBehind.as("behind"),
          sql<string>`left(t.text, ${sql.lit(PORTAL_POLICY.excerptChars)})`.as("excerpt"),
          // A list has no long texts, so its size is bounded.
          eb
            .case()
            .when(eb.lit(only !== undefined))
            .then(eb.ref("t.text"))
            .else("")
            .end()
            .as("text"),
          eb
            .case()
            .when(eb.lit(only !== undefined))
            .then(eb.ref("t.result"))
            .end()
            .as("result"),
        ])
        .orderBy("t.turn_id", (order) => order.collate("C").desc())
        .limit(limit),
    ),
  )
}

type Row = Awaited<ReturnType<typeof turnsOf>>["rows"][number]

const serialize = (row: Row): PortalTurn => ({
  turn_id: row.turn_id,
  state: row.state === "running" && row.waiting ? "waiting" : row.state,
  waits_for: waitOf(row),
  excerpt: row.excerpt,
  charged_usd: toUsd(row.charged),
  created_at: toInstant(row.created_at),
  finished_at: toInstant(row.finished_at),
})

function waitOf({ waiting, behind }: Row): PortalWait | null {
  const shown = waitForEndUser(storedRow<StoredWaiting | null>(waiting))
  if (shown === null) return behind === null ? null : "earlier"
  return shown.limit === "end_user_credit" ? "credit" : shown.for
}
