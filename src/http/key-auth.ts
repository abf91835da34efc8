import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { parseApiKey } from "../keys/api-key.ts"
import type { AppEnv } from "./app-env.ts"

/** Reads `Authorization: Bearer <API_KEY>`. A key with a wrong form or checksum is refused without any I/O. */
export const keyAuth = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header("authorization")
  if (!header) throw new TurnpikeError("INVALID_API_KEY", "Send your key as `Authorization: Bearer <API_KEY>`.")
  const match = /^bearer +(\S+)$/i.exec(header.trim())
  const credential = match?.[1] ? parseApiKey(match[1]) : null
  if (!credential) {
    const message = match
      ? "This is not a well-formed API key: copy it again, whole."
      : "The Authorization header must be `Bearer <API_KEY>`, with nothing else in it."
    throw new TurnpikeError("INVALID_API_KEY", message)
  }
  c.set("credential", credential)
  await next()
})
