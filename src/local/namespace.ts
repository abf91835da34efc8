import { randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import pg from "pg"
import { createFaults } from "./faults.ts"
import { createNeon, neonLabel, type OnStatement } from "./neon.ts"
import { createQstash, newQstashSecrets } from "./qstash.ts"
import { createRedisRest, redisLabel } from "./redis.ts"
import { type Answer, type Call, jsonAnswer, type Service } from "./service.ts"

export interface NamespaceOptions {
  name: string
  qstash_mode: "push" | "manual"
  /** Servers behind `/{ns}/{name}`, such as a model's: calls to them are passed on, and can be faulted too. */
  upstreams?: Record<string, string> | undefined
  onStatement?: OnStatement | undefined
}

interface NamespaceServers {
  baseUrl: string
  /** For what is no worker's: the schema, the seeds, a test's own statements. */
  databaseUrl: string
  /** The same database for the role of each worker, and for one worker with every group (`all`). */
  workerUrls: Record<string, string>
  /** Whether `databaseUrl` is answered over HTTP too. */
  ownerAsks: boolean
  redisUrl: string
  redisPrefix: string
}

export type Namespace = Awaited<ReturnType<typeof createNamespace>>

export async function createNamespace(options: NamespaceOptions, servers: NamespaceServers) {
  const faults = createFaults()
  const { databaseUrl, workerUrls } = servers
  const databaseUrls = [...Object.values(workerUrls), ...(servers.ownerAsks ? [databaseUrl] : [])]
  const neon = createNeon({ databaseUrls, onStatement: options.onStatement })
  const redisToken = randomBytes(24).toString("base64url")
  const redis = await createRedisRest({ url: servers.redisUrl, prefix: servers.redisPrefix, token: redisToken })
  const secrets = newQstashSecrets()
  const qstash = createQstash({ mode: options.qstash_mode, secrets })
  // A test may hold locks on several of them while it looks on another who waits.
  const direct = new pg.Pool({ connectionString: servers.databaseUrl, max: 8 })
  direct.on("error", () => {})

  const upstreams = Object.entries(options.upstreams ?? {}).map(([name, url]) => {
    return [name, faults.wrap(name, proxyTo(url), (call) => `${call.method} ${call.path}`)] as const
  })
  /** Whether no call is being answered, in 5 ms at the earliest; waits so long for that. */
  async function isCalm(patienceMs: number): Promise<boolean> {
    const began = performance.now()
    do await setTimeout(5)
    while (faults.open() > 0 && performance.now() - began < patienceMs)
    return faults.open() === 0
  }

  const services: Record<string, Service> = {
    ...Object.fromEntries(upstreams),
    pg: faults.counted(faults.wrap("pg", neon.service, neonLabel)),
    redis: faults.counted(faults.wrap("redis", redis.service, redisLabel)),
    qstash: faults.counted(faults.wrap("qstash", qstash.service, (call) => `${call.method} ${call.path}`)),
    control: async (call) => {
      const input = call.body.length ? JSON.parse(call.body.toString()) : {}
      if (call.path.startsWith("/qstash/")) return qstash.control({ ...call, path: call.path.slice("/qstash".length) })
      if (call.path === "/calm") return jsonAnswer(200, { calm: await isCalm(input.patience_ms) })
      if (call.path === "/calls") return jsonAnswer(200, faults.calls())
      if (call.path === "/faults") {
        if (call.method !== "DELETE") return jsonAnswer(200, faults.plan(input.rules))
        faults.clear()
        return jsonAnswer(200, {})
      }
      if (call.path === "/sql") return jsonAnswer(200, (await direct.query(input.query, input.params ?? [])).rows)
      return jsonAnswer(404, { error: "no such control" })
    },
  }

  return {
    controlUrl: `${servers.baseUrl}/control`,
    databaseUrl: servers.databaseUrl,
    workerUrls,
    /** The bindings that make a worker with every group use these stand-ins. */
    env: {
      DATABASE_URL: workerUrls.all ?? databaseUrl,
      DATABASE_HTTP_URL: `${servers.baseUrl}/pg/sql`,
      UPSTASH_REDIS_REST_URL: `${servers.baseUrl}/redis`,
      UPSTASH_REDIS_REST_TOKEN: redisToken,
      QSTASH_URL: `${servers.baseUrl}/qstash`,
      QSTASH_TOKEN: secrets.token,
      QSTASH_CURRENT_SIGNING_KEY: secrets.currentSigningKey,
      QSTASH_NEXT_SIGNING_KEY: secrets.nextSigningKey,
    },
    /** Undefined where no such service is. */
    route: (service: string, call: Call): Promise<Answer> | undefined => services[service]?.(call),
    async close() {
      faults.clear()
      await qstash.close()
      await Promise.all([neon.close(), redis.close(), direct.end()])
    },
  }
}

function proxyTo(upstream: string): Service {
  return async (call) => {
    const { host: _host, "content-length": _length, connection: _connection, ...headers } = call.headers
    const response = await fetch(`${upstream}${call.path}${call.search}`, {
      method: call.method,
      headers: headers as Record<string, string>,
      ...(call.body.length && { body: call.body as unknown as BodyInit }),
    })
    const dropped = new Set(["connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"])
    return {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([name]) => !dropped.has(name))),
      body: Buffer.from(await response.arrayBuffer()),
    }
  }
}
