import { createMiddleware } from "hono/factory"
import { matchedRoutes } from "hono/route"
import { parseAuthEnv } from "../../base/env.ts"
import { TurnpikeError } from "../../base/errors.ts"
import { isSameSecret } from "../../base/same-secret.ts"
import { nothingAt } from "../../http/api-errors.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { noteRightSecret } from "../../http/doors.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { INTERNAL_SECRET } from "../../http/policies.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { openSession } from "../../http/session-auth.ts"
import { brandOf } from "../../sign-in/brand-of.ts"
import { idpSessionSchema, RESOLVE_IDENTITY_ERRORS, resolveIdentity } from "../../sign-in/resolve-identity.ts"
import { userSchema } from "../../users/user-row.ts"

const IDP_PATH = "/api/auth/idp/session"

/**
 * `sameOrigin` for /api/auth, except for servers that call this operation: they send no browser headers. The
 * operation then requires the secret. Without a configured secret it looks as if it did not exist.
 */
export const sameOriginOrInternal = createMiddleware<AppEnv>(async (c, next) => {
  const isElsewhere = matchedRoutes(c).some(({ method, path }) => method !== "ALL" && path !== IDP_PATH)
  const has = (name: string) => c.req.header(name) !== undefined
  const isServer = !has("sec-fetch-site") && !has("origin")
  return isServer && !isElsewhere ? next() : sameOrigin(c, next)
})

/** Runs before anything else. Without a configured secret the path returns 404, and a wrong secret is rejected. */
const internalSecret = createMiddleware<AppEnv>(async (c, next) => {
  const { IDP_INTERNAL_SECRET: secret } = parseAuthEnv(c.env)
  // Thrown and not returned: otherwise the 405 for other methods would name this method.
  if (secret === undefined) throw nothingAt(c.req.path)
  if (c.req.method === "POST") {
    if (!isSameSecret(c.req.header(INTERNAL_SECRET) ?? "", secret)) {
      throw new TurnpikeError("INVALID_INTERNAL_SECRET", "Send the secret in the X-Internal-Secret header.")
    }
    noteRightSecret(c)
  }
  await next()
})

export function mountIdpSession(app: App) {
  app.use(IDP_PATH, internalSecret, jsonOnly)
  app.operation(
    {
      method: "post",
      path: IDP_PATH,
      id: "createIdpSession",
      tag: "auth",
      summary: "Create a session for a user of your own identity service",
      description:
        "A call from server to server, never from a page. `X-Internal-Secret` is a secret that both " +
        "servers know. If no secret is configured, this operation does not exist. The claims select an account in the same way as " +
        "a sign-in with the identity provider: by issuer and subject, else by an email that is " +
        "verified on both sides, else a new account is created. Accounts of admins are rejected.",
      open: true,
      byServer: true,
      headers: [
        {
          name: INTERNAL_SECRET,
          description: "The value of IDP_INTERNAL_SECRET.",
          required: true,
          example: "a-long-random-secret",
        },
      ],
      body: idpSessionSchema,
      answer: {
        status: 200,
        description: "The user. The session is in the cookie `token`: pass it on to the user's browser.",
        schema: userSchema,
      },
      errors: [
        ...RESOLVE_IDENTITY_ERRORS,
        "INVALID_INTERNAL_SECRET",
        "CROSS_ORIGIN",
        "NOT_FOUND",
        "SECOND_FACTOR_REQUIRED",
      ],
    },
    async (c, { body: { issuer, subject, email, email_verified, name } }) => {
      const ctx = c.get("ctx")
      const identity = { issuer, subject, email: email ?? null, emailVerified: email_verified, name: name ?? null }
      const { brand } = await brandOf(ctx, c.req.url)
      const { userId, epoch } = await resolveIdentity(ctx, identity, { brand, exceptAdmins: true })
      return openSession(c, ctx, userId, { grantedBy: { epoch }, refusal: "LOGIN_REFUSED", exceptAdmins: true })
    },
  )
}
