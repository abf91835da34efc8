import * as z from "zod"
import { timeInWords } from "../../base/in-words.ts"
import { PROOF_MINUTES } from "../../base/powers.ts"
import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import { SESSION_POLICY, TOKEN_POLICY } from "../../sign-in/policies.ts"
import { proveAgain, reauthenticateSchema } from "../../sign-in/proof.ts"
import { resetPassword, resetPasswordSchema, startReset, startResetSchema } from "../../sign-in/reset-password.ts"
import { completeSession, factorCodeSchema } from "../../sign-in/second-factor.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "auth"
const done = z.object({ ok: z.literal(true) })

/** Proofs of who somebody is, beside a login: a second factor's code, a fresh proof, a link by email. */
export function mountProof(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/second-factor",
      id: "answerSecondFactor",
      tag,
      summary: "Finish signing in with a code",
      description:
        `For the session that signing in has set with \`SECOND_FACTOR_REQUIRED\`, within ${timeInWords(SESSION_POLICY.factorMs)}. ` +
        "Each code works once. A recovery " +
        "code, which works once too, stands in for the app.",
      body: factorCodeSchema,
      answer: { status: 200, description: "The user; the session is open.", schema: userSchema },
      errors: ["WRONG_CODE", "LOGIN_THROTTLED"],
    },
    async (c, { body: { code } }) =>
      completeSession(authContext(c), sessionOf(c), { code, userAgent: c.req.header("user-agent") ?? null }),
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/reauthenticate",
      id: "reauthenticate",
      tag,
      summary: "Prove again who you are",
      description:
        `What reads secrets, gives lasting access or spends somebody's money answers \`REAUTHENTICATION_REQUIRED\` unless you have signed in, ` +
        `or proved this, within ${PROOF_MINUTES} minutes. Each such operation says so. Send your password if you have one, and a code if you ` +
        "have a second factor. With neither this answers `REAUTHENTICATION_REQUIRED` too: sign in again through your identity provider " +
        "(`GET /api/auth/oauth-login/start?next=…` comes back to your page) or the messaging platform. That is the proof.",
      body: reauthenticateSchema,
      answer: { status: 200, description: `It is proved for ${PROOF_MINUTES} minutes.`, schema: done },
      errors: ["REAUTHENTICATION_REQUIRED", "WRONG_PASSWORD", "WRONG_CODE", "LOGIN_THROTTLED"],
    },
    async (c, { body }) => {
      await proveAgain(authContext(c), sessionOf(c), body)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/password-reset/start",
      id: "startPasswordReset",
      tag,
      summary: "Send a link to set a new password",
      description:
        "Sends it by email if the email has an account; the answer does not say whether it has. The link works once, " +
        `within ${timeInWords(TOKEN_POLICY.password_reset.ttlMs)}, ` +
        "and not after the account's sessions were ended. An admin gets one only with a second factor.",
      open: true,
      body: startResetSchema,
      answer: { status: 200, description: "It is sent, if there is such an account.", schema: done },
      errors: ["EMAIL_NOT_CONFIGURED", "LOGIN_THROTTLED"],
    },
    async (c, { body: { email } }) => {
      const ctx = authContext(c)
      await startReset(ctx, { email, origin: await siteOrigin(ctx, c.req.url) })
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/password-reset",
      id: "resetPassword",
      tag,
      summary: "Set a new password with a link's token",
      description:
        "All sessions of the account end, and so does every token that would open one. Sign in with the new password then.",
      open: true,
      body: resetPasswordSchema,
      answer: { status: 200, description: "The new password is set.", schema: done },
      errors: ["INVALID_TOKEN"],
    },
    async (c, { body }) => {
      await resetPassword(authContext(c), body)
      return { ok: true as const }
    },
  )
}
