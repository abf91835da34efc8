import { plainJson } from "../base/plain-json.ts"
import { describeError, type Log } from "./log.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/** The operator's server that sends emails. */
export interface EmailHook {
  url: string
  /** It proves that a request is ours: `Authorization: Bearer …`. */
  secret: string
}

/** What an email says; the operator's server has the words. */
interface Email {
  kind: "password_reset" | "new_login" | "login_locked" | "factor_changed" | "key_created" | "space_shared"
  /** Null: the account has no email, and gets none. */
  to: string | null
  brand: string
  data: Record<string, unknown>
}

interface Sender {
  readonly emailHook: EmailHook | null
  readonly fetch: typeof fetch
  readonly log: Log
  background(work: Promise<unknown>): void
}

/** Asks the operator's server for an email, behind the answer. One that fails is logged and not repeated: the feed has every notice too. */
export function sendEmail({ emailHook, fetch, log, background }: Sender, { kind, to, brand, data }: Email): void {
  if (!emailHook || to === null) return
  const request = {
    method: "POST",
    redirect: "manual" as const,
    headers: { "content-type": "application/json", authorization: `Bearer ${emailHook.secret}` },
    body: plainJson({ kind, to, brand, data }),
    signal: AbortSignal.timeout(TIME_LIMITS.emailMs),
  }
  const sent = fetch(emailHook.url, request)
    .then(async (response) => {
      await response.body?.cancel()
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
    })
    .catch((error: unknown) => log("error", "email.failed", { kind, error: describeError(error) }))
  background(sent)
}
