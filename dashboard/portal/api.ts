import type {
  PortalAccess,
  PortalFact,
  PortalOverview,
  PortalTurn,
  PortalTurnTexts,
  PortalWatch,
} from "../../src/portal/answers.ts"

const TIMEOUT_MS = 30_000

/** A refused or failed request. `code`: null without an answer of the service. */
export class PortalError extends Error {
  readonly code: string | null

  constructor(code: string | null) {
    super(code ?? "no answer")
    this.code = code
  }
}

/** True if the session has ended, so that no request can succeed any more. */
export const hasEnded = (error: unknown) => error instanceof PortalError && error.code === "PORTAL_SESSION_INVALID"

export interface TurnsPage {
  data: PortalTurn[]
  next_cursor: string | null
}

export type PortalApi = Awaited<ReturnType<typeof openSession>>

/** Exchanges the code of the page's address. Only this closure has the token: no cookie, and no storage. */
export async function openSession(onEnd: () => void) {
  const code = window.location.hash.slice(1)
  const session = window.location.pathname.split("/").at(-1) ?? ""
  // The code is spent now, so it stays neither in the address nor in the history.
  window.history.replaceState(null, "", window.location.pathname)
  if (code === "") throw new PortalError("PORTAL_SESSION_INVALID")
  const access = await ask<PortalAccess>("token", { method: "POST", body: JSON.stringify({ session, code }) })
  const { token, ...session_ } = access

  async function call<Answer>(path: string, body?: object): Promise<Answer> {
    try {
      return await ask<Answer>(path, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      })
    } catch (error) {
      if (hasEnded(error)) onEnd()
      throw error
    }
  }

  return {
    ...session_,
    overview: () => call<PortalOverview>("overview"),
    turns: (cursor: string | null) => call<TurnsPage>(`turns${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`),
    turn: (id: string) => call<PortalTurnTexts>(`turns/${encodeURIComponent(id)}`),
    watch: (id: string) => call<PortalWatch>(`turns/${encodeURIComponent(id)}/watch`, {}),
    change: (facts: Record<string, PortalFact["value"]>) => call<{ facts: PortalFact[] }>("profile", { facts }),
    decide: (turnId: string, call_: string, decision: "allow" | "deny") =>
      call<object>(`turns/${encodeURIComponent(turnId)}/calls/${call_}/decision`, { decision }),
  }
}

async function ask<Answer>(path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> }) {
  const response = await fetch(`/portal/api/${path}`, {
    ...init,
    headers: { ...headers, ...(init.body ? { "content-type": "application/json" } : {}) },
    credentials: "omit",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new PortalError(null)
  })
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer as Answer
  throw new PortalError((answer as { error?: { code?: string } } | null)?.error?.code ?? null)
}
