import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { LOW_BALANCE } from "../quotas/account-limits.ts"
import { openAnomalies } from "../spending/anomaly.ts"
import { getBudgetSpend } from "../spending/get-budget-spend.ts"
import { listWaits } from "../waits/list-waits.ts"
import { getBalance } from "../wallets/get-balance.ts"
import { ATTENTION_KINDS, type Attention, type AttentionItem, itemOf } from "./attention.ts"
import { type AttentionFacts, readFacts } from "./attention-facts.ts"
import { ATTENTION_POLICY } from "./policies.ts"
import { reachedCaps } from "./reached-caps.ts"

/** Reads what needs the caller as owner of the account: live, or with `test` in the test data. */
export async function getAttention(ctx: Context, credential: SessionCredential): Promise<Attention> {
  const now = ctx.clock.now()
  const [facts, balance, caps, { waits, total }, ofSpend] = await Promise.all([
    readFacts(ctx, credential, now),
    getBalance(ctx, credential),
    reachedCaps(ctx, credential, now),
    listWaits(ctx, credential, { filters: {}, limit: 1, offset: 0 }),
    credential.test ? [] : ofSpending(ctx, credential),
  ])
  const items = [
    ...(credential.test ? [] : ofBalance(balance.available_usd, facts)),
    ...(total > 0 ? [itemOf("turns_wait", { count: total, since: waits[0]?.waiting.since ?? null })] : []),
    ...caps.items.map(({ is_full, ...one }) => itemOf(is_full ? "cap_reached" : "cap_near", one)),
    ...ofSpend,
    ...ofFacts(facts, now),
  ]
  const placeOf = ({ kind }: AttentionItem) => ATTENTION_KINDS.indexOf(kind)
  return {
    as_of: now.toISOString(),
    items: items.sort((a, b) => placeOf(a) - placeOf(b)),
    fine_since: items.length > 0 ? null : lastTrouble(facts, caps.last_at),
  }
}

function ofBalance(available: number, { low }: AttentionFacts): AttentionItem[] {
  const amounts = { used_usd: available, limit_usd: toUsd(low ?? LOW_BALANCE) }
  if (available <= 0) return [itemOf("no_credit", amounts)]
  return available < amounts.limit_usd ? [itemOf("balance_low", amounts)] : []
}

/** A budget whose amount is spent, and the open anomalies. */
async function ofSpending(ctx: Context, credential: SessionCredential): Promise<AttentionItem[]> {
  const [budget, anomalies] = await Promise.all([
    getBudgetSpend(ctx, credential),
    openAnomalies(ctx, credential, ATTENTION_POLICY.each),
  ])
  const passed = budget && budget.spent_usd >= budget.amount_usd ? budget : null
  return [
    ...(passed ? [itemOf("budget_passed", { used_usd: passed.spent_usd, limit_usd: passed.amount_usd })] : []),
    ...anomalies.map(({ anomaly_id: id, kind: text, key_name, spent_usd, usual_usd, from, to, ...of }) => {
      const subject = of.end_user_ref ?? of.key_id ?? of.space
      const amounts = { used_usd: spent_usd, limit_usd: usual_usd }
      return itemOf("spend_unusual", {
        id,
        title: key_name ?? subject,
        subject,
        text,
        since: from,
        until: to,
        ...amounts,
      })
    }),
  ]
}

function ofFacts({ ended, webhooks, servers, keys, refunds, locked }: AttentionFacts, now: Date): AttentionItem[] {
  const { failed = 0, all = 0 } = ended ?? {}
  const fails = failed >= ATTENTION_POLICY.failedTurns && failed >= all * ATTENTION_POLICY.failedShare
  const since = new Date(now.getTime() - ATTENTION_POLICY.failedMs).toISOString()
  return [
    ...(fails ? [itemOf("turns_fail", { count: failed, of: all, since })] : []),
    ...webhooks.map(({ webhook_id: id, url: title, disabled_at, disabled_reason: text, failing_since }) =>
      disabled_at === null
        ? itemOf("webhook_fails", { id, title, since: toInstant(failing_since) })
        : itemOf("webhook_disabled", { id, title, since: toInstant(disabled_at), text }),
    ),
    ...servers.map(({ slug: id, name: title, failing_since, error: text }) =>
      itemOf("server_fails", { id, title, since: toInstant(failing_since), text }),
    ),
    ...locked.map(({ created_at, data }) =>
      itemOf("sign_in_locked", { since: toInstant(created_at), text: (data as { address: string | null }).address }),
    ),
    ...keys.map(({ key_id: id, name: title, expires_at }) =>
      itemOf("key_expires", { id, title, until: toInstant(expires_at) }),
    ),
    ...refunds.map(({ turn_id: id, decided_at, answer: text }) =>
      itemOf("refund_declined", { id, since: toInstant(decided_at), text }),
    ),
  ]
}

function lastTrouble({ failed_at, created_at }: AttentionFacts, capAt: string | null): Attention["fine_since"] {
  const known = [
    { at: toInstant(failed_at), source: "turn_failed" },
    { at: capAt, source: "cap_reached" },
    { at: toInstant(created_at), source: "account_created" },
  ] as const
  return known
    .flatMap(({ at, source }) => (at === null ? [] : [{ at, source }]))
    .reduce((latest, one) => (one.at > latest.at ? one : latest))
}
