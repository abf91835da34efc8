import type { BaseEnv } from "../base/env.ts"
import { newId } from "../base/ids.ts"
import { createKeyRing, type KeyRing } from "../base/key-ring.ts"
import { isLoopbackName } from "../base/network.ts"
import { onceFor } from "../base/once-for.ts"
import type { OperatorTraces } from "../base/operator-traces.ts"
import type { ProviderLogins } from "../base/provider-logins.ts"
import { type Bucket, createBucket } from "../platform/bucket.ts"
import { type Clock, systemClock, systemRandom } from "../platform/clock.ts"
import { CronState } from "../platform/cron-state.ts"
import { createDatabase, type Database } from "../platform/db.ts"
import type { EmailHook } from "../platform/email-hook.ts"
import { createLog, type Log, type LogIds } from "../platform/log.ts"
import { MEMORY, MemoryBudget } from "../platform/memory.ts"
import { Meter } from "../platform/meter.ts"
import type { UrlPolicy } from "../platform/public-url.ts"
import { callbackUrl, createQueue, createQueueClient, type Queue, webhookLanes } from "../platform/queue.ts"
import { createRedis, type Redis } from "../platform/redis.ts"
import { RefusalMemory, type RefusedCallers } from "../platform/refusal-memory.ts"
import { STATEMENTS } from "../platform/time-limits.ts"
import { TurnWindows } from "../platform/turn-windows.ts"
import { Turnstile } from "../platform/turnstile.ts"

/**
 * Everything that a verb may use. Each invocation builds one from the bindings; no other object holds request data.
 */
export interface Context {
  readonly brand: string
  readonly requestId: string
  /** The caller's IP address from Cloudflare; null without a request, as in a cron job. */
  readonly address: string | null
  readonly db: Database
  readonly queue: Queue
  /** Channels of Redis, which carry text of running turns. */
  readonly channels: Pick<Redis, "publish" | "subscribe">
  /** Refusals of turns that workers remember for some seconds. */
  readonly refusals: RefusalMemory
  /** The counters of turns and tokens of callers with a rate. */
  readonly windows: TurnWindows
  /** Throws UNAVAILABLE if Redis does not answer. Its cause has Redis' own words. */
  readonly probeRedis: () => Promise<void>
  /** Whether the cron sleeps. Null: it never does (SLEEP_WHEN_IDLE). */
  readonly cron: CronState | null
  /** The limits of concurrent turns. */
  readonly slots: TurnSlots
  /** The operator's contact for reports of vulnerabilities. Default: a mailbox of the host. */
  readonly securityContact: string | undefined
  /** Over how many lanes of the queue the webhooks of accounts are spread. */
  readonly webhookLanes: number
  readonly clock: Clock
  /** Returns a number in [0, 1), for jitter only and never for secrets. */
  readonly random: () => number
  /** Calls our own services and model providers only. Owners' URLs are called through the guarded `outbound`. */
  readonly fetch: typeof fetch
  readonly files: Bucket
  readonly keyRing: KeyRing
  /** The rules for owners' URLs. */
  readonly urlPolicy: UrlPolicy
  /** The configured addresses of this service itself. */
  readonly site: SiteAddresses
  /** The URL of the messaging platform's Bot API, without a trailing slash. */
  readonly botApiUrl: string
  /** The operator's server that sends emails; null if no emails are sent. */
  readonly emailHook: EmailHook | null
  /** The operator's endpoint for spans; null: the operator has none. */
  readonly operatorTraces: OperatorTraces | null
  /** The login methods for accounts at model providers, by pool. */
  readonly providerLogins: ProviderLogins
  readonly meter: Meter
  readonly log: Log
  /** The ids that every line of the log has: of this request, and of its account and turn once they are known. */
  readonly logged: LogIds
  /** The configuration's version of the space that this request has read, and the one on which its change is based. */
  readonly config: { seen: number | null; expected: number | null }
  /** Accounts whose charges this isolate is posting, by user_id. */
  readonly posting: Map<number, Posting>
  /** Provider accounts that this isolate knows to be cooling, by id. */
  readonly cooling: Map<string, Cooling>
  /** The memory budget for large bodies in this isolate. */
  readonly memory: MemoryBudget
  /** The places for callers' statements in this isolate. */
  readonly statements: Turnstile
  /** This isolate's memory of blocked networks and accepted keys, for requests without a session. */
  readonly doors: Doors
  /** Runs work after the response. The work must be recoverable, since the worker may be stopped before it runs. */
  background(work: Promise<unknown>): void
  /** The public URL of a path on the callbacks worker. */
  callbackUrl(path: string): string
}

export interface SiteAddresses {
  /** OWN_HOSTS and the host of CALLBACKS_URL. The hosts of brands are in the database. */
  hosts: string[]
  /** The origin of links for requests to an unknown host: the first of OWN_HOSTS, otherwise CALLBACKS_URL. */
  origin: string
  /** True on a developer's machine, as with `npm start`. Then the service accepts loopback hosts only. */
  isLocal: boolean
}

export interface TurnSlots {
  /** The most concurrent runners. Each runs many turns. */
  runners: number
  /** The most concurrent turns of one account, by mode, and of one of its end users. */
  live: number
  test: number
  endUser: number
}

export interface Posting {
  /** When the posting counts as lost, in Unix milliseconds. */
  until: number
  /** True if more charges arrived since the posting started. */
  again: boolean
}

export interface Cooling {
  /** In Unix milliseconds. */
  until: number
  /** When the database recorded it; null if it has not yet. */
  notedAt: number | null
}

export interface Doors {
  /** Blocked networks, and until when, in Unix milliseconds (src/platform/rate-limit.ts). */
  shut: Map<string, number>
  /** The hashes of API keys and servers' secrets that were accepted. */
  keys: Set<string>
  /** Limits lookups of unknown credentials from addresses that have sent many wrong ones. */
  strangers: Turnstile
  /** The refused requests of keys that were stored: until when an equal one is not, and how many are being stored. */
  refused: { until: Map<string, number>; storing: number }
}

/** The context of a change without a signed-in caller, as on the command line. */
export type SystemContext = Pick<Context, "db" | "clock" | "requestId" | "address">

export interface Overrides {
  clock?: Clock
  random?: () => number
  fetch?: typeof fetch
  address?: string | undefined
}

export function createContext(
  env: BaseEnv,
  waitUntil: (work: Promise<unknown>) => void,
  overrides: Overrides = {},
): Context {
  const clock = overrides.clock ?? systemClock
  const requestId = newId("request", clock.now())
  const meter = new Meter()
  const logged: LogIds = { request_id: requestId }
  const { queueClient, marked, refusedCallers, windowsRest, ...platform } = platformOf(env)
  const log = createLog(env, logged)
  return {
    ...platform,
    brand: env.BRAND,
    requestId,
    address: overrides.address ?? null,
    db: createDatabase(env, meter),
    queue: createQueue(queueClient, env, {
      meter,
      clock,
      redis: () => createRedis(env, meter),
      background: waitUntil,
    }),
    channels: createRedis(env, meter),
    refusals: new RefusalMemory(() => createRedis(env, meter), refusedCallers, { clock, log, background: waitUntil }),
    windows: new TurnWindows(() => createRedis(env, meter), windowsRest, { clock, log, background: waitUntil }),
    probeRedis: async () => void (await createRedis(env, meter).get("health")),
    cron: env.SLEEP_WHEN_IDLE === "1" ? new CronState(() => createRedis(env, meter), clock, marked) : null,
    clock,
    random: overrides.random ?? systemRandom,
    fetch: overrides.fetch ?? systemFetch,
    meter,
    log,
    logged,
    config: { seen: null, expected: null },
    background: waitUntil,
  }
}

const systemFetch: typeof fetch = (input, init) => fetch(input, init)

/** The parts that depend only on the bindings. */
const platformOf = onceFor((env: BaseEnv) => ({
  queueClient: createQueueClient(env),
  marked: { at: Number.NEGATIVE_INFINITY },
  windowsRest: { until: 0 },
  refusedCallers: { scopes: new Map(), restsUntil: 0 } as RefusedCallers,
  securityContact: env.SECURITY_CONTACT,
  webhookLanes: webhookLanes(env),
  slots: { runners: env.RUNNERS, live: env.TURN_SLOTS, test: env.TEST_TURN_SLOTS, endUser: env.END_USER_TURN_SLOTS },
  files: createBucket(env.FILES),
  keyRing: createKeyRing(env.SECRETS_KEYS),
  posting: new Map<number, Posting>(),
  cooling: new Map<string, Cooling>(),
  memory: new MemoryBudget(MEMORY),
  statements: new Turnstile(STATEMENTS),
  doors: {
    shut: new Map(),
    keys: new Set(),
    strangers: new Turnstile({ atOnce: 4, waiting: 0 }),
    refused: { until: new Map(), storing: 0 },
  } as Doors,
  botApiUrl: env.BOT_API_URL.replace(/\/+$/, ""),
  emailHook: emailHook(env),
  operatorTraces: operatorTraces(env),
  providerLogins: env.PROVIDER_LOGINS,
  site: siteOf(env),
  urlPolicy: { allowLoopback: env.ALLOW_PRIVATE_TARGETS === "1", ownHosts: ownHosts(env) },
  callbackUrl: (path: string) => callbackUrl(env, path),
}))

/** Without a secret, the server could not verify the sender, so no emails are sent. */
const emailHook = ({ EMAIL_HOOK_URL: url, EMAIL_HOOK_SECRET: secret }: BaseEnv) =>
  url && secret ? { url, secret } : null

function operatorTraces(env: BaseEnv): OperatorTraces | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME } = env
  if (!endpoint) return null
  const text = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.toLowerCase()
  return {
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers,
    service: OTEL_SERVICE_NAME ?? null,
    withText: text === "true" || text === "span_only",
  }
}

function siteOf({ OWN_HOSTS, CALLBACKS_URL }: BaseEnv): SiteAddresses {
  const callbacks = new URL(CALLBACKS_URL)
  const own = hostsIn(OWN_HOSTS)
  return {
    hosts: [...own, callbacks.host],
    origin: own[0] === undefined ? callbacks.origin : `https://${own[0]}`,
    isLocal: isLoopbackName(callbacks.hostname),
  }
}

const hostsIn = (list: string) =>
  list
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "")

/** The hosts of our own services. Owners' URLs must not lead to them. */
function ownHosts(env: BaseEnv): string[] {
  const urls = [env.CALLBACKS_URL, env.QSTASH_URL, env.UPSTASH_REDIS_REST_URL, env.DATABASE_URL, env.DATABASE_HTTP_URL]
  const hosts = urls.flatMap((url) => (url ? [new URL(url).host] : []))
  // Neon answers SQL over HTTP at a host next to the database's own.
  const { hostname } = new URL(env.DATABASE_URL)
  if (hostname.split(".").length > 2) hosts.push(hostname.replace(/^[^.]+/, "api"))
  return [...new Set([...hosts, ...hostsIn(env.OWN_HOSTS)])]
}
