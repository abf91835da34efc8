import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { shapeFault } from "../base/storable.ts"
import type { AppEnv } from "./app-env.ts"

export const MAX_JSON_BYTES = 1024 * 1024

/** Of operations that anybody may call: nothing that they take is larger. */
export const MAX_OPEN_BYTES = 16 * 1024

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

/** Checks a body before it is parsed: JSON, at most 1 MiB (16 KiB where anybody may send it), of a shape that can be walked. */
export const jsonBodies = (isOpen: boolean) => [jsonOnly, isOpen ? openLimit : usualLimit, shapeLimit]

const limitOf = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new TurnpikeError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxSize} bytes.`)
    },
  })

const usualLimit = limitOf(MAX_JSON_BYTES)
const openLimit = limitOf(MAX_OPEN_BYTES)

const shapeLimit = createMiddleware<AppEnv>(async (c, next) => {
  // Before anything walks through it.
  const fault = c.req.raw.body === null ? null : shapeFault(await c.req.text())
  if (fault) throw new TurnpikeError("VALIDATION_FAILED", `The body ${fault}.`)
  await next()
})
