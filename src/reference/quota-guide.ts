import { DETAILS_EXAMPLES } from "../quotas/refusal.ts"
import { FIRST_CALL_BOUNDS } from "../turns/first-call.ts"
import { html, line, type Markup, prose } from "./markup.ts"
import { code } from "./operation.ts"

const CAPS: [string, string, string][] = [
  ["key_daily", "The key's turns, in a UTC day: `daily_usd` of the key's caps.", "At 00:00 UTC."],
  [
    "key_window",
    "The key's turns, in a window of `window_seconds`: `window_usd`. Its first turn opens the window.",
    "So many seconds after that turn was accepted. The next turn opens the next window.",
  ],
  [
    "end_user_daily",
    "One customer's turns in a UTC day: their own `daily_usd`, else `end_user_daily_usd` of the key, else that of the account.",
    "At 00:00 UTC.",
  ],
  [
    "end_user_monthly",
    "The same for a UTC month: `monthly_usd`, else `end_user_monthly_usd` of the key, else that of the account.",
    "On the first of the month, 00:00 UTC.",
  ],
]

const ERROR = {
  code: "QUOTA_EXCEEDED",
  message:
    "The end user's daily limit of 0.5 USD is reached: 0.3 USD spent, 0.2 reserved by turns under way. It resets at 2026-01-16T00:00:00.000Z.",
  details: DETAILS_EXAMPLES.QUOTA_EXCEEDED,
  retryable: true,
  request_id: "req_01jd3k9m2x4t8r5w6y7z0a1b2c",
}
const REFUSAL = `HTTP/1.1 429\nRetry-After: 30600\n\n${JSON.stringify({ error: ERROR }, null, 2)}`

/** What bounds spending, how a refusal says so, and when it ends. */
export function quotaGuide(): Markup {
  return html`${prose(
    "The balance bounds what an account spends, and caps bound what a key or one of your customers does. All that are set hold at " +
      "once, exactly, however many turns are sent side by side. The owner sets a key's caps and the account's defaults in the dashboard " +
      "(`PUT /api/account/limits`); a key with the scope `all` sets a customer's own limits (`PUT /v1/end-users/{end_user_ref}/limits`).",
  )}
<div class="scroll"><table><thead><tr><th>Cap</th><th>Counts</th><th>Resets</th></tr></thead><tbody>${CAPS.map(
    ([name, counts, resets]) =>
      html`<tr><td><code>${name}</code></td><td>${line(counts)}</td><td>${line(resets)}</td></tr>`,
  )}</tbody></table></div>
${prose(
  "A customer's spend is that in the whole account, over all keys; only the limit can come from the key that sends the turn. Their own " +
    "limit goes before the defaults even when it is higher.\n\n" +
    "A turn counts in the day, month and window in which it was accepted, however long it runs. So a new period begins with nothing " +
    "spent and nothing reserved. `billed_today_usd` of an end user is another figure: what was billed today, in the spaces that the key sees.\n\n" +
    "Test turns and the web chat have no caps.",
)}
<h4>Holds</h4>
${prose(
  "An accepted turn holds `max_cost_usd`, or 0.25 (more where its first model call needs more), of the balance and of each of its caps, or what is left if that is less: `reserved_usd`. " +
    "The hold counts like spending until the turn ends; then what it cost is `spent_usd`, and the rest is free again. Name a small " +
    "`max_cost_usd` where many turns share a cap.\n\n" +
    "A turn whose hold is used up takes more, as far as its `max_cost_usd`, the balance and its caps have it. When nothing is left it ends as " +
    "`failed` with `COST_LIMIT_REACHED`, keeps what it has said so far and is billed for that: the message names the limit that it met. It never goes " +
    "beyond one.",
)}
<h4>Refusals</h4>
${prose(
  "A turn is refused when the balance or a cap has less left than its first model call can cost (`needed_usd`): instructions, tools, the " +
    "conversation's earlier turns, files and text, a token for each byte at the most, with a short answer. If it is the balance, the " +
    "answer is 402 `INSUFFICIENT_CREDITS`: no waiting helps. Else it is 429 `QUOTA_EXCEEDED`. Nothing is held, and " +
    "its Idempotency-Key may be sent again.\n\n" +
    "So what is accepted can make its first call. Only what changes behind it can stop it: another configuration, model price, or list of an MCP " +
    `server's tools. A server that nobody has listed yet (a turn does, and a check) counts as ${FIRST_CALL_BOUNDS.server} tokens, and the answer of an earlier turn of the ` +
    `conversation that has not ended as ${FIRST_CALL_BOUNDS.reply}. If that was too little and nothing more is left, the turn fails with COST_LIMIT_REACHED, says so, and costs nothing.`,
)}
${code("429", REFUSAL)}
${prose(
  "`details` is the cap that resets last, `exceeded` all that have too little, and `Retry-After` the whole seconds until `resets_at`: who " +
    "waits that long meets no cap that was named. It can be sooner, when a turn ends for less than it held.\n\n" +
    "A cap that is smaller than `needed_usd`, such as 0, refuses this turn at any time: it is named before all others, `Retry-After` is the time until " +
    "its next period, and `retryable` is false: then only a smaller turn can pass. Raise it. A cap that is raised admits with the next request; one that is lowered below what is spent refuses until " +
    "it resets.",
)}
<h4>Asking before</h4>
${prose(
  "`POST /v1/turns/estimate` takes the body of a turn and answers `admitted`, the hold that it would take, and in `refused_by` the refusal " +
    "that it would meet; it takes nothing. `GET /v1/me` shows what is left of the key's caps, `GET /v1/end-users/{end_user_ref}` what is left for a customer.",
)}`
}
