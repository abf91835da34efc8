import { Buffer } from "node:buffer"
import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { shapeFault } from "../base/storable.ts"
import type { AppEnv } from "./app-env.ts"
import { brokenOff, inTime } from "./body-time.ts"
import { BODY_POLICY } from "./policies.ts"

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

/** Checks a body before it is parsed: JSON, at most 1 MiB (16 KiB where anybody may send it), in time, of a shape that can be walked. */
export const jsonBodies = (isOpen: boolean) => [jsonOnly, readWhole(isOpen ? MAX_OPEN_BYTES : MAX_JSON_BYTES)]

const readWhole = (maxBytes: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (c.req.raw.body === null) return next()
    const length = c.req.header("content-length")
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
    const read = () => (length === undefined ? readUpTo(c, maxBytes) : c.req.text())
    const text = await inTime(c.get("ctx").clock, BODY_POLICY.jsonMs, read).catch(brokenOff)
    // Before anything walks through it.
    const fault = shapeFault(text)
    if (fault) throw new TurnpikeError("VALIDATION_FAILED", `The body ${fault}.`)
    return next()
  })

/** A body whose size is not known before; Hono parses the text that is left in its cache. */
async function readUpTo(c: HonoContext<AppEnv>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of c.req.raw.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    pieces.push(piece)
  }
  const text = new TextDecoder().decode(Buffer.concat(pieces))
  c.req.bodyCache.text = Promise.resolve(text) as never
  return text
}

const tooLarge = (maxBytes: number) =>
  new TurnpikeError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes} bytes.`)
