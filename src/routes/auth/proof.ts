import * as z from "zod"
import { timeInWords } from "../../base/in-words.ts"
import { PROOF_MINUTES } from "../../base/powers.ts"
import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import { SESSION_POLICY, TOKEN_POLICY } from "../../sign-in/policies.ts"
import { PROVE_AGAIN_ERRORS, proveAgain, reauthenticateSchema } from "../../sign-in/proof.ts"
import {
  resetPassword,
  resetPasswordSchema,
  START_RESET_ERRORS,
  startReset,
  startResetSchema,
} from "../../sign-in/reset-password.ts"
import { COMPLETE_SESSION_ERRORS, completeSession, factorCodeSchema } from "../../sign-in/second-factor.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "auth"
const done = z.object({ ok: z.literal(true) })

/** Proofs of identity other than a login: the code of a second factor, the password again, a link sent by email. */
export function mountProof(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/second-factor",
      id: "answerSecondFactor",
      tag,
      summary: "Finish signing in with a code",
      description:
        `Opens the session that a login with \`SECOND_FACTOR_REQUIRED\` has set, within ${timeInWords(SESSION_POLICY.factorMs)}. ` +
        "Each code works once. Instead of a code from the app you can send a recovery " +
        "code, which also works once.",
      body: factorCodeSchema,
      answer: { status: 200, description: "The user; the session is open.", schema: userSchema },
      errors: COMPLETE_SESSION_ERRORS,
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
      summary: "Confirm your identity again",
      description:
        "Operations that read secrets, give lasting access or spend money return `REAUTHENTICATION_REQUIRED` unless you signed in, " +
        `or called this operation, within the last ${PROOF_MINUTES} minutes. Their descriptions say so. Send your password if you have one, and a code if you ` +
        "have a second factor. If you have neither, this operation returns `REAUTHENTICATION_REQUIRED` too. Then sign in again through your identity provider " +
        "(`GET /api/auth/oauth-login/start?next=…` returns to your page) or the messaging platform.",
      body: reauthenticateSchema,
      answer: { status: 200, description: `Your identity is confirmed for ${PROOF_MINUTES} minutes.`, schema: done },
      errors: [...PROVE_AGAIN_ERRORS, "REAUTHENTICATION_REQUIRED"],
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
      summary: "Request a password reset link",
      description:
        "Sends the link by email if the email has an account. The response does not reveal whether it has one. The link works once, " +
        `within ${timeInWords(TOKEN_POLICY.password_reset.ttlMs)}, ` +
        "and only until the account's sessions are ended. An admin gets a link only with a second factor.",
      open: true,
      body: startResetSchema,
      answer: { status: 200, description: "The link is sent, if the email has an account.", schema: done },
      errors: START_RESET_ERRORS,
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
      summary: "Reset a password",
      description:
        "Takes the token of a reset link. Sets the new password, and ends all sessions of the account. Tokens that could open a session become invalid.",
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
