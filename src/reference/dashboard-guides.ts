import { html, type Markup, prose } from "./markup.ts"
import { code } from "./operation.ts"
import type { Guide } from "./page.ts"
import { quotaGuide } from "./quota-guide.ts"
import { turnGuide } from "./turn-guide.ts"

/** What a newcomer reads before the operations of /api. */
export function dashboardGuides(origin: string): Guide[] {
  return [
    { id: "session", title: "Session", content: session(origin) },
    { id: "turns", title: "The life of a turn", content: turnGuide() },
    { id: "caps", title: "Caps and quotas", content: quotaGuide() },
    { id: "lists", title: "Lists, money, time", content: LISTS },
  ]
}

const session = (origin: string): Markup => html`${prose(
  "These operations are for pages of this origin, on behalf of who is signed in: the session is in the cookie `token`. Servers " +
    "use `/v1` with an API key, which is made here.\n\n" +
    "Every way in sets that cookie and answers the user. The plainest one is email and password:",
)}
${code(
  "curl",
  `curl -c cookies.txt ${origin}/api/auth/login \\
  -H "Sec-Fetch-Site: same-origin" -H "Content-Type: application/json" \\
  -d '{"email": "you@example.com", "password": "…"}'

curl -b cookies.txt ${origin}/api/auth/me`,
)}
${prose(
  "With the messaging platform, ask for a login, show its `url`, which opens the brand's bot, and poll until the person has " +
    "started it there. The poll that finds the login confirmed has the user and sets the cookie; it works once, and only in the " +
    "browser that asked:",
)}
${code(
  "curl",
  `curl -c cookies.txt -X POST ${origin}/api/auth/tg-login/start -H "Sec-Fetch-Site: same-origin"

curl -b cookies.txt -c cookies.txt "${origin}/api/auth/tg-login/status?token=$TOKEN"`,
)}
${prose(
  "`/login`, said to the bot, gets a link of 10 minutes. The mini-app sends what it is launched with to " +
    "`POST /api/auth/messenger-webapp` at once: it is good for 5 minutes, and once.\n\n" +
    "`/api/auth/oauth-login/start?next=/chat` is a link for a page: it leads through the identity provider, if one is set up, and " +
    "back to that path, signed in.\n\n" +
    "A session goes on for 30 days after its last use. Signing out, ending it in the list of sessions, a change of the password, " +
    "and an admin who disables the account end it for the very next request.\n\n" +
    "Wrong passwords have to wait after some tries: a 429 with the code `LOGIN_THROTTLED` and `Retry-After`. What others try " +
    "elsewhere does not hold you up where you have signed in before.\n\n" +
    "A request that changes something must come from a page of this origin: browsers say so in `Sec-Fetch-Site`. A client that " +
    "is no browser sends `Origin` with this server's own.\n\n" +
    "`?test=true` shows and changes what test keys see, else it is live data.",
)}`

const LISTS: Markup[] = prose(
  "A list answers `{items, total, limit, offset}`; give `limit` (at most 200) and `offset` for another page. Only the report of " +
    "usage has a `next_cursor`, as in `/v1`.\n\n" +
    "Amounts end with `_usd` and are US dollars, with at most 7 decimals; those that end with `_energy` are the same ten times " +
    "over. Times are RFC 3339 in UTC. A field that does not exist is refused.\n\n" +
    "A refusal is `{detail, code}`. A 422 has no code: its `detail` is a list of `{loc, msg, type}`, one for each fault.",
)
