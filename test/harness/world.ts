import { env as bindings } from "cloudflare:workers"
import { createApiKey, createUser, topUp } from "../../src/ops/seed.ts"
import { PASSWORD_POLICY } from "../../src/sign-in/policies.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { checkAnswer } from "./checked-answers.ts"
import { createTestClock } from "./clock.ts"
import { signIn } from "./dashboard.ts"
import { deployWorkers } from "./deployed.ts"
import { edge } from "./edge.ts"
import { expectEventsFit } from "./event-schemas.ts"
import { forceShards, isSharded } from "./force-shards.ts"
import { openNamespace, type QueuedMessage, type TestNamespace } from "./namespace.ts"
import { countedBucket } from "./open-calls.ts"
import { watchErrors } from "./statement-errors.ts"

// Test files hash hundreds of passwords, each for a third of a second. The real work has a test of its own
// (test/auth/password.node.test.ts).
;(PASSWORD_POLICY as { scrypt: object }).scrypt = { ...PASSWORD_POLICY.scrypt, N: 2 ** 5 }

export const turnOf = async (response: Response) => (await response.json()) as Turn

export type World = Awaited<ReturnType<typeof createWorld>>

const STREAMED_PATHS = ["/v1/openai/chat/completions", "/v1/anthropic/v1/messages"]

/**
 * The whole service on a test's clock: its workers, its stand-ins, and the queue's deliveries,
 * which the test controls.
 */
export async function createWorld(
  options: {
    upstreams?: Record<string, string>
    env?: Record<string, unknown>
    stackUrl?: string
    random?: () => number
    isNew?: boolean
    /** Statements of the service that the test makes fail, as `SQLSTATE procedure`. */
    failing?: RegExp
    /** False: invocations have no limit of waiting calls, so a call is sent at the moment of its last check. */
    isBounded?: boolean
    /** False: the test plants something that no document declares, so answers are not compared with the documents. */
    isDeclared?: boolean
  } = {},
) {
  const began = new Date()
  const inEdge = <T>(work: () => T): T => (options.isBounded === false ? edge.outside(work) : edge.run(work))
  const namespace = await openNamespace(options)
  const expectNoErrors = await watchErrors(namespace, options.failing)
  if (isSharded) await forceShards(namespace)
  const clock = createTestClock()
  namespace.qstash.setTime(clock.ms())
  const servers = new Map<string, (request: Request) => Response | Promise<Response>>()
  // A call to a server that answers here is one of its invocation; what that server does is not.
  const fetchOfWorker = edge.boundFetch((input, init) => edge.outside(() => route(input as RequestInfo, init)))
  const overrides = { clock, fetch: fetchOfWorker, ...(options.random && { random: options.random }) }
  const worker = deployWorkers(overrides, namespace)
  const { FILES } = bindings as unknown as { FILES: R2Bucket }
  const ownEnv = {
    ...namespace.env,
    FILES: edge.boundBucket(countedBucket(FILES)),
  } as unknown as TestNamespace["env"] & {
    FILES: R2Bucket
  }
  let env: Record<string, unknown> = { ...ownEnv, ...options.env }
  const background = new Set<Promise<unknown>>()

  /** One invocation of the worker. Returns its answer; `settled` waits for its background work. */
  async function invoke(request: Request): Promise<Response> {
    const execution = {
      waitUntil(work: Promise<unknown>) {
        const tracked = work.finally(() => background.delete(tracked))
        background.add(tracked)
      },
      passThroughOnException() {},
      props: {},
    } as unknown as ExecutionContext
    const response = await inEdge(() => worker.fetch(request, env, execution))
    if (options.isDeclared !== false) checkAnswer(request, response)
    return response
  }

  /**
   * The test answers for customer servers and our own callbacks. Models and stand-ins are called
   * over the network.
   */
  async function route(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const { hostname, host, pathname, search } = new URL(input instanceof Request ? input.url : input)
    if (hostname === "callbacks.test") return invoke(new Request(input, init))
    // A customer's server that the stand-ins proxy, so that its calls can be faulted.
    const [, upstream] = /^(\w+)\.upstream\.com$/.exec(hostname) ?? []
    if (upstream) return fetch(`${namespace.upstreamUrl(upstream)}${pathname}${search}`, init)
    const isOurs = hostname === "127.0.0.1" || hostname === "localhost"
    const serve = servers.get(host) ?? (isOurs ? undefined : servers.get("*"))
    return serve ? serve(new Request(input, init)) : fetch(input, init)
  }

  /** Delivers and lets time pass until a request is answered that waits for its own turn. */
  async function untilAnswered<T>(pending: Promise<T>): Promise<T> {
    let isOver = false
    const ended = () => {
      isOver = true
    }
    void pending.then(ended, ended)
    let delivering: Promise<unknown> | null = null
    while (!isOver || delivering !== null) {
      await Promise.race([pending.catch(() => {}), namespace.isCalm(250)])
      // Not awaited: the turn itself may need time.
      if (!isOver) {
        delivering ??= deliverDue().finally(() => {
          delivering = null
        })
      }
      await Promise.race([delivering, namespace.isCalm(250)])
      if (isOver && delivering === null) break
      clock.advance(50)
      namespace.qstash.setTime(clock.ms())
    }
    return pending
  }

  async function settled() {
    while (background.size > 0) await Promise.allSettled([...background])
  }

  async function deliver(delivery: QueuedMessage): Promise<Response> {
    const body = Uint8Array.from(atob(delivery.body), (char) => char.charCodeAt(0))
    return invoke(new Request(delivery.url, { method: "POST", headers: delivery.headers, body }))
  }

  /** Delivers what is due now, all at once. Returns how many deliveries there were. */
  async function deliverDue(): Promise<number> {
    await settled()
    const due = await namespace.qstash.due()
    await Promise.all(
      due.map(async (delivery) => {
        const response = await deliver(delivery).catch(() => new Response(null, { status: 500 }))
        const headers = Object.fromEntries(response.headers)
        await namespace.qstash.answer({ delivery_id: delivery.delivery_id, status: response.status, headers })
      }),
    )
    return due.length
  }

  /** Delivers all due messages of the queue to the worker, and repeats until none is due. */
  async function drain(): Promise<number> {
    let delivered = 0
    for (;;) {
      const count = await deliverDue()
      if (count === 0) return delivered
      delivered += count
    }
  }

  return {
    ...namespace,
    env: ownEnv,
    bucket: FILES,
    /** The world's creation by the machine's clock: the bucket can contain older objects of other worlds. */
    began,
    clock,
    /** Simulates a deployment with other bindings. */
    rebind(changes: Record<string, unknown>) {
      env = { ...env, ...changes }
    },
    invoke,
    /** Answers for a customer's server, such as `api.customer.com`; `*` answers for all others. */
    serve(host: string, handler: (request: Request) => Response | Promise<Response>) {
      servers.set(host, handler)
    },
    settled,
    untilAnswered,
    deliver,
    async advance(ms: number) {
      clock.advance(ms)
      namespace.qstash.setTime(clock.ms())
    },
    deliverDue,
    drain,
    async sweep() {
      const waits: Promise<unknown>[] = []
      const execution = { waitUntil: (work: Promise<unknown>) => waits.push(work) } as unknown as ExecutionContext
      await inEdge(() => worker.scheduled(env, execution))
      await Promise.allSettled(waits)
    },
    async createAccount({ usd = 10, test = false, ...user }: { usd?: number; test?: boolean; brand?: string } = {}) {
      const userId = await createUser(namespace.sql, user)
      if (usd > 0) {
        const micros = Math.round(usd * 10_000_000)
        await topUp(namespace.sql, { userId, micros, reason: "operator_topup", actor: "test", now: clock.now() })
      }
      return createClient(userId, (await makeKey(userId, { test })).value)
    },
    makeKey,
    createClient,
    /** Signs a user in, as the last step of every login does. */
    signIn: (userId: number) => signIn({ invoke, env: ownEnv, clock }, userId),
    async close() {
      await expectNoErrors()
      await expectEventsFit(namespace)
      await namespace.close()
    },
  }

  function makeKey(userId: number, key: Partial<Parameters<typeof createApiKey>[1]> = {}) {
    return createApiKey(namespace.sql, { userId, brand: "turnpike", name: "test", now: clock.now(), ...key })
  }

  /** A customer's server with one key. */
  function createClient(userId: number, key: string) {
    const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await invoke(
        new Request(`https://api.test${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      )
      if (!STREAMED_PATHS.includes(path) || !response.ok) return response
      // The stream of a completion or message lasts as long as its turn.
      return untilAnswered(response.text().then((text) => new Response(text, response)))
    }
    const space = async (body: object = {}) => {
      const response = await call("POST", "/v1/spaces", { title: "A space", ...body })
      if (response.status !== 201) throw new Error(await response.text())
      return ((await response.json()) as { space_id: string }).space_id
    }
    /**
     * Makes a webhook verified as if it had answered its ping. It deletes the ping, also from the
     * feed, where no other caller can have read it.
     */
    const skipPing = async (webhookId: string) => {
      await settled()
      await namespace.sql(`do $$ declare ping text; begin
        perform set_config('session_replication_role', 'replica', true);
        select w.ping_id into ping from webhook_endpoints w where w.webhook_id = '${webhookId}' and w.verified_at is null;
        delete from events e using webhook_deliveries d where d.delivery_id = ping and e.event_id = d.event_id;
        delete from webhook_deliveries d where d.delivery_id = ping;
        update webhook_endpoints set verified_at = created_at, ping_id = null, woken_at = null where ping_id = ping;
      end $$`)
    }
    return {
      userId,
      key,
      call,
      skipPing,
      space,
      sendTurn: (
        body: { space: string } & Record<string, unknown>,
        idempotencyKey: string = crypto.randomUUID(),
        headers: Record<string, string> = {},
      ) =>
        call(
          "POST",
          "/v1/turns",
          { end_user_ref: "customer-1", text: "hello", ...body },
          { "idempotency-key": idempotencyKey, ...headers },
        ),
      /** Sends a turn and delivers everything that the queue has for it. */
      async runTurn(body: { space: string } & Record<string, unknown>): Promise<Turn> {
        const { turn_id } = await turnOf(await this.sendTurn(body))
        await drain()
        return this.getTurn(turn_id)
      },
      getTurn: async (turnId: string) => (await (await call("GET", `/v1/turns/${turnId}`)).json()) as Turn,
    }
  }
}

export type TestClient = Awaited<ReturnType<World["createAccount"]>>
