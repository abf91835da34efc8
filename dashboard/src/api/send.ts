import { ApiError } from "./api-error.ts"
import { type Answer, type Arguments, type CallOptions, call, type OperationId } from "./call.ts"
import { OPERATIONS } from "./operations.ts"
import { readTab, writeTab } from "./tab-store.ts"

/** A second click on the same page within this time after a success gets the same answer. */
const DOUBLE_CLICK_MS = 1000

/** The service recognises a key for at least 7 days. */
const KEY_LIFE_MS = 6 * 86_400_000

interface Attempt {
  key: string
  at: number
}

/** The requests that run now, by their content. */
const running = new Map<string, Promise<unknown>>()

/** Answers that a second click gets, by the content of the request. */
const answered = new Map<string, Promise<unknown>>()

/** Forgets the answers for second clicks. On another page, or back from it, the same click is a new request. */
export const forgetAnswers = () => answered.clear()

/**
 * Sends a change. The same change, sent again while the first request runs, joins it. If the operation accepts an
 * Idempotency-Key, a repeat after a lost answer uses the key of the first attempt, so that it takes effect once.
 */
export function send<Id extends OperationId>(id: Id, input: Arguments<Id>[0]): Promise<Answer<Id>> {
  const content = contentOf(id, input)
  const known = running.get(content) ?? answered.get(content)
  if (known) return known as Promise<Answer<Id>>
  const { once } = OPERATIONS[id]
  const answer = once ? sendOnce(id, input, content) : call(id, ...([input] as unknown as Arguments<Id>))
  running.set(content, answer)
  const end = () => void running.delete(content)
  answer.then(() => {
    if (once) keepAnswer(content, answer)
    end()
  }, end)
  return answer
}

function keepAnswer(content: string, answer: Promise<unknown>): void {
  answered.set(content, answer)
  setTimeout(() => answered.get(content) === answer && answered.delete(content), DOUBLE_CLICK_MS)
}

/** The whole request as text. A file counts with its name, size and time. */
function contentOf(id: OperationId, input: unknown): string {
  const { signal: _signal, ...parts } = (input ?? {}) as CallOptions
  return JSON.stringify([id, parts], (_name, value: unknown) =>
    value instanceof Blob
      ? [value.type, value.size, ...(value instanceof File ? [value.name, value.lastModified] : [])]
      : value,
  )
}

async function sendOnce<Id extends OperationId>(id: Id, input: Arguments<Id>[0], content: string): Promise<Answer<Id>> {
  const name = `attempt.${await digestOf(content)}`
  const idempotencyKey = keyOf(name)
  try {
    const answer = await call(id, ...([{ ...input, idempotencyKey }] as unknown as Arguments<Id>))
    writeTab(name, null)
    return answer
  } catch (error) {
    // The result of the earlier request is gone, so the next attempt is a new request.
    if (error instanceof ApiError && error.faults.some(({ type }) => type === "idempotency_key_reused"))
      writeTab(name, null)
    throw error
  }
}

/** The key of an earlier attempt without an answer, or a new key. It is stored, because the page may be reloaded. */
function keyOf(name: string): string {
  const known = attemptIn(readTab(name))
  if (known && Date.now() - known.at < KEY_LIFE_MS) return known.key
  const key = crypto.randomUUID()
  writeTab(name, JSON.stringify({ key, at: Date.now() } satisfies Attempt))
  return key
}

function attemptIn(text: string | null): Attempt | null {
  try {
    return text === null ? null : (JSON.parse(text) as Attempt)
  } catch {
    return null
  }
}

/** A digest, because the content may have secrets, which do not belong in the storage. */
async function digestOf(content: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
