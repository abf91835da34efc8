import { plainJson } from "../base/plain-json.ts"
import { describeError, type Log } from "./log.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/** The operator's server that sends emails. */
export interface EmailHook {
  url: string
  /** Authenticates our requests: `Authorization: Bearer …`. */
  secret: string
}

/** The data of an email. The operator's server writes its text. */
interface Email {
  kind: "password_reset" | "new_login" | "login_locked" | "factor_changed" | "key_created" | "space_shared"
  /** Null if the account has no email. Then nothing is sent. */
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

/**
 * Requests an email from the operator's server, after the response. A failure is logged and not
 * retried, since the feed has every notice too.
 */
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
