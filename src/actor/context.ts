import type { BaseEnv } from "../base/env.ts"
import { newId } from "../base/ids.ts"
import { createKeyRing, type KeyRing } from "../base/key-ring.ts"
import { isLoopbackName } from "../base/network.ts"
import { onceFor } from "../base/once-for.ts"
import type { ProviderLogins } from "../base/provider-logins.ts"
import { type Bucket, createBucket } from "../platform/bucket.ts"
import { type Clock, systemClock, systemRandom } from "../platform/clock.ts"
import { createDatabase, type Database } from "../platform/db.ts"
import type { EmailHook } from "../platform/email-hook.ts"
import { createLog, type Log } from "../platform/log.ts"
import { MEMORY, MemoryBudget } from "../platform/memory.ts"
import { Meter } from "../platform/meter.ts"
import type { UrlPolicy } from "../platform/public-url.ts"
import { callbackUrl, createQueue, createQueueClient, type Queue } from "../platform/queue.ts"
import { Turnstile } from "../platform/turnstile.ts"

/** What a verb may use. It is built for each invocation from the bindings; no other object holds anything of a request. */
export interface Context {
  readonly brand: string
  readonly requestId: string
  /** The caller's address, from Cloudflare; null without a request, as in a cron job. */
  readonly address: string | null
  readonly db: Database
  readonly queue: Queue
  /** How many turns may run at once. */
  readonly slots: TurnSlots
  readonly clock: Clock
  /** A number from 0 to below 1, for jitter; never for secrets. */
  readonly random: () => number
  /** For our own services and the models only. Customers' URLs are called through the guarded `outbound`. */
  readonly fetch: typeof fetch
  readonly files: Bucket
  readonly keyRing: KeyRing
  /** What a customer's URL may be. */
  readonly urlPolicy: UrlPolicy
  /** The addresses of this service itself, as its configuration names them. */
  readonly site: SiteAddresses
  /** The messaging platform's Bot API, without a slash at its end. */
  readonly botApiUrl: string
  /** The operator's server that sends emails; null: none are sent. */
  readonly emailHook: EmailHook | null
  /** How accounts at the providers of models are logged in, by pool. */
  readonly providerLogins: ProviderLogins
  readonly meter: Meter
  readonly log: Log
  /** Accounts whose charges this isolate posts at the moment. */
  readonly posting: Map<number, Posting>
  /** Accounts at providers that this isolate has heard are not to be called, by id. */
  readonly cooling: Map<string, Cooling>
  /** What this isolate lends to whatever is large. */
  readonly memory: MemoryBudget
  /** What this isolate knows about those who come to its open doors. */
  readonly doors: Doors
  /** Work that goes on after the answer. It must be recoverable, since the worker can die before it runs. */
  background(work: Promise<unknown>): void
  /** The public URL of a path of the callbacks worker. */
  callbackUrl(path: string): string
}

export interface SiteAddresses {
  /** OWN_HOSTS and the host of CALLBACKS_URL. The hosts of brands are in the database. */
  hosts: string[]
  /** Where a link leads when its request came to a host that is none of ours: the first of OWN_HOSTS, else CALLBACKS_URL. */
  origin: string
  /** On this machine, by `npm start` and the like: then it answers to names of this machine only. */
  isLocal: boolean
}

export interface TurnSlots {
  /** Runners, each with many turns. */
  runners: number
  /** Turns of an account, live and test ones, and of one of its end users. */
  live: number
  test: number
  endUser: number
}

export interface Posting {
  /** When it counts as lost, in milliseconds. */
  until: number
  /** Whether more has come since it began. */
  again: boolean
}

export interface Cooling {
  /** In milliseconds. */
  until: number
  /** When the database knew it; null: not yet. */
  notedAt: number | null
}

export interface Doors {
  /** Until when networks are shut out, in milliseconds (src/platform/rate-limit.ts). */
  shut: Map<string, number>
  /** API keys and servers' secrets that have been let in, by their hashes. */
  keys: Set<string>
  /** Behind it are those that nobody knows yet, from addresses that have sent many wrong ones. */
  strangers: Turnstile
}

/** What a change without a signed-in caller needs: all that the command line has. */
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
  const log = createLog(env, { request_id: requestId })
  const { queueClient, ...platform } = platformOf(env)
  return {
    ...platform,
    brand: env.BRAND,
    requestId,
    address: overrides.address ?? null,
    db: createDatabase(env, meter),
    queue: createQueue(queueClient, env, { meter, clock }),
    clock,
    random: overrides.random ?? systemRandom,
    fetch: overrides.fetch ?? systemFetch,
    meter,
    log,
    background: waitUntil,
  }
}

const systemFetch: typeof fetch = (input, init) => fetch(input, init)

/** The parts that depend on the bindings only. */
const platformOf = onceFor((env: BaseEnv) => ({
  queueClient: createQueueClient(env),
  slots: { runners: env.RUNNERS, live: env.TURN_SLOTS, test: env.TEST_TURN_SLOTS, endUser: env.END_USER_TURN_SLOTS },
  files: createBucket(env.FILES),
  keyRing: createKeyRing(env.SECRETS_KEYS),
  posting: new Map<number, Posting>(),
  cooling: new Map<string, Cooling>(),
  memory: new MemoryBudget(MEMORY),
  doors: { shut: new Map(), keys: new Set(), strangers: new Turnstile({ atOnce: 4, waiting: 0 }) } as Doors,
  botApiUrl: env.BOT_API_URL.replace(/\/+$/, ""),
  emailHook: emailHook(env),
  providerLogins: env.PROVIDER_LOGINS,
  site: siteOf(env),
  urlPolicy: { allowLoopback: env.ALLOW_PRIVATE_TARGETS === "1", ownHosts: ownHosts(env) },
  callbackUrl: (path: string) => callbackUrl(env, path),
}))

/** Nothing goes to a server that cannot tell who sends it. */
const emailHook = ({ EMAIL_HOOK_URL: url, EMAIL_HOOK_SECRET: secret }: BaseEnv) =>
  url && secret ? { url, secret } : null

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

/** The hosts of our own services. Customers' URLs must not lead back into them. */
function ownHosts(env: BaseEnv): string[] {
  const urls = [env.CALLBACKS_URL, env.QSTASH_URL, env.UPSTASH_REDIS_REST_URL, env.DATABASE_URL, env.DATABASE_HTTP_URL]
  const hosts = urls.flatMap((url) => (url ? [new URL(url).host] : []))
  // Neon answers statements beside the database's own host.
  const { hostname } = new URL(env.DATABASE_URL)
  if (hostname.split(".").length > 2) hosts.push(hostname.replace(/^[^.]+/, "api"))
  return [...new Set([...hosts, ...hostsIn(env.OWN_HOSTS)])]
}
