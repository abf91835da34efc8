import { env as bindings } from "cloudflare:workers"
import { inject } from "vitest"
import type { ConnectionCounts } from "../../src/local/connections.ts"
import type { FaultRule, SeenCall } from "../../src/local/faults.ts"
import { edge } from "./edge.ts"

const { NETWORK } = bindings as unknown as { NETWORK: Fetcher }
const viaMiniflare = globalThis.fetch

/**
 * Sends the calls of the stand-ins directly to the network. The global fetch of a test first passes
 * through a worker of miniflare, which costs the runtime as much as ours.
 */
globalThis.fetch = edge.boundFetch((input: RequestInfo | URL, init?: RequestInit) => {
  const url = input instanceof Request ? input.url : String(input)
  return url.startsWith("http://127.0.0.1:") ? NETWORK.fetch(input, init) : viaMiniflare(input, init)
})

export interface QueuedMessage {
  delivery_id: string
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

/** The key ring of all tests. */
export const RING = `test:${btoa("0123456789abcdef0123456789abcdef")}`

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
    /** Waits up to `patienceMs`. True once no call has arrived or been under way for 5 ms. */
    isCalm: async (patienceMs: number): Promise<boolean> =>
      (await post(`${control}/calm`, { patience_ms: patienceMs })).calm,
    /** What became of the connections of its database, those of worlds before it included. */
    connections: async (): Promise<ConnectionCounts> => (await fetch(`${control}/connections`)).json(),
    calls: async (): Promise<SeenCall[]> => (await fetch(`${control}/calls`)).json(),
    qstash: {
      clock: (to: { now_ms: number } | { advance_ms: number }) => post(`${control}/qstash/clock`, to),
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
    close: () => post(`${control}/close`, {}),
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
