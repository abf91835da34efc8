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
  kind:
    | "password_reset"
    | "new_login"
    | "login_locked"
    | "factor_changed"
    | "key_created"
    | "space_shared"
    | "workspace_left"
    | "member_invited"
    | "budget_reached"
    | "anomaly_found"
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
  const sent = postToOperator({ fetch }, { ...emailHook, body: { kind, to, brand, data } }).catch((error: unknown) =>
    log("error", "email.failed", { kind, error: describeError(error) }),
  )
  background(sent)
}

/** Posts JSON to a server of the operator. Throws unless it answers with a status of 2xx in time. */
export async function postToOperator(
  { fetch }: Pick<Sender, "fetch">,
  { url, secret, body }: { url: string; secret?: string; body: object },
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", ...(secret !== undefined && { authorization: `Bearer ${secret}` }) },
    body: plainJson(body),
    signal: AbortSignal.timeout(TIME_LIMITS.emailMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
}
