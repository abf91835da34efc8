import type { Fetch } from "./services.ts"
import type { Settings } from "./settings.ts"

/** The longest wait of the API for a turn, in seconds. */
const WAIT_SECONDS = 30
const TIMEOUT_MS = 45_000

interface Answer {
  status: number
  body: Record<string, unknown>
  /** True if the answer is JSON, as each answer of the service is. */
  isOurs: boolean
}

/** A turn that does not end as it should, with what is wrong. */
export class RehearsalFailed extends Error {}

/**
 * Sends a turn with a test key, which costs nothing, and waits for its end. It proves the route, the worker, the
 * database, the queue and its callbacks. Throws RehearsalFailed with what is probably wrong.
 */
export async function sendRehearsedTurn(
  fetch: Fetch,
  url: string,
  settings: Settings,
): Promise<{ turnId: string; ms: number }> {
  const call = caller(fetch, url, settings.CHECK_API_KEY as string)
  await expectReady(fetch, url)
  const space = await call("POST", "/v1/spaces", { title: "Deploy check" }, "deploy-check-space")
  if (space.status === 401)
    throw new RehearsalFailed(
      "The service refuses the key that was just created: is its DATABASE_URL another database?",
    )
  if (space.status >= 300) throw new RehearsalFailed(`POST /v1/spaces answers ${space.status}: ${describe(space)}.`)
  const started = Date.now()
  const sent = await call(
    "POST",
    `/v1/turns?wait=${WAIT_SECONDS}`,
    { space: space.body.slug ?? space.body.space, text: "Is everything deployed?" },
    `deploy-check-${started}`,
  )
  if (sent.status >= 300) throw new RehearsalFailed(`POST /v1/turns answers ${sent.status}: ${describe(sent)}.`)
  const turnId = String(sent.body.turn_id)
  if (sent.body.state === "done") return { turnId, ms: Date.now() - started }
  if (sent.body.state === "failed") throw new RehearsalFailed(`The turn has failed: ${describe(sent)}.`)
  throw new RehearsalFailed(await whyNotRun(fetch, url, settings, turnId))
}

/** Waits for nothing: a worker that has just been deployed serves its new version within seconds. */
async function expectReady(fetch: Fetch, url: string): Promise<void> {
  const ready = await ask(fetch, `${url}/v1/health/ready`)
  if (ready instanceof Error) {
    throw new RehearsalFailed(
      `${url} cannot be reached: ${ready.message}. Does the host have a proxied DNS record (AAAA 100::)?`,
    )
  }
  if (ready.status === 200 && ready.isOurs) return
  if (!ready.isOurs) {
    throw new RehearsalFailed(
      `${url}/v1/health/ready answers ${ready.status}, but not by Turnpike: does another route, worker or rule own this host?`,
    )
  }
  throw new RehearsalFailed(`The worker turnpike-v1 is not ready (${ready.status}): ${describe(ready)}.`)
}

/** Reads from the queue and from the callbacks' address why a turn stays open. */
async function whyNotRun(fetch: Fetch, url: string, settings: Settings, turnId: string): Promise<string> {
  const open = `The turn ${turnId} has not ended after ${WAIT_SECONDS} s.`
  const direct = await ask(fetch, `${url}/callbacks/turns`, { method: "POST" })
  if (direct instanceof Error) return `${open} ${url}/callbacks cannot be reached: ${direct.message}.`
  if (!direct.isOurs) {
    return `${open} ${url}/callbacks is answered (${direct.status}), but not by Turnpike: a bot or firewall rule of the zone may block QStash.`
  }
  if (direct.status === 503) return `${open} The worker turnpike-callbacks is not ready: ${describe(direct)}.`
  const logs = await ask(fetch, `${settings.QSTASH_URL}/v2/logs?count=20`, {
    headers: { Authorization: `Bearer ${settings.QSTASH_TOKEN}` },
  })
  if (logs instanceof Error || logs.status !== 200)
    return `${open} QStash's log cannot be read, so its cause is unknown.`
  const events = ((logs.body.logs ?? logs.body.events ?? []) as QueueEvent[]).filter((event) =>
    event.url?.includes("/callbacks/"),
  )
  if (events.length === 0) return `${open} QStash got no message: the worker turnpike-v1 may have another QSTASH_TOKEN.`
  if (!events.some((event) => event.url?.startsWith(url))) {
    return `${open} QStash delivers to ${new URL(events[0]?.url as string).origin}, not to ${url}: CALLBACKS_URL is wrong.`
  }
  const failed = events.find((event) => event.error || (event.responseStatus ?? 0) >= 300)
  if (failed?.responseStatus === 401 || /\b401\b/.test(failed?.error ?? "")) {
    return `${open} The worker turnpike-callbacks refuses QStash's signature: its signing keys are those of another token.`
  }
  if (failed) return `${open} QStash could not deliver: ${failed.error ?? `HTTP ${failed.responseStatus}`}.`
  return `${open} QStash has accepted its message and not delivered it yet: is the plan's number of messages at once used up?`
}

interface QueueEvent {
  url?: string
  error?: string
  responseStatus?: number
}

function caller(fetch: Fetch, url: string, key: string) {
  return async (method: string, path: string, body: object, idempotencyKey: string): Promise<Answer> => {
    const answer = await ask(fetch, url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify(body),
    })
    if (answer instanceof Error) throw new RehearsalFailed(`${url}${path} cannot be reached: ${answer.message}.`)
    return answer
  }
}

async function ask(fetch: Fetch, url: string, init: RequestInit = {}): Promise<Answer | Error> {
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    const isOurs = response.headers.get("content-type")?.includes("json") ?? false
    return { status: response.status, body: isOurs ? (JSON.parse(text) as Record<string, unknown>) : {}, isOurs }
  } catch (error) {
    return ((error as Error).cause as Error | undefined) ?? (error as Error)
  }
}

/** The message of an error of the API. */
function describe({ body }: Answer): string {
  const { code, message, error_code, status_reason } = (body.error ?? body) as Record<string, unknown>
  return String(message ?? code ?? error_code ?? status_reason ?? "no message").replace(/\.$/, "")
}
