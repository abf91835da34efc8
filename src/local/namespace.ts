import { randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { undeclared } from "../base/casts.ts"
import { createFaults } from "./faults.ts"
import { createNeon, neonLabel, type OnStatement } from "./neon.ts"
import type { OpenDatabase } from "./open-database.ts"
import { createQstash, newQstashSecrets } from "./qstash.ts"
import { createRedisRest, redisLabel } from "./redis.ts"
import { type Answer, type Call, jsonAnswer, type Service } from "./service.ts"

const BLOCKED = `select count(*)::int as blocked from pg_stat_activity where datname = current_database()
  and (cardinality(pg_blocking_pids(pid)) > 0 or wait_event = 'PgSleep')`
/** Calls that are open for this time may wait for a lock, so the database is asked. */
const LOOK_MS = 20
/** A database that has not answered for this time is stopped. */
const STOPPED_MS = 5_000
const ALL = Number.MAX_SAFE_INTEGER

export interface NamespaceOptions {
  name: string
  qstash_mode: "push" | "manual"
  qstash_parallelism?: number | undefined
  /** Servers such as a model's. Calls of `/{ns}/{name}` are passed on to them, and fault plans apply. */
  upstreams?: Record<string, string> | undefined
  onStatement?: OnStatement | undefined
  /** Called with the label of each command of Redis and each call of the queue. */
  onCall?: ((label: string) => void) | undefined
}

interface NamespaceServers {
  baseUrl: string
  database: OpenDatabase
  redisUrl: string
  redisPrefix: string
}

export type Namespace = Awaited<ReturnType<typeof createNamespace>>

export async function createNamespace(options: NamespaceOptions, servers: NamespaceServers) {
  const faults = createFaults()
  const { connections, direct } = servers.database
  // A worker keeps a client for each connection string, so no two namespaces may have the same one.
  const own = (url: string) => `${url}?application_name=${options.name}`
  const databaseUrl = own(servers.database.url)
  const workerUrls = Object.fromEntries(
    Object.entries(servers.database.workerUrls).map(([worker, url]) => [worker, own(url)]),
  )
  const neon = createNeon({ connections, onStatement: options.onStatement })
  const redisToken = randomBytes(24).toString("base64url")
  const redis = await createRedisRest({ url: servers.redisUrl, prefix: servers.redisPrefix, token: redisToken })
  const secrets = newQstashSecrets()
  const qstash = createQstash({ mode: options.qstash_mode, parallelism: options.qstash_parallelism, secrets })

  const upstreams = Object.entries(options.upstreams ?? {}).map(([name, url]) => {
    return [name, faults.wrap(name, proxyTo(url), (call) => `${call.method} ${call.path}`)] as const
  })
  let statements = 0
  /** A statement that no worker sends. */
  async function query({ query, params = [] }: { query: string; params?: unknown[] }) {
    statements++
    try {
      return (await direct.query(query, params)).rows
    } finally {
      statements--
    }
  }

  /** The open calls and statements, once all are answered, or after some time. */
  async function openCalls() {
    const open = () => faults.open() + statements
    const end = performance.now() + LOOK_MS
    while (open() > 0 && performance.now() < end) await setTimeout(1)
    return { open: open(), held: faults.held(), blocked: open() > 0 ? await blocked() : 0 }
  }

  /** The number of sessions that wait. All, if the database does not answer. */
  async function blocked(): Promise<number> {
    const asked = direct.query<{ blocked: number }>(BLOCKED).then(({ rows }) => rows[0]?.blocked ?? 0)
    return Promise.race([asked.catch(() => ALL), setTimeout(STOPPED_MS, ALL)])
  }

  const told = (name: string, service: Service, labelOf: (call: Call) => string): Service => {
    const { onCall } = options
    if (!onCall) return faults.wrap(name, service, labelOf)
    return (call) => {
      onCall(`${name} ${labelOf(call)}`)
      return service(call)
    }
  }

  const services: Record<string, Service> = {
    ...Object.fromEntries(upstreams),
    pg: faults.counted(faults.wrap("pg", neon, neonLabel)),
    redis: faults.counted(told("redis", redis.service, redisLabel)),
    qstash: faults.counted(told("qstash", qstash.service, (call) => `${call.method} ${call.path}`)),
    control: async (call) => {
      const input = call.body.length ? JSON.parse(call.body.toString()) : {}
      if (call.path.startsWith("/qstash/")) return qstash.control({ ...call, path: call.path.slice("/qstash".length) })
      if (call.path === "/open-calls") return jsonAnswer(200, await openCalls())
      if (call.path === "/calls") return jsonAnswer(200, faults.calls())
      if (call.path === "/faults") {
        if (call.method !== "DELETE") return jsonAnswer(200, faults.plan(input.rules))
        faults.clear()
        return jsonAnswer(200, {})
      }
      if (call.path === "/connections") return jsonAnswer(200, connections.counts)
      if (call.path === "/sql") return jsonAnswer(200, await query(input))
      return jsonAnswer(404, { error: "no such control" })
    },
  }

  return {
    controlUrl: `${servers.baseUrl}/control`,
    databaseUrl,
    workerUrls,
    /** The bindings with which a worker of all groups uses these stand-ins. */
    env: {
      DATABASE_URL: workerUrls.all ?? databaseUrl,
      DATABASE_HTTP_URL: `${servers.baseUrl}/pg/sql`,
      UPSTASH_REDIS_REST_URL: `${servers.baseUrl}/redis`,
      UPSTASH_REDIS_REST_TOKEN: redisToken,
      QSTASH_URL: `${servers.baseUrl}/qstash`,
      QSTASH_TOKEN: secrets.token,
      QSTASH_CURRENT_SIGNING_KEY: secrets.currentSigningKey,
      QSTASH_NEXT_SIGNING_KEY: secrets.nextSigningKey,
      // A database on this machine costs nothing while it is awake.
      SLEEP_WHEN_IDLE: "0",
    },
    /** Undefined if there is no such service. */
    route: (service: string, call: Call): Promise<Answer> | undefined => services[service]?.(call),
    /** Leaves the database open. Its owner closes it or gives it to the next namespace. */
    async close() {
      faults.clear()
      await qstash.close()
      await redis.close()
    },
  }
}

function proxyTo(upstream: string): Service {
  return async (call) => {
    const { host: _host, "content-length": _length, connection: _connection, ...headers } = call.headers
    const response = await fetch(`${upstream}${call.path}${call.search}`, {
      method: call.method,
      headers: headers as Record<string, string>,
      ...(call.body.length && { body: undeclared<BodyInit>(call.body) }),
    })
    const dropped = new Set(["connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"])
    return {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([name]) => !dropped.has(name))),
      body: Buffer.from(await response.arrayBuffer()),
    }
  }
}
