import type { BalanceReached, CapReached } from "../webhooks/account-events.ts"
import { html, type Markup, prose } from "./markup.ts"
import { code } from "./operation.ts"

const EVENTS: [string, string][] = [
  [
    "turn.queued, turn.running, turn.done, turn.failed, turn.cancelled",
    "A turn is in a new state: `data.turn`, as it was then.",
  ],
  [
    "balance.low",
    "The balance has fallen below `threshold_usd`. Told again only when it falls below it after it had more.",
  ],
  [
    "balance.depleted",
    "The balance is 0, or what is left is too little for any turn: new ones get 402. Told again only after credit was added.",
  ],
  [
    "cap.reached",
    "50, 80 or 100 `percent` of a cap of a key, or of one of your customers, are spent; each is told once in a day, month or " +
      "window. 100 also when what is left is too little for any turn: new ones get 429 until `resets_at`.",
  ],
  ["endpoint.disabled", "One of your webhooks was switched off, because it answered 410 or failed for five days."],
  ["ping", "You asked for a test."],
]

const CAP_REACHED: CapReached = {
  cap: "end_user_daily",
  source: "account",
  percent: 80,
  limit_usd: 0.5,
  spent_usd: 0.4127,
  reserved_usd: 0.25,
  resets_at: "2026-01-16T00:00:00.000Z",
  key_id: null,
  end_user_ref: "customer-42",
}

const BALANCE_LOW: BalanceReached = { balance_usd: 0.9871, held_usd: 0.25, available_usd: 0.7371, threshold_usd: 1 }

/** How to receive webhooks. */
export function webhookGuide(): Markup {
  return html`${prose(
    "Register an https URL, and every event is posted to it as JSON: `{id, type, created_at, seq, data}`. The signing secret is in " +
      "the answer, once. Answer 2xx within 15 seconds, and do the work afterwards.",
  )}
${code(
  "Receive",
  `import { verifyWebhook } from "turnpike-client"

export default {
  async fetch(request: Request): Promise<Response> {
    let event
    try {
      const secret = process.env.TURNPIKE_WEBHOOK_SECRET
      event = await verifyWebhook(await request.text(), request.headers, secret)
    } catch {
      return new Response("not signed by us", { status: 400 })
    }
    if (event.type === "turn.done") await save(event.id, event.data.turn)
    return new Response(null, { status: 204 })
  },
}`,
)}
<h4>Events</h4>
<div class="scroll"><table><thead><tr><th>Type</th><th>When</th></tr></thead><tbody>
${EVENTS.map(
  ([types, when]) =>
    html`<tr><td>${types.split(", ").map((type) => html`<code>${type}</code> `)}</td><td>${prose(when)}</td></tr>`,
)}</tbody></table></div>
${prose(
  "`balance.…` and `cap.reached` are of the whole account: webhooks made by a key of scope `all`, or in the dashboard, are told " +
    "them. Their `data` has the amounts of that moment, in USD.",
)}
${code("data of cap.reached", JSON.stringify(CAP_REACHED, null, 2))}
${code("data of balance.low and balance.depleted", JSON.stringify(BALANCE_LOW, null, 2))}
<h4>Verification</h4>
${prose(
  "Signatures are those of Standard Webhooks, for which there are libraries in all languages. The header `webhook-signature` holds " +
    "one or more entries `v1,<base64>`, separated by spaces: the HMAC-SHA256 of `webhook-id`, a dot, `webhook-timestamp`, a dot and " +
    "the raw body, under the bytes that follow `whsec_` in your secret, as base64. One that fits is enough. Refuse timestamps " +
    "more than five minutes from your clock, and compare in constant time.\n\n" +
    "After a rotation, the old secret and the new one both sign for 24 hours, so change over at any moment of them.",
)}
<h4>Delivery</h4>
${prose(
  "A redirect, a slow answer or any other status is a failure. Another attempt follows after 5 seconds, 5 minutes, 30 minutes, " +
    "2, 5, 10 and 10 hours, or later where `Retry-After` says so; each is signed afresh, under the same `webhook-id`. 410 disables " +
    "the webhook at once, five days of nothing but failures do so with an event.\n\n" +
    "An event can come twice: remember its `id`. Events of a turn come in the order of `seq`, unless an earlier one keeps " +
    "failing. Nothing is lost: every attempt is in the webhook's deliveries, what has failed can be sent again or replayed " +
    "under the same id, and the feed of events has them all.",
)}`
}
