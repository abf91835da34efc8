import { html, type Markup, prose } from "./markup.ts"
import { code } from "./operation.ts"

const EVENTS: [string, string][] = [
  [
    "turn.queued, turn.running, turn.done, turn.failed, turn.cancelled",
    "A turn is in a new state: `data.turn`, as it was then.",
  ],
  ["balance.low, balance.depleted", "The account's balance is nearly, or wholly, spent. Not sent yet."],
  ["cap.reached", "A cap of a key or of one of your customers is reached. Not sent yet."],
  ["endpoint.disabled", "One of your webhooks was switched off, because it answered 410 or failed for five days."],
  ["ping", "You asked for a test."],
]

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
