import { parse } from "node:path"
import { unstable_readConfig } from "wrangler"
import type { Wrangler } from "../../scripts/deploy/cloudflare.ts"
import type { Fetch } from "../../scripts/deploy/services.ts"

export interface FakeWorker {
  secrets: Record<string, string>
  routes: string[]
  vars: Record<string, unknown>
  isDeployed: boolean
}

/** An account of Cloudflare, and wrangler as far as a deployment uses it: arguments, outputs and errors. */
export class FakeCloudflare {
  readonly workers = new Map<string, FakeWorker>()
  readonly buckets = new Set<string>()
  readonly calls: string[] = []
  accounts = [{ id: "acc1", name: "Acme" }]
  permissions = ["account:read", "workers:write", "workers_scripts:write", "workers_routes:write"]
  /** An error that the named command prints. */
  refuses: { command: string; error: string } | undefined
  /** The call at which the process is killed. */
  killedAt = Number.POSITIVE_INFINITY

  readonly wrangler: Wrangler = async (args, { input } = {}) => {
    this.calls.push(args.join(" "))
    if (this.calls.length >= this.killedAt) throw new Error("killed")
    const command = args.slice(0, 2).join(" ")
    if (this.refuses && args.join(" ").startsWith(this.refuses.command)) {
      throw new Error(`wrangler ${command} ended with 1:\n✘ [ERROR] ${this.refuses.error}`)
    }
    const after = (flag: string) => args[args.indexOf(flag) + 1] as string
    if (command === "whoami --json") {
      return JSON.stringify({ loggedIn: true, accounts: this.accounts, tokenPermissions: this.permissions })
    }
    if (command === "r2 bucket") return this.createBucket(args[3] as string)
    const name = after("--name")
    const worker = this.workers.get(name) ?? { secrets: {}, routes: [], vars: {}, isDeployed: false }
    this.workers.set(name, worker)
    if (command === "secret bulk") {
      if (args.includes("--env")) throw new Error("wrangler would append the environment to the name")
      Object.assign(worker.secrets, JSON.parse(input as string))
      return "Finished processing secrets file"
    }
    const config = unstable_readConfig({ config: after("--config"), env: after("--env") }, { hideWarnings: true })
    worker.isDeployed = true
    worker.routes = (config.routes ?? []).map((route: string | { pattern: string }) =>
      typeof route === "string" ? route : route.pattern,
    )
    worker.vars = config.vars
    return `Uploaded ${name}`
  }

  private createBucket(name: string): string {
    if (this.buckets.has(name))
      throw new Error(
        "wrangler r2 bucket create ended with 1:\nThe bucket you tried to create already exists, and you own it. [code: 10004]",
      )
    this.buckets.add(name)
    return `Created bucket '${name}'`
  }
}

export const TOKEN = { redis: "redis-token-1", qstash: "qstash-token-1", anthropic: "sk-ant-test-1" }
export const KEYS = { current: "sig_current", next: "sig_next" }
const EU = "https://qstash.upstash.io"
export const US = "https://qstash-us-east-1.upstash.io"

/** Upstash, Anthropic and the deployed service by their HTTP interfaces. */
export class FakeServices {
  /** The region that knows the token. */
  region = EU
  isReadOnly = false
  /** The name of the worker that serves /v1, of the one that serves /callbacks, and the key of the check. */
  private readonly cloudflare: FakeCloudflare
  private readonly suffix: string
  readonly turns: string[] = []
  readonly spaces: string[] = []

  constructor(cloudflare: FakeCloudflare, stage?: string) {
    this.cloudflare = cloudflare
    this.suffix = stage ? `-${stage}` : ""
  }

  readonly fetch: Fetch = async (address, init = {}) => {
    const url = new URL(address)
    const headers = new Headers(init.headers)
    const token = headers.get("authorization")?.replace("Bearer ", "") ?? headers.get("x-api-key")
    switch (url.origin) {
      case "https://eu1-redis.upstash.io":
        if (token !== TOKEN.redis) return Response.json({ error: "WRONGPASS invalid password" }, { status: 401 })
        if (this.isReadOnly)
          return Response.json(
            { error: "NOPERM this user has no permissions to run the 'set' command" },
            { status: 400 },
          )
        return Response.json({ result: "OK" })
      case EU:
      case US:
        return this.qstash(url, token === TOKEN.qstash && url.origin === this.region)
      case "https://api.anthropic.com":
        return token === TOKEN.anthropic ? Response.json({ data: [] }) : Response.json({ error: {} }, { status: 401 })
      default:
        return this.service(url, init, token)
    }
  }

  private qstash(url: URL, isKnown: boolean): Response {
    if (!isKnown) return Response.json({ error: "unauthorized" }, { status: 401 })
    if (url.pathname === "/v2/keys") return Response.json(KEYS)
    if (url.pathname === "/v2/globalParallelism") return Response.json({ parallelismMax: 200, parallelismCount: 0 })
    const logs = [
      {
        url: `${this.cloudflare.workers.get(`turnpike-v1${this.suffix}`)?.vars.CALLBACKS_URL}/callbacks/turns`,
        state: "ERROR",
        responseStatus: 401,
        error: "HTTP 401",
      },
    ]
    return Response.json({ logs })
  }

  private service(url: URL, init: RequestInit, token: string | null | undefined): Response {
    const v1 = this.cloudflare.workers.get(`turnpike-v1${this.suffix}`)
    const callbacks = this.cloudflare.workers.get(`turnpike-callbacks${this.suffix}`)
    if (!v1?.isDeployed || !v1.routes.some((route) => `${url.host}/v1/`.startsWith(parse(route).dir))) {
      return new Response("<html>nothing</html>", { status: 522, headers: { "content-type": "text/html" } })
    }
    if (url.pathname === "/v1/health/ready") return Response.json({ status: "ready" })
    if (url.pathname.startsWith("/callbacks"))
      return Response.json({ error: { code: "UNAUTHORIZED" } }, { status: 401 })
    if (!token?.startsWith("turnpike_test_"))
      return Response.json({ error: { code: "INVALID_API_KEY" } }, { status: 401 })
    if (url.pathname === "/v1/spaces") return Response.json({ space_id: "spc_1" }, { status: 201 })
    this.turns.push(new Headers(init.headers).get("idempotency-key") as string)
    const ends = callbacks?.isDeployed && callbacks.secrets.QSTASH_CURRENT_SIGNING_KEY === KEYS.current
    return Response.json({ turn_id: "turn_1", state: ends ? "done" : "queued" }, { status: 202 })
  }
}
