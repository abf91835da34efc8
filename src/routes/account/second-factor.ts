import * as z from "zod"
import type { App } from "../../http/app.ts"
import { setSessionCookie } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  beginFactor,
  CONFIRM_FACTOR_ERRORS,
  confirmFactor,
  factorCodeSchema,
  factorSecretSchema,
  factorStateSchema,
  readFactor,
  recoveryCodesSchema,
  removeFactor,
} from "../../sign-in/second-factor.ts"
import { authContext } from "../auth/context.ts"

const tag = "Sessions"
const PATH = "/api/account/second-factor"

export function mountSecondFactor(app: App) {
  app.operation(
    {
      method: "get",
      path: PATH,
      id: "getSecondFactor",
      tag,
      summary: "Read your second factor",
      answer: { status: 200, description: "The state of your second factor.", schema: factorStateSchema },
      errors: [],
    },
    async (c) => readFactor(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: PATH,
      id: "beginSecondFactor",
      tag,
      summary: "Start to set up a second factor",
      description:
        "Creates a secret for an authenticator app (TOTP, RFC 6238), which only this response shows. The second factor is active once " +
        "you have confirmed it with a code from the app. Until then you can start again.",
      answer: { status: 200, description: "The secret.", schema: factorSecretSchema },
      errors: ["CONFLICT"],
    },
    async (c) => beginFactor(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: `${PATH}/confirm`,
      id: "confirmSecondFactor",
      tag,
      summary: "Confirm your second factor",
      description:
        "From now on, every way to sign in requires a code. All other sessions end. The session of this request continues with a " +
        "new cookie. Only this response shows the recovery codes: do not store them on the same device as the app.",
      body: factorCodeSchema,
      answer: { status: 200, description: "The recovery codes.", schema: recoveryCodesSchema },
      errors: CONFIRM_FACTOR_ERRORS,
    },
    async (c, { body }) => {
      const { token, codes } = await confirmFactor(authContext(c), sessionOf(c), body.code)
      await setSessionCookie(c, token)
      return { recovery_codes: codes }
    },
  )

  app.operation(
    {
      method: "delete",
      path: PATH,
      id: "removeSecondFactor",
      tag,
      summary: "Remove your second factor",
      description: "Its recovery codes are removed too.",
      answer: { status: 200, description: "The second factor is removed.", schema: z.object({ ok: z.literal(true) }) },
      errors: ["NOT_FOUND"],
    },
    async (c) => {
      await removeFactor(c.get("ctx"), sessionOf(c))
      return { ok: true as const }
    },
  )
}
