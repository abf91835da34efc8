import pg from "pg"
import type { Settings } from "./settings.ts"

/** The regions of QStash. A token belongs to one of them. */
const QSTASH_REGIONS: Readonly<Record<string, string>> = {
  "eu-central-1": "https://qstash.upstash.io",
  "us-east-1": "https://qstash-us-east-1.upstash.io",
}
const WAIT_MS = 15_000

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** The facts of a service that a deployment needs. */
type Found = Settings

/** A check's result: settings that it has found, or what the operator must change. */
export type Checked = { found: Found; said: string } | { fault: string }

const isRefused = ({ status }: Response) => status === 401 || status === 403

/** Calls a service. A failure of the network is a fault like others. */
async function ask(fetch: Fetch, url: string, token: Record<string, string>, init: RequestInit = {}) {
  return fetch(url, { ...init, headers: { ...token, ...init.headers }, signal: AbortSignal.timeout(WAIT_MS) }).catch(
    (error: Error) => error,
  )
}

const unreachable = (name: string, url: string, error: Error) => ({
  fault: `${name} cannot be reached at ${new URL(url).origin}: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
})

/** Writes and takes one value, because a read-only token passes every read. */
export async function checkRedis(fetch: Fetch, settings: Settings): Promise<Checked> {
  const url = settings.UPSTASH_REDIS_REST_URL as string
  const headers = { Authorization: `Bearer ${settings.UPSTASH_REDIS_REST_TOKEN}` }
  const body = JSON.stringify(["SET", "deploy:check", "1", "EX", "60"])
  const answer = await ask(fetch, url, headers, { method: "POST", body })
  if (answer instanceof Error) return unreachable("Redis", url, answer)
  if (isRefused(answer))
    return { fault: "UPSTASH_REDIS_REST_TOKEN is refused: it belongs to another database, or was reset." }
  const { result, error } = (await answer.json().catch(() => ({}))) as { result?: string; error?: string }
  if (result === "OK") return { found: {}, said: "Redis accepts the token and stores values." }
  if (/NOPERM|READONLY/.test(error ?? "")) {
    return { fault: "UPSTASH_REDIS_REST_TOKEN is the read-only token. Use the standard token." }
  }
  return { fault: `UPSTASH_REDIS_REST_URL does not answer as Upstash Redis does (HTTP ${answer.status}).` }
}

interface SigningKeys {
  current: string
  next: string
}

/** Finds the region of the token, reads its signing keys, and compares them with keys that were given. */
export async function checkQstash(fetch: Fetch, settings: Settings): Promise<Checked> {
  const headers = { Authorization: `Bearer ${settings.QSTASH_TOKEN}` }
  const given = settings.QSTASH_URL?.replace(/\/+$/, "")
  const places = [...(given ? [given] : []), ...Object.values(QSTASH_REGIONS).filter((url) => url !== given)]
  let accepted: string | undefined
  let keys: SigningKeys | undefined
  const failures: string[] = []
  for (const url of places) {
    const answer = await ask(fetch, `${url}/v2/keys`, headers)
    if (answer instanceof Error) failures.push(unreachable("QStash", url, answer).fault)
    else if (answer.ok) {
      accepted = url
      keys = (await answer.json()) as SigningKeys
      break
    } else if (!isRefused(answer) && answer.status !== 404) failures.push(`QStash answers ${answer.status} at ${url}.`)
  }
  if (!accepted || !keys) {
    return {
      fault: failures[0] ?? "QSTASH_TOKEN is refused in every region: copy it again from the QStash tab of Upstash.",
    }
  }
  const region = Object.entries(QSTASH_REGIONS).find(([, url]) => url === accepted)?.[0] ?? accepted
  if (given && given !== accepted) {
    return { fault: `QSTASH_TOKEN belongs to another region, ${region}: set QSTASH_URL=${accepted}, or leave it out.` }
  }
  const wrong = (["CURRENT", "NEXT"] as const).filter((name) => {
    const key = settings[`QSTASH_${name}_SIGNING_KEY`]
    return key !== undefined && key !== keys?.[name === "CURRENT" ? "current" : "next"]
  })
  if (wrong.length > 0) {
    const names = wrong.map((name) => `QSTASH_${name}_SIGNING_KEY`).join(" and ")
    return {
      fault: `${names} is not the key of this token: leave it out, and it is looked up. Otherwise no turn would run.`,
    }
  }
  const limit = await ask(fetch, `${accepted}/v2/globalParallelism`, headers)
  const most =
    limit instanceof Error || !limit.ok
      ? undefined
      : ((await limit.json()) as { parallelismMax?: number }).parallelismMax
  return {
    found: {
      QSTASH_URL: accepted,
      QSTASH_CURRENT_SIGNING_KEY: keys.current,
      QSTASH_NEXT_SIGNING_KEY: keys.next,
      ...sharesOf(most, settings),
    },
    said: `QStash accepts the token (${region})${most ? `; its plan delivers ${most} messages at once` : ""}.`,
  }
}

/** RUNNERS and WEBHOOK_RUNS as shares of the plan's number (docs/configuration.md), unless they are set. */
function sharesOf(most: number | undefined, settings: Settings): Settings {
  if (!most) return {}
  return {
    ...(!settings.RUNNERS && { RUNNERS: String(Math.max(1, Math.floor(most * 0.4))) }),
    ...(!settings.WEBHOOK_RUNS && { WEBHOOK_RUNS: String(Math.max(1, Math.floor(most * 0.3))) }),
  }
}

/** Lists models with each given key, which costs nothing. */
export async function checkModelKeys(fetch: Fetch, settings: Settings): Promise<Checked> {
  const places = {
    ANTHROPIC_API_KEY: {
      url: `${settings.ANTHROPIC_BASE_URL ?? "https://api.anthropic.com/v1"}/models`,
      headers: { "x-api-key": settings.ANTHROPIC_API_KEY ?? "", "anthropic-version": "2023-06-01" },
    },
    OPENAI_API_KEY: {
      url: `${settings.OPENAI_BASE_URL ?? "https://api.openai.com/v1"}/models`,
      headers: { Authorization: `Bearer ${settings.OPENAI_API_KEY}` },
    },
  }
  const given = Object.entries(places).filter(([name]) => settings[name])
  if (given.length === 0) return { found: {}, said: "No model key is set: only rehearsed models can run." }
  for (const [name, { url, headers }] of given) {
    const answer = await ask(fetch, url, headers)
    if (answer instanceof Error) return unreachable(`The server of ${name}`, url, answer)
    if (isRefused(answer)) return { fault: `${name} is refused (HTTP ${answer.status}) by ${new URL(url).host}.` }
    if (!answer.ok) return { fault: `${new URL(url).host} answers ${answer.status} to ${name}.` }
  }
  return { found: {}, said: `Accepted: ${given.map(([name]) => name).join(", ")}.` }
}

/** Connects as the owner. The role must be able to create the workers' roles and the procedures. */
export async function checkDatabase(settings: Settings): Promise<Checked> {
  const url = settings.DATABASE_URL as string
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: WAIT_MS })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; creates: boolean; owns: boolean }>(
      `select current_setting('server_version_num')::integer as version,
         (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as creates,
         has_database_privilege(current_database(), 'create') as owns`,
    )
    const [found] = rows
    if (!found || found.version < 150_000) return { fault: "The database is older than PostgreSQL 15." }
    if (!found.owns)
      return { fault: "The role of DATABASE_URL may not create schemas in this database: use its owner." }
    if (!found.creates) {
      return {
        fault: "The role of DATABASE_URL may not create roles (CREATEROLE). On Neon, use the project's own role.",
      }
    }
    return { found: {}, said: `The database accepts its owner (PostgreSQL ${Math.floor(found.version / 10_000)}).` }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === "28P01") return { fault: "The database refuses the password of DATABASE_URL." }
    if (code === "3D000") return { fault: "DATABASE_URL names a database that does not exist." }
    return { fault: `The database cannot be reached at ${new URL(url).host}: ${message || code}.` }
  } finally {
    await client.end().catch(() => {})
  }
}
