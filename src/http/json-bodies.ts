import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { MAX_NESTING, textNestsTooDeep } from "../base/storable.ts"
import type { AppEnv } from "./app-env.ts"

const MAX_JSON_BYTES = 1024 * 1024

/** A body is JSON or there is none, also where none is asked for. */
export const jsonOnly = createMiddleware<AppEnv>(async (c, next) => {
  const length = c.req.header("content-length")
  const hasBody = c.req.raw.body !== null && length !== "0"
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (hasBody && type !== "application/json") {
    throw new TurnpikeError("UNSUPPORTED_MEDIA_TYPE", "Send the body with `Content-Type: application/json`.")
  }
  await next()
})

/** Before a body is read: that it is JSON, at most 1 MiB of it, and no deeper than anything can walk through. */
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
