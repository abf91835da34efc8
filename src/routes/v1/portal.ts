import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import * as z from "zod"
import { parseBaseEnv } from "../../base/env.ts"
import { TurnpikeError } from "../../base/errors.ts"
import type { Page } from "../../base/pagination.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { idParam } from "../../http/query.ts"
import { createRedis } from "../../platform/redis.ts"
import type {
  PortalAccess,
  PortalFact,
  PortalOverview,
  PortalTurn,
  PortalTurnTexts,
  PortalWatch,
  ShownFrame,
} from "../../portal/answers.ts"
import { decideInPortal } from "../../portal/decide.ts"
import { PORTAL_FILES, PORTAL_PATH, portalPath, portalPolicy } from "../../portal/page.ts"
import { PORTAL_POLICY } from "../../portal/policies.ts"
import { changeFacts, changeFactsSchema } from "../../portal/profile.ts"
import { checkSession, readOverview } from "../../portal/read-portal.ts"
import { getPortalTurn, listPortalTurns, watchPortalTurn } from "../../portal/read-turns.ts"
import { exchangeCode, portalRefused, readFrame, readPortalToken } from "../../portal/session.ts"
import { callParam } from "../../waits/call-id.ts"

const API = `${PORTAL_PATH}/api`
const ofPage = { tag: "Portal", ofPage: true, open: true } as const
const answer = <Answer>() => ({ status: 200, description: "", schema: z.custom<Answer>() }) as const

const sessionParam = z.string().min(1).max(PORTAL_POLICY.maxSessionChars)

/** A page of an end user's portal, and what it asks. Only that page calls these operations, so no document has them. */
export function mountPortal(app: App) {
  app.use(`${API}/*`, ownPageOnly)

  app.get(portalPath(":session"), async (c) => {
    const frame = await readFrame(c.get("ctx"), c.req.param("session") ?? "")
    c.header("Content-Security-Policy", portalPolicy(frame))
    c.header("Referrer-Policy", "no-referrer")
    c.header("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
    return c.html(pageOf(frame), frame ? 200 : 404)
  })

  app.operation(
    {
      ...ofPage,
      method: "post",
      path: `${API}/token`,
      id: "exchangePortalCode",
      summary: "Exchange a code",
      body: z.strictObject({ session: sessionParam, code: z.string().min(1).max(100) }),
      answer: answer<PortalAccess>(),
      errors: ["PORTAL_SESSION_INVALID"],
    },
    async (c, { body }) => {
      const ctx = c.get("ctx")
      const { token, portal } = await exchangeCode(ctx, createRedis(parseBaseEnv(c.env), ctx.meter), body)
      // The session may have ended since the code was made.
      await checkSession(ctx, portal)
      const { scopes, preview, until } = portal
      const expires_in_seconds = Math.floor((until.getTime() - ctx.clock.now().getTime()) / 1000)
      return { token, expires_in_seconds, scopes, preview }
    },
  )

  app.operation(
    {
      ...ofPage,
      method: "get",
      path: `${API}/overview`,
      id: "getPortalOverview",
      summary: "Read the overview",
      answer: answer<PortalOverview>(),
      errors: ["PORTAL_SESSION_INVALID"],
    },
    async (c) => readOverview(c.get("ctx"), await portalOf(c)),
  )

  app.operation(
    {
      ...ofPage,
      method: "get",
      path: `${API}/turns`,
      id: "listPortalTurns",
      summary: "List turns",
      query: z.strictObject({ cursor: z.string().min(1).max(128).optional() }),
      answer: answer<Page<PortalTurn>>(),
      errors: ["PORTAL_SESSION_INVALID", "SCOPE_DENIED"],
    },
    async (c, { query: { cursor } }) => listPortalTurns(c.get("ctx"), await portalOf(c), { cursor }),
  )

  app.operation(
    {
      ...ofPage,
      method: "get",
      path: `${API}/turns/{turn_id}`,
      id: "getPortalTurn",
      summary: "Read a turn",
      params: z.object({ turn_id: idParam }),
      answer: answer<PortalTurnTexts>(),
      errors: ["PORTAL_SESSION_INVALID", "SCOPE_DENIED", "NOT_FOUND"],
    },
    async (c, { params: { turn_id } }) => getPortalTurn(c.get("ctx"), await portalOf(c), turn_id),
  )

  app.operation(
    {
      ...ofPage,
      method: "post",
      path: `${API}/turns/{turn_id}/watch`,
      id: "watchPortalTurn",
      summary: "Watch a turn",
      params: z.object({ turn_id: idParam }),
      answer: answer<PortalWatch>(),
      errors: ["PORTAL_SESSION_INVALID", "SCOPE_DENIED", "NOT_FOUND"],
    },
    async (c, { params: { turn_id } }) => watchPortalTurn(c.get("ctx"), await portalOf(c), turn_id),
  )

  app.operation(
    {
      ...ofPage,
      method: "post",
      path: `${API}/turns/{turn_id}/calls/{call}/decision`,
      id: "decideInPortal",
      summary: "Decide about a call",
      params: z.object({ turn_id: idParam, call: callParam }),
      body: z.strictObject({ decision: z.enum(["allow", "deny"]) }),
      answer: answer<{ decision: "allow" | "deny" }>(),
      errors: [
        "PORTAL_SESSION_INVALID",
        "SCOPE_DENIED",
        "NOT_FOUND",
        "TURN_FINISHED",
        "CALL_DECIDED",
        "CALL_NOT_WAITING",
      ],
    },
    async (c, { params: { turn_id: turnId, call }, body: { decision } }) => {
      await decideInPortal(c.get("ctx"), await portalOf(c), { turnId, call, decision })
      return { decision }
    },
  )

  app.operation(
    {
      ...ofPage,
      method: "post",
      path: `${API}/profile`,
      id: "changePortalProfile",
      summary: "Change the profile",
      body: changeFactsSchema,
      answer: answer<{ facts: PortalFact[] }>(),
      errors: ["PORTAL_SESSION_INVALID", "SCOPE_DENIED", "LIMIT_REACHED"],
    },
    async (c, { body }) => ({ facts: await changeFacts(c.get("ctx"), await portalOf(c), body) }),
  )
}

/** Refuses requests of pages of other origins, although a browser would not let them read the answers. */
const ownPageOnly = createMiddleware<AppEnv>(async (c, next) => {
  const site = c.req.header("sec-fetch-site")
  const origin = c.req.header("origin")
  const isOwn = origin === undefined || origin === new URL(c.req.url).origin
  if (!isOwn || (site !== undefined && site !== "same-origin")) {
    throw new TurnpikeError("CROSS_ORIGIN", "This request does not come from a page of the portal.")
  }
  await next()
})

async function portalOf(c: HonoContext<AppEnv>) {
  const [, token] = /^bearer +(\S+)$/i.exec(c.req.header("authorization")?.trim() ?? "") ?? []
  if (token === undefined || token.length > PORTAL_POLICY.maxTokenChars) throw portalRefused()
  return readPortalToken(c.get("ctx"), token)
}

/** `frame`: null for an address that is not ours. The page says so. */
const pageOf = (frame: ShownFrame | null) => html`<!doctype html>
<html lang="${frame?.lang ?? "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Your usage</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${PORTAL_FILES.style}">
<script src="${PORTAL_FILES.script}" defer></script>
</head>
<body data-frame="${frame ? JSON.stringify(frame) : ""}">
<div id="portal"><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`
