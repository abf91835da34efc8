import type { Context, Posting } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** Posting of charges to the ledger, for accounts with shards. Times are in milliseconds. */
export const POSTING_POLICY = {
  /** Charges per statement. */
  batch: 500,
  /**
   * An isolate posts an account's batches one after another.
   * A poster without progress for this long counts as dead.
   */
  goneMs: 10_000,
  /** If a charge waited for longer, its worker forgot it or it cannot be posted. The sweep logs an error. */
  lateSeconds: 2,
  /** Accounts that the sweep processes together. `sweepMs`: how long one run continues with further accounts. */
  sweepAccounts: 200,
  sweepMs: 40_000,
  /** An account without charges for this long gives its shards back. */
  idleMs: 600_000,
} as const

interface Posted {
  posted: number
  is_more: boolean
  is_poor: boolean
  has_subscriber: boolean
  is_refused: boolean
}

/**
 * Posts an account's queued charges in the background, after the commit that queued them or that released a hold, and
 * frees the account's remembered refusals. If a poster is running already, it posts once more.
 */
export function postBehind(ctx: Context, userId: number): void {
  const under = ctx.posting.get(userId)
  const now = ctx.clock.now().getTime()
  if (under && under.until > now) {
    under.again = true
    return
  }
  const own: Posting = { until: now + POSTING_POLICY.goneMs, again: false }
  ctx.posting.set(userId, own)
  ctx.background(
    postAgain(ctx, userId, own)
      .catch((error: unknown) => ctx.log("error", "postings.failed", { user_id: userId, error: describeError(error) }))
      .finally(() => {
        if (ctx.posting.get(userId) === own) ctx.posting.delete(userId)
      }),
  )
}

async function postAgain(ctx: Context, userId: number, own: Posting): Promise<void> {
  do {
    own.again = false
    own.until = ctx.clock.now().getTime() + POSTING_POLICY.goneMs
    const { is_more, is_poor } = await postOnce(ctx, userId)
    if (is_poor) await foldShards(ctx, userId)
    own.again ||= is_more
  } while (own.again)
}

/** Posts one batch. */
async function postOnce(ctx: Context, userId: number): Promise<Posted> {
  const args = { user_id: userId, limit: POSTING_POLICY.batch, moment: ctx.clock.now() }
  const posted = await callOne<"post_charges", Posted>(ctx.db, "post_charges", args)
  wakeWebhooks(ctx, { user_id: userId, test: false, has_subscriber: posted.has_subscriber })
  if (posted.is_refused) await ctx.refusals.free(userId)
  return posted
}

/**
 * Removes the shards of an account. Returns whether it did: it
 * does not while more charges are queued than one statement posts.
 */
async function foldShards(ctx: Context, userId: number): Promise<boolean> {
  const args = { user_id: userId, limit: POSTING_POLICY.batch, moment: ctx.clock.now() }
  const { has_subscriber, folded } = await callOne(ctx.db, "fold_shards", args)
  wakeWebhooks(ctx, { user_id: userId, test: false, has_subscriber: has_subscriber === true })
  return folded === true
}

/** Posts charges that are still queued, account by account, and removes shards that are no longer needed. */
export async function sweepPostings(ctx: Context): Promise<{ posted: number; folded: number; failed: number }> {
  const sweep = { posted: 0, folded: 0, failed: 0 }
  const began = ctx.clock.now().getTime()
  const isOver = () => ctx.clock.now().getTime() > began + POSTING_POLICY.sweepMs
  /** Runs `work` for every account that `look` returns, page by page. A failed account does not stop the others. */
  async function inEach<Row extends { user_id: number }>(
    look: (page: { after: number; limit: number }) => Promise<Row[]>,
    work: (row: Row) => Promise<void>,
  ): Promise<void> {
    const limit = POSTING_POLICY.sweepAccounts
    for (let page = await look({ after: 0, limit }); page.length > 0 && !isOver(); ) {
      await inParallel(page, async (row) => {
        await work(row).catch((error: unknown) => {
          sweep.failed++
          ctx.log("error", "postings.failed", { user_id: row.user_id, error: describeError(error) })
        })
      })
      page = await look({ after: page.at(-1)?.user_id ?? 0, limit })
    }
  }
  await inEach(
    (page) => call<"accounts_to_post", { user_id: number; oldest: Date }>(ctx.db, "accounts_to_post", page),
    async ({ user_id, oldest }) => {
      const seconds = (ctx.clock.now().getTime() - oldest.getTime()) / 1000
      if (seconds > POSTING_POLICY.lateSeconds) ctx.log("error", "postings.late", { user_id, seconds })
      for (let isMore = true; isMore && !isOver(); ) {
        const part = await postOnce(ctx, user_id)
        sweep.posted += part.posted
        isMore = part.is_more
      }
    },
  )
  const idle_since = new Date(began - POSTING_POLICY.idleMs)
  await inEach(
    (page) => call<"accounts_to_fold", { user_id: number }>(ctx.db, "accounts_to_fold", { idle_since, ...page }),
    async ({ user_id }) => {
      if (await foldShards(ctx, user_id)) sweep.folded++
    },
  )
  return sweep
}
