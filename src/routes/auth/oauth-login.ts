import type { Context as HonoContext } from "hono"
import { getCookie } from "hono/cookie"
import * as z from "zod"
import { TurnpikeError } from "../../base/errors.ts"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { sendAway, takeTicket } from "../../http/oauth-ticket.ts"
import { openSession, SESSION_COOKIE } from "../../http/session-auth.ts"
import { brandOf } from "../../sign-in/brand-of.ts"
import { linkIdentity } from "../../sign-in/link-identity.ts"
import { beginAuthorization, CALLBACK_PATH, type OauthState } from "../../sign-in/oidc-begin.ts"
import { completeAuthorization, redeemState } from "../../sign-in/oidc-complete.ts"
import { TOKEN_POLICY } from "../../sign-in/policies.ts"
import { type ProvedIdentity, resolveIdentity } from "../../sign-in/resolve-identity.ts"
import { safeNext } from "../../sign-in/safe-next.ts"
import { readSessionToken } from "../../sign-in/session-token.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { authContext, oidcOf } from "./context.ts"

const tag = "auth"
const START_PATH = "/api/auth/oauth-login/start"

/** Where a flow ends. Anything that is not a path of ours is ignored, not an error. */
export const nextParam = z
  .string()
  .max(4096)
  .refine((next) => !next.includes("\0") && next.isWellFormed())
  .default("")
  .catch("")
  .meta({
    description:
      "A path of this origin, such as `/chat?space=1`. Anything else, and every path below `/api/auth`, is " +
      "ignored: the browser then lands on the brand's landing page.",
    example: "/chat",
  })

export function mountOauthLogin(app: App) {
  app.operation(
    {
      method: "get",
      path: START_PATH,
      id: "startOauthLogin",
      tag,
      summary: "Sign in with the identity provider",
      description:
        "A link for browsers. It leads to the OpenID provider's page and from there back to the callback, " +
        `within ${timeInWords(TOKEN_POLICY.oauth_state.ttlMs)} ` +
        "and in the same browser. A browser that asks for `text/html` gets errors as a " +
        "small page with a link to start again.",
      open: true,
      query: z.object({ next: nextParam }),
      answer: {
        status: 302,
        description: "Redirects to the provider. A cookie notes that this browser began the login.",
        schema: z.unknown(),
        headers: { Location: "The provider's page." },
      },
      errors: ["LOGIN_NOT_CONFIGURED", "LOGIN_PROVIDER_FAILED", "LOGIN_PROVIDER_UNAVAILABLE"],
    },
    async (c, { query: { next } }) => {
      const ctx = authContext(c)
      const origin = await siteOrigin(ctx, c.req.url)
      return sendAway(c, await beginAuthorization(ctx, oidcOf(c), { origin, next, userId: null }))
    },
  )

  app.operation(
    {
      method: "get",
      path: CALLBACK_PATH,
      id: "finishOauthLogin",
      tag,
      summary: "Come back from the identity provider",
      description:
        "The provider sends the browser here. The person is signed in to the account that has this " +
        "identity; else to the account whose verified email the provider has verified too, unless that is an " +
        "admin's, which needs the identity to be linked first (`LOGIN_REFUSED`); else to a new " +
        "account, which gets the email if it is verified and free. An unverified email leads to no " +
        "account. When a signed-in account began the flow, that account gets the identity instead.\n\nIt " +
        "works once. A browser that asks for `text/html` gets errors as a small page with a link to start " +
        "again. Other clients find the link in `details.start_again`.",
      open: true,
      query: z.looseObject({
        state: z
          .string()
          .max(512)
          .default("")
          .meta({ description: "The `state` of the request to the provider.", example: "" }),
        code: z
          .string()
          .max(8192)
          .default("")
          .meta({ description: "The code that is exchanged for the ID token.", example: "" }),
        error: z.string().max(512).nullish().meta({ description: "Why the provider did not sign the person in." }),
        iss: z.string().max(2048).optional().meta({ description: "The provider's issuer (RFC 9207)." }),
      }),
      answer: {
        status: 302,
        description: "Redirects to the path that was asked for. The session is in the cookie.",
        schema: z.unknown(),
        headers: { Location: "The path that `next` gave, or the brand's landing page." },
      },
      errors: [
        "LOGIN_NOT_CONFIGURED",
        "LOGIN_STATE_INVALID",
        "LOGIN_DENIED",
        "LOGIN_REFUSED",
        "IDENTITY_TAKEN",
        "SESSION_REQUIRED",
        "LOGIN_PROVIDER_FAILED",
        "LOGIN_PROVIDER_UNAVAILABLE",
      ],
    },
    async (c, { query: { state } }) => {
      const [ctx, settings, url] = [authContext(c), oidcOf(c), new URL(c.req.url)]
      const flow = await redeemState(ctx, settings, { state, ticket: takeTicket(c, state) })
      return orStartAgain(flow, async () => {
        const identity = await completeAuthorization(ctx, settings, { flow, state, answer: url.searchParams })
        const { brand, landing_path } = await brandOf(ctx, c.req.url)
        if (flow.user_id === null) {
          const { userId, epoch } = await resolveIdentity(ctx, identity, { brand })
          await openSession(c, ctx, userId, { grantedBy: { epoch }, refusal: "LOGIN_REFUSED" }).catch(askThere)
        } else await linkToCaller(c, flow.user_id, identity)
        return c.redirect(safeNext(flow.redirect_to, url.origin) ?? landing_path, 302)
      })
    },
  )
}

/** A browser that is sent on asks for the code where it lands. */
function askThere(error: unknown): void {
  if (!(error instanceof TurnpikeError) || error.code !== "SECOND_FACTOR_REQUIRED") throw error
}

/** Links the identity to the signed-in account, if it is the one that began the flow. */
async function linkToCaller(c: HonoContext<AppEnv>, userId: number, identity: ProvedIdentity): Promise<void> {
  const ctx = c.get("ctx")
  const session = await readSessionToken(ctx, getCookie(c, SESSION_COOKIE) ?? "")
  if (!session)
    throw new TurnpikeError("SESSION_REQUIRED", "The session has ended. Sign in, and link the identity again.")
  await linkIdentity(ctx, { kind: "session", token: session.token, test: false }, { userId, identity })
}

/** The state is used up, so later failures say where to start again. */
async function orStartAgain<T>({ user_id, redirect_to }: OauthState, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error
    const { code, message, retryAfter, cause } = error
    const path = user_id === null ? START_PATH : "/api/account/identities/link"
    const start_again = redirect_to === null ? path : `${path}?next=${encodeURIComponent(redirect_to)}`
    throw new TurnpikeError(code, message, { details: { start_again }, cause, ...(retryAfter && { retryAfter }) })
  }
}
