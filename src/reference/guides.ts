import { html, type Markup, prose } from "./markup.ts"
import { code } from "./operation.ts"
import type { Guide } from "./page.ts"
import { quotaGuide } from "./quota-guide.ts"
import { turnGuide } from "./turn-guide.ts"
import { webhookGuide } from "./webhook-guide.ts"

/** What a newcomer reads before the operations of /v1. */
export function guidesOf(origin: string): Guide[] {
  return [
    { id: "start", title: "Start", content: start(origin) },
    { id: "authentication", title: "Authentication", content: AUTHENTICATION },
    { id: "turns", title: "The life of a turn", content: turnGuide() },
    { id: "idempotency", title: "Retries and idempotency", content: IDEMPOTENCY },
    { id: "caps", title: "Caps and quotas", content: quotaGuide() },
    { id: "webhooks", title: "Webhooks", content: webhookGuide() },
    { id: "lists", title: "Lists", content: LISTS },
    { id: "conventions", title: "Money, time, sizes", content: CONVENTIONS },
  ]
}

function start(origin: string): Markup {
  return html`${prose(
    "Your server makes a space, configures an agent in it, and sends turns. A turn is accepted at once and runs on its own; " +
      "you wait for it, follow its events, or are told by a [webhook](#webhooks).",
  )}
${code(
  "curl",
  `export TURNPIKE_API_KEY=turnpike_live_…

curl ${origin}/v1/spaces \\
  -H "Authorization: Bearer $TURNPIKE_API_KEY" -H "Content-Type: application/json" \\
  -d '{"title":"Support","manifest":{"instructions":"Answer in one sentence."}}'

curl ${origin}/v1/turns \\
  -H "Authorization: Bearer $TURNPIKE_API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1001" \\
  -d '{"space":"spc_…","end_user_ref":"customer-42","text":"Where is my order?"}'

curl "${origin}/v1/turns/turn_…?wait=30" \\
  -H "Authorization: Bearer $TURNPIKE_API_KEY"`,
)}
${code(
  "turnpike-client",
  `import { Turnpike } from "turnpike-client"

const turnpike = new Turnpike({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseUrl: "${origin}",
})
const { space_id } = await turnpike.spaces.create({
  title: "Support",
  manifest: { instructions: "Answer in one sentence." },
})
const turn = await turnpike.turns.run({
  space: space_id,
  end_user_ref: "customer-42",
  text: "Where is my order?",
})
console.log(turn.result, turn.billed_cost_usd)`,
)}`
}

const AUTHENTICATION = html`${prose(
  "Every request carries `Authorization: Bearer <API_KEY>`. Keys are made in the dashboard and shown once. They are for " +
    "servers: a key in a browser or a mobile app is everybody's key.\n\n" +
    "A key's scope says which spaces it sees: those it has made (`created`), a single one (`space`), or all of the account " +
    "(`all`). What is outside answers 404, like what does not exist.\n\n" +
    "A test key (`…_test_…`) costs nothing, always answers with the rehearsal model, and sees only what test keys have made: a " +
    "live key's space is 404 to it, and the other way round. A " +
    'turn\'s text can then say what is to happen, such as `[fail MODEL_UNAVAILABLE]` or `[call lookup_order {"id":"A-1"}]`.',
)}`

const IDEMPOTENCY = html`${prose(
  "A turn needs an `Idempotency-Key`: one unique value per logical request, such as the id of your own job. Send the same key " +
    "again, and the same turn answers, with `Idempotent-Replayed: true`: retry as often as you like. The same key with " +
    "another body is refused. Every other POST takes one too; PUT, PATCH and DELETE can be repeated as they are.\n\n" +
    "Retry when there was no answer, or 429, 500, 502, 503 or 504, after the seconds that `Retry-After` says or a growing pause " +
    "of your own; not where `retryable` is false. The client does so by itself: it makes the keys.",
)}`

const LISTS = html`${prose(
  "A list answers `{data, has_more, next_cursor}`. Give `next_cursor` as `cursor` with the same filters for the next page; " +
    "`limit` is a page's size, at most 100 (20 if you name none). The client reads all pages: `for await (const turn of turnpike.turns.list())`.",
)}`

const CONVENTIONS = html`${prose(
  "Amounts end with `_usd` and are US dollars, with at most 7 decimals. Times are RFC 3339 in UTC. A JSON body has at most 1 MiB, " +
    "a file 100 MB. A field that does not exist is refused, so that a mistyped one is not lost.\n\n" +
    "Every answer has an `X-Request-Id`: tell it when something is wrong. Answers may get further fields, and lists of values " +
    "further values, without a new version.",
)}`
