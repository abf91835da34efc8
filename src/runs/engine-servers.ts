import type { Context } from "../actor/context.ts"
import { accountsOf, type ModelVariables } from "../agent/accounts.ts"
import { ENGINE_URLS, type EngineName } from "../agent/engine.ts"
import { folded } from "../base/folded.ts"
import { onceFor } from "../base/once-for.ts"
import { openEnvironmentFile } from "../environment/environment-file.ts"
import { describeError } from "../platform/log.ts"

/**
 * The server that the pins of each engine mean: the server of the environment's account, in all its spellings, in lower
 * case. The engine's default server is also spelled "". An engine without an environment account is missing here, and
 * accounts at any server serve its pins.
 */
export type EngineServers = Partial<Record<EngineName, string[]>>

/** The base URLs in the operator's environment file, and which keys it has, as an isolate has read it. */
interface KnownFile {
  sealed: string | null
  variables: ModelVariables
}

/** `variables`: of the worker. Only model calls need them. */
export type ServersContext = Context & { variables?: ModelVariables }

const knownFiles = onceFor((_cooling: Context["cooling"]): KnownFile => ({ sealed: null, variables: {} }))

/** The servers according to the environment file that this isolate last read. */
export const assumedServers = ({ variables = {}, cooling }: ServersContext): EngineServers =>
  serversOf(variables, knownFiles(cooling).variables)

/** The servers according to the environment file that a statement has just read. */
export async function readServers(ctx: ServersContext, sealed: string | null): Promise<EngineServers> {
  const known = knownFiles(ctx.cooling)
  if (known.sealed !== sealed) {
    known.variables = await shapeOf(ctx, sealed)
    known.sealed = sealed
  }
  return serversOf(ctx.variables ?? {}, known.variables)
}

/** An unreadable file names no server. A call that needs its keys fails with an error. */
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

const bare = (url: string) => folded(url.replace(/\/+$/, ""))
