import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import type { Clock } from "../../src/platform/clock.ts"
import { sessionIdOf, signSessionToken } from "../../src/sign-in/session-token.ts"
import { startSession } from "../../src/sign-in/start-session.ts"

interface Service {
  invoke(request: Request): Promise<Response>
  env: object
  clock: Clock
}

/** Additional headers; null removes a default header. */
type Headings = Record<string, string | null>
// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
type AnyJson = any

export const ORIGIN = "https://api.test"

/**
 * A signed-in user's browser. It keeps its cookie and sends the headers that name the origin of its
 * requests.
 */
export async function signIn({ invoke, env, clock }: Service, userId: number) {
  const context = createContext(parseBaseEnv(env), () => {}, { clock })
  const { token } = await startSession(context, { userId })
  let cookie = await signSessionToken(context, token)

  async function call(method: string, path: string, body?: unknown, headers: Headings = {}) {
    const sent = new Headers({ cookie: `token=${cookie}`, "sec-fetch-site": "same-origin" })
    if (body !== undefined) sent.set("content-type", "application/json")
    for (const [name, value] of Object.entries(headers)) value === null ? sent.delete(name) : sent.set(name, value)
    const text = typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body)
    const request = new Request(ORIGIN + path, { method, headers: sent, ...(body !== undefined && { body: text }) })
    const response = await invoke(request)
    cookie = /(?:^|, )token=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? cookie
    return response
  }

  return {
    userId,
    /** The session's id in lists, and the token in its cookie. */
    sessionId: sessionIdOf(token),
    token,
    context,
    cookie: () => cookie,
    call,
    /** The status and body of a response. */
    async json(method: string, path: string, body?: unknown, headers?: Headings): Promise<[number, AnyJson]> {
      const response = await call(method, path, body, headers)
      return [response.status, await response.json()]
    },
  }
}
