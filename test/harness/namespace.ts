import { env as bindings } from "cloudflare:workers"
import { inject } from "vitest"
import { ed25519Of } from "../../src/base/ed25519.ts"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import type { ConnectionCounts } from "../../src/local/connections.ts"
import type { FaultRule, SeenCall } from "../../src/local/faults.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { SIGNING_PURPOSES } from "../../src/signing/signing-keys.ts"
import { edge } from "./edge.ts"
import { countedFetch, forgetOthers, type RemoteCalls, untilCalm } from "./open-calls.ts"

const { NETWORK } = bindings as unknown as { NETWORK: Fetcher }
const viaMiniflare = globalThis.fetch

/**
 * Sends the calls of the stand-ins directly to the network. The global fetch of a test first passes
 * through a worker of miniflare, which costs the runtime as much as ours.
 */
globalThis.fetch = edge.boundFetch((input: RequestInfo | URL, init?: RequestInit) => {
  const url = input instanceof Request ? input.url : String(input)
  if (!url.startsWith("http://127.0.0.1:")) return viaMiniflare(input, init)
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
  const move = lateClocks.get(QSTASH.exec(url)?.[1] ?? "")
  const send = async () => {
    await move?.()
    return NETWORK.fetch(input, init)
  }
  return countedFetch(url, move ? send : () => NETWORK.fetch(input, init), signal)
})

/** Requests whose answer depends on the clock of a namespace's queue. */
const QSTASH = /^http:\/\/127\.0\.0\.1:\d+\/(\w+)\/(?:control\/)?qstash\b(?!\/clock)/
/**
 * By namespace: tells the queue the time of its world. A world's clock moves thousands of times, so the queue learns
 * the time only before a request to it.
 */
const lateClocks = new Map<string, () => Promise<void>>()

export interface QueuedMessage {
  delivery_id: string
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

/** The key ring of all tests. */
export const RING = `test:${btoa("0123456789abcdef0123456789abcdef")}`

/** Publishes the keys of RING that sign, as the command line does at a deployment. */
async function publishTestKeys(control: string): Promise<void> {
  const ring = createKeyRing(parseKeyRing(RING))
  const query = `insert into signing_keys (kid, public_key, purpose, created_at)
    select ${RELEASE}.signing_key_id($1), $1, $2, '2020-01-01' on conflict do nothing`
  for (const purpose of SIGNING_PURPOSES) {
    const [seed] = await ring.derive(purpose)
    const { x } = await ed25519Of(seed as Uint8Array)
    await post(`${control}/sql`, { query, params: [x, purpose] })
  }
}

/** Opens a separate database, Redis, queue and fault plan for a test, on the shared stack. */
export async function openNamespace({
  upstreams,
  stackUrl = inject("stackUrl"),
  isNew,
}: {
  upstreams?: Record<string, string>
  stackUrl?: string
  /** True for a database that has run nothing; false reuses one that an earlier world left empty. */
  isNew?: boolean
} = {}) {
  forgetOthers()
  const name = `n${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const made = await post(`${stackUrl}/control/namespaces`, {
    name,
    qstash_mode: "manual",
    upstreams,
    isNew,
  })
  const env: Record<string, string> = {
    ...made.env,
    // Direct calls of a test use the owner's role, as the command line does. Requests go to workers
    // with their own roles (deployed.ts).
    DATABASE_URL: made.owner_url,
    CALLBACKS_URL: "https://callbacks.test",
    OWN_HOSTS: "api.test",
    SECRETS_KEYS: RING,
    LOG_LEVEL: "silent",
    OPENAI_BASE_URL: `${stackUrl}/${name}/model/v1`,
  }
  const control = made.control_url as string
  await publishTestKeys(control)
  let [nowMs, toldMs] = [0, 0]
  let telling: Promise<void> | null = null
  lateClocks.set(name, async () => {
    while (toldMs !== nowMs) {
      const next = nowMs
      telling ??= post(`${control}/qstash/clock`, { now_ms: next }).then(() => {
        toldMs = next
        telling = null
      })
      await telling
    }
  })
  return {
    env,
    /** The database URL of each worker's role, and of the owner. */
    workerUrls: made.worker_urls as Record<string, string>,
    ownerUrl: made.owner_url as string,
    /** The URL at which calls to an upstream can be counted and faulted. */
    upstreamUrl: (upstream: string) => `${stackUrl}/${name}/${upstream}`,
    sql: <Row = Record<string, unknown>>(query: string, params: unknown[] = []): Promise<Row[]> =>
      post(`${control}/sql`, { query, params }),
    /** Sets a fault plan. Returns the calls since the previous plan. */
    plan: (rules: FaultRule[]): Promise<SeenCall[]> => post(`${control}/faults`, { rules }),
    clearFaults: async () => void (await fetch(`${control}/faults`, { method: "DELETE" })),
    /** True once no call is under way. False if a third-party server has not answered for `patienceMs`. */
    isCalm: (patienceMs: number): Promise<boolean> =>
      untilCalm(name, patienceMs, (): Promise<RemoteCalls> => post(`${control}/open-calls`, {})),
    /** Counts the connections of its database that were opened and closed, including those of earlier worlds. */
    connections: async (): Promise<ConnectionCounts> => (await fetch(`${control}/connections`)).json(),
    calls: async (): Promise<SeenCall[]> => (await fetch(`${control}/calls`)).json(),
    qstash: {
      /** The queue's time. Set without a request; the next request to the queue tells it. */
      setTime(ms: number) {
        nowMs = ms
      },
      due: (): Promise<QueuedMessage[]> => post(`${control}/qstash/due`, {}),
      answer: (answer: {
        delivery_id: string
        status?: number
        headers?: Record<string, string>
        lost?: boolean
      }): Promise<{ state: string; not_before_ms: number | null }> => post(`${control}/qstash/answer`, answer),
      pending: async (): Promise<{ url: string; not_before_ms: number; flow_control_key: string | null }[]> =>
        (await fetch(`${control}/qstash/pending`)).json(),
      reset: () => post(`${control}/qstash/reset`, {}),
      rollKeys: (): Promise<{ current: string; next: string }> => post(`${control}/qstash/keys/roll`, {}),
    },
    close() {
      lateClocks.delete(name)
      return post(`${control}/close`, {})
    },
  }
}

export type TestNamespace = Awaited<ReturnType<typeof openNamespace>>

// biome-ignore lint/suspicious/noExplicitAny: each control answer has its own shape
async function post(url: string, body: unknown): Promise<any> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`)
  return answer
}
