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
import { LINK_IDENTITY_ERRORS, linkIdentity } from "../../sign-in/link-identity.ts"
import {
  BEGIN_AUTHORIZATION_ERRORS,
  beginAuthorization,
  CALLBACK_PATH,
  type OauthState,
} from "../../sign-in/oidc-begin.ts"
import { COMPLETE_AUTHORIZATION_ERRORS, completeAuthorization, redeemState } from "../../sign-in/oidc-complete.ts"
import { TOKEN_POLICY } from "../../sign-in/policies.ts"
import { type ProvedIdentity, RESOLVE_IDENTITY_ERRORS, resolveIdentity } from "../../sign-in/resolve-identity.ts"
import { safeNext } from "../../sign-in/safe-next.ts"
import { readSessionToken } from "../../sign-in/session-token.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { authContext, oidcOf } from "./context.ts"

const tag = "auth"
const START_PATH = "/api/auth/oauth-login/start"

/** The path to which the browser returns after the login. Anything that is not a path of this origin is ignored. */
export const nextParam = z
  .string()
  .max(4096)
  .refine((next) => !next.includes("\0") && next.isWellFormed())
  .default("")
  .catch("")
  .meta({
    description:
      "A path of this origin, such as `/chat?space=1`. Anything else, and every path below `/api/auth`, is " +
      "ignored: the browser then goes to the brand's landing page.",
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
        "A link for browsers. It redirects to the OpenID provider's page and from there back to the callback. The login must finish " +
        `within ${timeInWords(TOKEN_POLICY.oauth_state.ttlMs)} ` +
        "and in the same browser. A browser that accepts `text/html` gets errors as a " +
        "small page with a link to start again.",
      open: true,
      // Links from mails and other sites get parameters of trackers.
      query: z.looseObject({ next: nextParam }),
      answer: {
        status: 302,
        description: "Redirects to the provider. A cookie records that this browser started the login.",
        schema: z.unknown(),
        headers: { Location: "The provider's page." },
      },
      errors: [...BEGIN_AUTHORIZATION_ERRORS, "LOGIN_NOT_CONFIGURED"],
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
      summary: "Finish a sign-in with the identity provider",
      description:
        "The provider redirects the browser here. The account is selected in this order. First: the account that has this " +
        "identity. Second: the account with the same email, if both sides have verified it. An admin's account " +
        "needs a linked identity instead (`LOGIN_REFUSED`). Third: a new " +
        "account, which gets the email if it is verified and unused. An unverified email never selects an " +
        "account. If a signed-in user started the flow, the identity is linked to that user's account instead.\n\nThe callback " +
        "works once. A browser that accepts `text/html` gets errors as a small page with a link to start " +
        "again. Other clients find the link in `details.start_again`.",
      open: true,
      // The provider may add parameters, which are ignored (RFC 6749 section 4.1.2).
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
        error: z
          .string()
          .max(512)
          .nullish()
          .meta({ description: "The reason why the provider did not sign the person in." }),
        iss: z.string().max(2048).optional().meta({ description: "The provider's issuer (RFC 9207)." }),
      }),
      answer: {
        status: 302,
        description: "Redirects to the requested path. The session is in the cookie.",
        schema: z.unknown(),
        headers: { Location: "The path in `next`, or the brand's landing page." },
      },
      errors: [
        ...COMPLETE_AUTHORIZATION_ERRORS,
        ...LINK_IDENTITY_ERRORS,
        ...RESOLVE_IDENTITY_ERRORS,
        "LOGIN_NOT_CONFIGURED",
        "SESSION_REQUIRED",
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

/** Ignores SECOND_FACTOR_REQUIRED: the page to which the browser is redirected asks for the code. */
function askThere(error: unknown): void {
  if (!(error instanceof TurnpikeError) || error.code !== "SECOND_FACTOR_REQUIRED") throw error
}

/** Links the identity to the signed-in account, if that account started the flow. */
async function linkToCaller(c: HonoContext<AppEnv>, userId: number, identity: ProvedIdentity): Promise<void> {
  const ctx = c.get("ctx")
  const session = await readSessionToken(ctx, getCookie(c, SESSION_COOKIE) ?? "")
  if (!session)
    throw new TurnpikeError("SESSION_REQUIRED", "The session has ended. Sign in, and link the identity again.")
  await linkIdentity(ctx, { kind: "session", token: session.token, test: false }, { userId, identity })
}

/** The state is already used up, so later errors contain a link to start again. */
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
