import type { Context, Posting } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { wakeWebhooks } from "../callbacks/wake-webhooks.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** How charges of accounts with shards get into the ledger. Times in milliseconds. */
export const POSTING_POLICY = {
  /** Charges that one statement posts. */
  batch: 500,
  /** One isolate posts an account's charges one batch after the other; so long after its last sign it counts as gone. */
  goneMs: 10_000,
  /** A charge that has waited for longer was forgotten by its worker, or cannot be posted: the log says so. */
  lateSeconds: 2,
  /** Accounts that one run of the sweeper looks at, and for how long. */
  sweepAccounts: 200,
  sweepMs: 40_000,
  /** An account that was charged nothing for so long gives its shards back. */
  idleMs: 600_000,
} as const

interface Posted {
  posted: number
  is_more: boolean
  is_poor: boolean
  heard: boolean
}

/** Posts what an account was charged, in the background, behind the commit that queued it; once more when more has come meanwhile. */
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
  wakeWebhooks(ctx, { user_id: userId, test: false, hooked: posted.heard })
  return posted
}

async function foldShards(ctx: Context, userId: number): Promise<void> {
  const args = { user_id: userId, limit: POSTING_POLICY.batch, moment: ctx.clock.now() }
  const { heard } = await callOne(ctx.db, "fold_shards", args)
  wakeWebhooks(ctx, { user_id: userId, test: false, hooked: heard === true })
}

/** Posts what was left behind, account by account, and takes shards away that are not needed any more. */
export async function sweepPostings(ctx: Context): Promise<{ posted: number; folded: number; failed: number }> {
  const sweep = { posted: 0, folded: 0, failed: 0 }
  const stopAt = ctx.clock.now().getTime() + POSTING_POLICY.sweepMs
  const inEach = (users: { user_id: number | null }[], work: (userId: number) => Promise<void>) =>
    inParallel(users, async ({ user_id: userId }) => {
      if (userId === null) return
      await work(userId).catch((error: unknown) => {
        sweep.failed++
        ctx.log("error", "postings.failed", { user_id: userId, error: describeError(error) })
      })
    })
  const limit = POSTING_POLICY.sweepAccounts
  const waiting = await call<"accounts_to_post", { user_id: number; oldest: Date }>(ctx.db, "accounts_to_post", {
    limit,
  })
  for (const { user_id, oldest } of waiting) {
    const seconds = (ctx.clock.now().getTime() - oldest.getTime()) / 1000
    if (seconds > POSTING_POLICY.lateSeconds) ctx.log("error", "postings.late", { user_id, seconds })
  }
  await inEach(waiting, async (userId) => {
    for (let isMore = true; isMore && ctx.clock.now().getTime() < stopAt; ) {
      const part = await postOnce(ctx, userId)
      sweep.posted += part.posted
      isMore = part.is_more
    }
  })
  const idle_since = new Date(ctx.clock.now().getTime() - POSTING_POLICY.idleMs)
  await inEach(await call(ctx.db, "accounts_to_fold", { idle_since, limit }), async (userId) => {
    await foldShards(ctx, userId)
    sweep.folded++
  })
  return sweep
}
