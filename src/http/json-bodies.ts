import { Buffer } from "node:buffer"
import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { changedNumber, parseExact } from "../base/exact-json.ts"
import { shapeFault } from "../base/storable.ts"
import { type Loan, MEMORY } from "../platform/memory.ts"
import type { AppEnv } from "./app-env.ts"
import { refuseCharset, refuseEncoded, textOfJson } from "./body-coding.ts"
import { brokenOff, inTime } from "./body-time.ts"
import { BODY_POLICY } from "./policies.ts"
import { validationError } from "./validation-error.ts"

export const MAX_JSON_BYTES = 1024 * 1024

/** The limit for operations without a credential. They need no larger body. */
export const MAX_OPEN_BYTES = 16 * 1024

/**
 * The limit for operations that other servers call. Their secret is checked only after the body is
 * read, so they get no memory budget.
 */
export const MAX_SERVERS_BYTES = 128 * 1024

/** Rejects a body that is not JSON, also if the operation expects no body. */
export const jsonOnly = createMiddleware<AppEnv>(async (c, next) => {
  const length = c.req.header("content-length")
  const hasBody = c.req.raw.body !== null && length !== "0"
  const type = c.req.header("content-type")
  if (hasBody && type?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new TurnpikeError("UNSUPPORTED_MEDIA_TYPE", "Send the body with `Content-Type: application/json`.")
  }
  if (hasBody) {
    refuseEncoded(c.req.raw.headers)
    refuseCharset(type ?? null)
  }
  await next()
})

/**
 * Checks a body before it is parsed: JSON, at most `maxBytes`, in time, without too many or too deeply nested values.
 */
export const jsonBodies = (maxBytes: number, keepsNumbers = false) => [jsonOnly, readWhole(maxBytes, keepsNumbers)]

const readWhole = (maxBytes: number, keepsNumbers: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (c.req.raw.body === null) return next()
    const length = c.req.header("content-length")
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
    const ctx = c.get("ctx")
    const over = new AbortController()
    let loan: Loan | null = null
    // Waits for a moment if needed: the large bodies before it are read soon.
    const lend = async (bytes: number) => {
      const holder = await holderOf(c)
      over.signal.throwIfAborted()
      loan = ctx.memory.open(MEMORY.shares.body, holder, ctx.clock)
      const signal = AbortSignal.any([c.req.raw.signal, over.signal])
      if (!(await loan.growSoon(bytes, signal))) throw noMemory()
    }
    const read = async () => {
      if (length !== undefined) {
        if (Number(length) > MEMORY.smallBytes) await lend(Number(length))
        return new Uint8Array(await c.req.raw.arrayBuffer())
      }
      return readUpTo(c, maxBytes, lend)
    }
    const bytes = await inTime(ctx.clock, BODY_POLICY.jsonMs, read)
      .catch(brokenOff)
      .finally(() => {
        over.abort()
        loan?.close()
      })
    const text = textOfJson(bytes)
    // Hono parses the text that is cached here.
    c.req.bodyCache.text = Promise.resolve(text) as never
    // Checked before any code walks through the value.
    const fault = shapeFault(text)
    if (fault) throw new TurnpikeError("VALIDATION_FAILED", `The body ${fault}.`)
    // Bodies from other servers follow their own rules. In all others, numbers that are stored or
    // passed on must keep their value.
    if (maxBytes !== MAX_SERVERS_BYTES) {
      if (keepsNumbers) c.req.json = async () => parseExact(text) as never
      else refuseChanged(text)
      refuseHidden(text)
    }
    return next()
  })

/**
 * The holder of a large body's memory: the account, or the address of another server. The account is looked
 * up before the body is read, so that an invented credential holds no memory. Throws the credential's 401.
 */
async function holderOf(c: HonoContext<AppEnv>): Promise<string> {
  const ctx = c.get("ctx")
  const credential = c.get("credential") as Credential | undefined
  if (!credential) return ctx.address ?? ""
  const { actor } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select("user_id"))
  return `user ${actor.user_id}`
}

/** Reads a body of unknown size. Calls `lend` for memory once the body exceeds the size of a small one. */
async function readUpTo(
  c: HonoContext<AppEnv>,
  maxBytes: number,
  lend: (bytes: number) => Promise<void> = async () => {},
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of c.req.raw.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    // Reserves the maximum at once. Several readers that each held a part could wait for each other forever.
    if (bytes > MEMORY.smallBytes && bytes - piece.length <= MEMORY.smallBytes) await lend(maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Reads a body of any type, up to `maxBytes`. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or VALIDATION_FAILED. */
export async function bytesOf(c: HonoContext<AppEnv>, maxBytes: number): Promise<ArrayBuffer> {
  const length = c.req.header("content-length")
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
  const read = async () => {
    if (length !== undefined || c.req.raw.body === null) return c.req.arrayBuffer()
    const bytes = new Uint8Array(await readUpTo(c, maxBytes)).buffer
    // Handlers parse the bytes that are cached here.
    c.req.bodyCache.arrayBuffer = Promise.resolve(bytes) as never
    return bytes
  }
  return inTime(c.get("ctx").clock, BODY_POLICY.jsonMs, read).catch(brokenOff)
}

function refuseChanged(text: string): void {
  let changed: ReturnType<typeof changedNumber>
  try {
    changed = changedNumber(text)
  } catch {
    // The handler reports invalid JSON.
    return
  }
  if (!changed) return
  const { path, digits } = changed
  const message = Number.isFinite(Number(digits))
    ? `the number ${digits.slice(0, 40)} cannot be stored exactly: send it as a string, in quotes, if the field accepts one`
    : `the number ${digits.slice(0, 40)} is too large`
  throw validationError([{ code: "custom", path, message, input: undefined }], "body")
}

/** Code that copies an object field by field would drop this one, since assigning it sets the prototype. */
const HIDDEN = "__proto__"

function refuseHidden(text: string): void {
  // Escaped, the name has at least one such sequence.
  if (!text.includes(HIDDEN) && !/\\u00[5-7]/i.test(text)) return
  let path: string[] | null
  try {
    path = findHidden(JSON.parse(text), [])
  } catch {
    return
  }
  if (path) {
    throw validationError(
      [{ code: "custom", path, message: "is no name that can be stored", input: undefined }],
      "body",
    )
  }
}

function findHidden(value: unknown, path: string[]): string[] | null {
  if (typeof value !== "object" || value === null) return null
  for (const [key, item] of Object.entries(value)) {
    const found = key === HIDDEN ? [...path, key] : findHidden(item, [...path, key])
    if (found) return found
  }
  return null
}

const noMemory = () =>
  new TurnpikeError("UNAVAILABLE", "Too many large bodies are being read at this moment. Try again in a moment.", {
    retryAfter: 5,
  })

const tooLarge = (maxBytes: number) =>
  new TurnpikeError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes} bytes.`)
