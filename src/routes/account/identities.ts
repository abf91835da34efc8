import { createMiddleware } from "hono/factory"
import * as z from "zod"
import { TurnpikeError } from "../../base/errors.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { loginPages } from "../../http/login-pages.ts"
import { sendAway } from "../../http/oauth-ticket.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { fromOwnPage } from "../../http/same-origin.ts"
import { actingReadOnly } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { UNLINK_IDENTITY_ERRORS, unlinkIdentity } from "../../sign-in/link-identity.ts"
import { identitySchema, listIdentities } from "../../sign-in/list-identities.ts"
import { BEGIN_AUTHORIZATION_ERRORS, beginAuthorization } from "../../sign-in/oidc-begin.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { getCurrentUser } from "../../users/get-me.ts"
import { authContext, oidcOf } from "../auth/context.ts"
import { nextParam } from "../auth/oauth-login.ts"

const tag = "Identities"
const LINK_PATH = "/api/account/identities/link"

/**
 * Stops login CSRF: another site could sign the browser in to its own identity at the provider and then open this
 * link.
 */
const ownPagesOnly = createMiddleware<AppEnv>(async (c, next) => {
  if (!fromOwnPage(c)) throw new TurnpikeError("CROSS_ORIGIN", "Follow the link from a page of this origin.")
  await next()
})

export function mountIdentities(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/identities",
      id: "listIdentities",
      tag,
      summary: "List identities",
      description:
        "Your identities at other services, the oldest first. Anyone who can sign in to one of them can sign in here as you.",
      query: z.strictObject(listQuery),
      answer: { status: 200, description: "A page of identities.", schema: listOf(identitySchema) },
      errors: [],
    },
    async (c, { query: { limit, offset } }) => {
      const { identities, total } = await listIdentities(c.get("ctx"), sessionOf(c), { limit, offset })
      return { items: identities, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/identities/{identity_id}",
      id: "unlinkIdentity",
      tag,
      summary: "Unlink an identity",
      description:
        "You can no longer sign in with this identity. If it is used to sign in again, a new account is created. " +
        "Sessions that were opened with it stay open. You cannot unlink your last way to sign in: first link another identity or set a " +
        "password.",
      params: z.object({ identity_id: idParam }),
      answer: { status: 200, description: "The identity is unlinked.", schema: z.object({ ok: z.literal(true) }) },
      errors: UNLINK_IDENTITY_ERRORS,
    },
    async (c, { params: { identity_id } }) => {
      await unlinkIdentity(c.get("ctx"), sessionOf(c), identity_id)
      return { ok: true as const }
    },
  )

  app.use(LINK_PATH, loginPages, ownPagesOnly)
  app.operation(
    {
      method: "get",
      path: LINK_PATH,
      id: "linkIdentity",
      tag,
      summary: "Link an identity of the identity provider",
      description:
        "A link for browsers. It must be followed from a page of this origin. It redirects to the OpenID provider " +
        "and back, and then links the identity to your account, whatever its email. The same user must still " +
        "be signed in when the browser returns. An identity of another account is rejected with " +
        "`IDENTITY_TAKEN`.",
      query: z.strictObject({ next: nextParam }),
      answer: {
        status: 302,
        description: "Redirects to the provider. A cookie records that this browser started the login.",
        schema: z.unknown(),
        headers: { Location: "The provider's page." },
      },
      errors: [...BEGIN_AUTHORIZATION_ERRORS, "CROSS_ORIGIN", "LOGIN_NOT_CONFIGURED", "ACTING_READ_ONLY"],
    },
    async (c, { query: { next } }) => {
      const ctx = authContext(c)
      const session = sessionOf(c)
      // GET is a safe method, but this one starts a change, so an acting admin must not use it.
      if (session.acting) throw actingReadOnly()
      const { user_id } = await getCurrentUser(ctx, session)
      const origin = await siteOrigin(ctx, c.req.url)
      return sendAway(c, await beginAuthorization(ctx, oidcOf(c), { origin, next, userId: user_id }))
    },
  )
}
