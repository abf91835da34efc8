import type { Context } from "../actor/context.ts"
import { accountsOf, type ModelVariables } from "../agent/accounts.ts"
import { ENGINE_URLS, type EngineName } from "../agent/engine.ts"
import { onceFor } from "../base/once-for.ts"
import { openEnvironmentFile } from "../environment/environment-file.ts"
import { describeError } from "../platform/log.ts"

/**
 * The server that the pins of each engine name: that of the environment's own account, in its spellings, in lower case, the engine's own as "".
 * An engine that the environment has no account for is not here, and accounts at any server serve its pins.
 */
export type EngineServers = Partial<Record<EngineName, string[]>>

/** What an isolate has read of the operator's environment file: base URLs, and which keys there are. */
interface KnownFile {
  sealed: string | null
  variables: ModelVariables
}

/** `variables`: those of the worker; only calls need them. */
export type ServersContext = Context & { variables?: ModelVariables }

const knownFiles = onceFor((_cooling: Context["cooling"]): KnownFile => ({ sealed: null, variables: {} }))

/** The servers as this isolate has last read the operator's keys. */
export const assumedServers = ({ variables = {}, cooling }: ServersContext): EngineServers =>
  serversOf(variables, knownFiles(cooling).variables)

/** The servers by the operator's keys as a statement has just read them. */
export async function readServers(ctx: ServersContext, sealed: string | null): Promise<EngineServers> {
  const known = knownFiles(ctx.cooling)
  if (known.sealed !== sealed) {
    known.variables = await shapeOf(ctx, sealed)
    known.sealed = sealed
  }
  return serversOf(ctx.variables ?? {}, known.variables)
}

/** A file that cannot be read names no server: a call that needs its keys fails, and says so. */
async function shapeOf(ctx: Context, sealed: string | null): Promise<ModelVariables> {
  try {
    const { ANTHROPIC_API_KEY, OPENAI_API_KEY, ...urls } = await openEnvironmentFile(ctx, "engines", sealed)
    return {
      ...urls,
      ...(ANTHROPIC_API_KEY && { ANTHROPIC_API_KEY: "set" }),
      ...(OPENAI_API_KEY && { OPENAI_API_KEY: "set" }),
    }
  } catch (error) {
    ctx.log("error", "environment.unreadable", { error: describeError(error) })
    return {}
  }
}

function serversOf(worker: ModelVariables, file: ModelVariables): EngineServers {
  const own = Object.entries(accountsOf(worker, file)) as [EngineName, { baseUrl?: string }][]
  return Object.fromEntries(own.map(([engine, { baseUrl }]) => [engine, spellings(engine, baseUrl)]))
}

function spellings(engine: EngineName, baseUrl: string | undefined): string[] {
  const default_ = ENGINE_URLS[engine as keyof typeof ENGINE_URLS]
  const url = bare(baseUrl ?? default_ ?? "")
  return url === default_ ? ["", url] : [...new Set([url, bare(URL.parse(url)?.href ?? url)])]
}

const bare = (url: string) => url.replace(/\/+$/, "").toLowerCase()
