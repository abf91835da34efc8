import { chmod, readFile, rename, stat, writeFile } from "node:fs/promises"
import { parseEnv } from "node:util"
import { DeployFault } from "./fault.ts"
import { GROUPS, urlSettingOf, VARIABLES } from "./variables.ts"

export type Settings = Record<string, string>

interface Asked {
  name: string
  question: string
  /** False if an empty answer is allowed. */
  required: boolean
  /** Returns the fault of a value, without the value. */
  wrong?: (value: string) => string | undefined
}

const httpUrl = (value: string) =>
  /^https?:\/\/\S+$/.test(value) ? undefined : "must be a URL that begins with https://"

/** The settings that only the operator knows. All others are looked up, created or have a default. */
export const ASKED: readonly Asked[] = [
  {
    name: "TURNPIKE_HOST",
    question: "Host of the service, such as turnpike.acme.com (several: separated by commas)",
    required: true,
  },
  {
    name: "DATABASE_URL",
    question: "Neon: the direct (not pooled) connection string of the database's owner",
    required: true,
    wrong: ownerUrl,
  },
  { name: "UPSTASH_REDIS_REST_URL", question: "Upstash Redis: REST URL", required: true, wrong: httpUrl },
  { name: "UPSTASH_REDIS_REST_TOKEN", question: "Upstash Redis: REST token (not the read-only one)", required: true },
  { name: "QSTASH_TOKEN", question: "QStash: token", required: true },
  { name: "ADMIN_EMAIL", question: "Email of the first admin", required: true },
  { name: "ANTHROPIC_API_KEY", question: "Anthropic: API key (empty: none)", required: false },
  { name: "OPENAI_API_KEY", question: "OpenAI or compatible server: API key (empty: none)", required: false },
]

/** Settings that a deployment creates and keeps, in addition to those of VARIABLES. */
const KEPT = [...GROUPS.map(urlSettingOf), "CHECK_API_KEY", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"]

function ownerUrl(value: string): string | undefined {
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
    return "must be a connection string that begins with postgresql://"
  }
  const { hostname, username, password } = new URL(value)
  if (/-pooler\./.test(hostname)) return "is the pooled connection string: copy the direct one, without -pooler"
  if (/^turnpike_/.test(username)) return "is a worker's connection string: use the one of the database's owner"
  return username && password ? undefined : "must contain a user name and a password"
}

/** The file in which a stage keeps its settings. It contains secrets and is not committed. */
export const settingsFile = (stage: string | undefined) => `deploy.${stage ?? "production"}.env`

/** Throws if a name in the file is unknown, because a typing error would otherwise be silent. */
export async function readSettings(file: string): Promise<Settings> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  if (text && (await stat(file)).mode & 0o077) await chmod(file, 0o600)
  const settings = Object.fromEntries(Object.entries(parseEnv(text)).filter(([, value]) => value)) as Settings
  const known = new Set([...ASKED.map(({ name }) => name), ...Object.keys(VARIABLES), ...KEPT])
  const unknown = Object.keys(settings).filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new DeployFault(
      `${file} has unknown names: ${unknown.join(", ")}. docs/configuration.md lists the variables.`,
    )
  }
  return settings
}

/** Writes the file at once or not at all, readable only by its owner. */
export async function writeSettings(file: string, settings: Settings): Promise<void> {
  const lines = Object.entries(settings)
    .filter(([, value]) => value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${quoted(value)}`)
  const draft = `${file}.${process.pid}.draft`
  await writeFile(
    draft,
    `# Settings and secrets of a deployment. Keep a copy in a safe place.\n${lines.join("\n")}\n`,
    {
      mode: 0o600,
    },
  )
  await rename(draft, file)
}

/** A value in quotes that it does not contain. */
function quoted(value: string): string {
  const quote = ['"', "'", "`"].find((one) => !value.includes(one))
  if (!quote || /[\r\n]/.test(value)) throw new DeployFault("A setting has several lines or all kinds of quotes.")
  return quote + value + quote
}

/** The missing and malformed settings by their names. No value is repeated. */
export function faultsOf(settings: Settings): string[] {
  return ASKED.flatMap(({ name, question, required, wrong }) => {
    const value = settings[name]
    if (!value) return required ? [`${name} is missing. ${question}.`] : []
    const fault = wrong?.(value)
    return fault ? [`${name} ${fault}.`] : []
  })
}
