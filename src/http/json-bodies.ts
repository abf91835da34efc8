import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { MAX_NESTING, textNestsTooDeep } from "../base/storable.ts"
import type { AppEnv } from "./app-env.ts"

const MAX_JSON_BYTES = 1024 * 1024

/** A body must be JSON, also where none is expected. */
export const jsonOnly = createMiddleware<AppEnv>(async (c, next) => {
  const length = c.req.header("content-length")
  const hasBody = c.req.raw.body !== null && length !== "0"
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (hasBody && type !== "application/json") {
    throw new TurnpikeError("UNSUPPORTED_MEDIA_TYPE", "Send the body with `Content-Type: application/json`.")
  }
  await next()
})

/** Checks a body before it is parsed: JSON, at most 1 MiB, and not nested too deeply. */
export const jsonBodies = [
  jsonOnly,
  bodyLimit({
    maxSize: MAX_JSON_BYTES,
    onError: () => {
      throw new TurnpikeError("PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_JSON_BYTES} bytes.`)
    },
  }),
  createMiddleware<AppEnv>(async (c, next) => {
    // Before anything walks through it.
    if (c.req.raw.body !== null && textNestsTooDeep(await c.req.text())) {
      throw new TurnpikeError("VALIDATION_FAILED", `The body nests deeper than ${MAX_NESTING} levels.`)
    }
    await next()
  }),
] as const
