import * as z from "zod"
import type { App } from "../../http/app.ts"
import { setSessionCookie } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  beginFactor,
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
      answer: { status: 200, description: "Whether you have one.", schema: factorStateSchema },
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
      summary: "Begin to set up a second factor",
      description:
        "Makes a secret for an authenticator app (TOTP, RFC 6238), which is shown only here. It counts once you have confirmed it with " +
        "a code of the app; until then you can begin again.",
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
      summary: "Confirm your second factor with its first code",
      description:
        "From now on signing in asks for a code, whichever way. All other sessions end; the session of this request goes on under a " +
        "new cookie. The recovery codes are shown only here: keep them somewhere else than the app.",
      body: factorCodeSchema,
      answer: { status: 200, description: "The recovery codes.", schema: recoveryCodesSchema },
      errors: ["WRONG_CODE", "LOGIN_THROTTLED", "CONFLICT"],
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
      description: "Its recovery codes go with it.",
      answer: { status: 200, description: "It is removed.", schema: z.object({ ok: z.literal(true) }) },
      errors: ["NOT_FOUND"],
    },
    async (c) => {
      await removeFactor(c.get("ctx"), sessionOf(c))
      return { ok: true as const }
    },
  )
}
