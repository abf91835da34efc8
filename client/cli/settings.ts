import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { COMMAND } from "../src/names.ts"
import { Transport } from "../src/transport.ts"
import { Turnpike } from "../src/turnpike.ts"
import { CommandError } from "./failures.ts"
import type { Terminal } from "./terminal.ts"

/** The content of the configuration file, which `init` writes. */
interface Stored {
  base_url?: string
  api_key?: string
  /** Signs the events that `listen` forwards. */
  listen_secret?: string
}

/** Readable or writable by the owner's group or by other users. */
const FOR_OTHERS = 0o077
const NO_KEY = `Run \`${COMMAND} init\`, or set TURNPIKE_API_KEY and TURNPIKE_BASE_URL. For a local service, run \`${COMMAND} init --local\`.`

/** The path of the configuration file: TURNPIKE_CONFIG, or turnpike/config.json in XDG_CONFIG_HOME or ~/.config. */
export function settingsFile({ env, home }: Terminal): string {
  return env.TURNPIKE_CONFIG ?? join(env.XDG_CONFIG_HOME || join(home, ".config"), "turnpike", "config.json")
}

export async function readStored(terminal: Terminal): Promise<Stored> {
  const file = settingsFile(terminal)
  const found = await stat(file).catch(() => null)
  if (!found) return {}
  if (process.platform !== "win32" && (found.mode & FOR_OTHERS) !== 0) {
    throw new CommandError(`Other users of this machine can read ${file}, which contains an API key.`, {
      exit: "access",
      hint: `Run: chmod 600 ${file}`,
    })
  }
  try {
    return JSON.parse(await readFile(file, "utf8")) as Stored
  } catch {
    throw new CommandError(`${file} is not valid JSON.`, {
      hint: `Correct it, or delete it and run \`${COMMAND} init\`.`,
    })
  }
}

/** Adds values to the configuration file, which only its owner can read. The file is never incomplete. */
export async function store(terminal: Terminal, values: Stored): Promise<void> {
  const file = settingsFile(terminal)
  const known = await readStored(terminal)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify({ ...known, ...values }, null, 2)}\n`, { mode: 0o600 })
  await chmod(draft, 0o600)
  await rename(draft, file)
}

/** The key and the address that a command uses. A stored key is sent only to the address that it was stored with. */
async function readConnection(terminal: Terminal, baseUrl: string | undefined) {
  const { env } = terminal
  const wanted = baseUrl ?? env.TURNPIKE_BASE_URL
  if (env.TURNPIKE_API_KEY && wanted) return optionsOf(terminal, env.TURNPIKE_API_KEY, wanted)
  const stored = await readStored(terminal)
  if (env.TURNPIKE_API_KEY && stored.base_url) return optionsOf(terminal, env.TURNPIKE_API_KEY, stored.base_url)
  if (env.TURNPIKE_API_KEY)
    throw new CommandError("There is no address of a service.", { hint: "Set TURNPIKE_BASE_URL." })
  if (!stored.api_key || !stored.base_url)
    throw new CommandError("There is no API key.", { exit: "access", hint: NO_KEY })
  if (wanted && originOf(wanted) !== originOf(stored.base_url)) {
    throw new CommandError(`The stored API key belongs to ${stored.base_url}, so it is not sent to ${wanted}.`, {
      exit: "access",
      hint: `Set TURNPIKE_API_KEY too, or run \`${COMMAND} init\` for this address.`,
    })
  }
  return optionsOf(terminal, stored.api_key, stored.base_url)
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

function optionsOf({ fetch, runtime }: Terminal, apiKey: string, baseUrl: string) {
  if (!URL.canParse(baseUrl))
    throw new CommandError(`"${baseUrl}" is not a URL.`, { hint: "Such as https://api.example.com" })
  return { apiKey, baseUrl, fetch, runtime }
}

type Connection = Awaited<ReturnType<typeof readConnection>>

/** Reads the connection of a command, once. */
export function connectionOf(terminal: Terminal, baseUrl: string | undefined): () => Promise<Connection> {
  let known: Promise<Connection> | undefined
  return () => {
    known ??= readConnection(terminal, baseUrl)
    return known
  }
}

/** The client that a command uses. */
export const connect = async (connection: () => Promise<Connection>) => new Turnpike(await connection())

/** For responses that a command needs byte for byte. */
export const connectRaw = async (connection: () => Promise<Connection>) => new Transport(await connection())
