import { COMMAND } from "../src/names.ts"
import type { McpServer, Secret, Space, Tool } from "../src/operations.ts"
import type { Turnpike } from "../src/turnpike.ts"
import { CommandError } from "./failures.ts"
import { NAME_KEY, type SpaceFile } from "./space-file.ts"

/** The configuration of a space in the service. */
export interface LiveSpace {
  space: Space
  tools: Tool[]
  mcpServers: McpServer[]
  secrets: Secret[]
}

/** One difference between a file and the service. `from` and `to` are never values of secrets. */
export interface Change {
  action: "add" | "change" | "remove"
  /** Such as `manifest.instructions` or `tools.lookup_order`. */
  path: string
  from?: unknown
  to?: unknown
}

/** Finds the space that `apply` created for a name. Null if there is none. */
export async function findByName(turnpike: Turnpike, name: string): Promise<Space | null> {
  const found: Space[] = []
  for await (const space of turnpike.spaces.list({ limit: 100 })) {
    if (space.metadata[NAME_KEY] === name) found.push(space)
  }
  if (found.length > 1) {
    const ids = found.map(({ space_id }) => space_id).join(", ")
    const hint = `Archive all but one: ${COMMAND} spaces archive ${found[0]?.space_id}`
    throw new CommandError(`These spaces have the same name "${name}": ${ids}.`, { exit: "refused", hint })
  }
  return found[0] ?? null
}

/** The id of a space, given as an id or as the name in its file. */
export async function spaceIdOf(turnpike: Turnpike, given: string): Promise<string> {
  if (given.startsWith("spc_")) return given
  const space = await findByName(turnpike, given)
  if (space) return space.space_id
  throw new CommandError(`There is no space with the name "${given}".`, {
    exit: "refused",
    hint: `\`${COMMAND} spaces list\` shows all spaces. \`${COMMAND} apply\` creates one from a file.`,
  })
}

export async function readLiveSpace(turnpike: Turnpike, space: Space): Promise<LiveSpace> {
  const { tools, mcpServers, secrets } = turnpike.spaces
  const [ofTools, ofServers, ofSecrets] = await Promise.all([
    tools.list(space.space_id).toArray(),
    mcpServers.list(space.space_id).toArray(),
    secrets.list(space.space_id).toArray(),
  ])
  return { space, tools: ofTools, mcpServers: ofServers, secrets: ofSecrets }
}

/** What `apply` would change. A section that is missing in the file, and a secret that is set, is no difference. */
export function changesOf(file: SpaceFile, live: LiveSpace | null): Change[] {
  if (!live) return creations(file)
  const { space } = live
  const changes: Change[] = []
  compare("title", space.title, file.title, changes)
  if (file.model !== undefined) compare("model", space.model, file.model, changes)
  if (file.metadata) {
    const { [NAME_KEY]: _name, ...metadata } = space.metadata
    compare("metadata", metadata, file.metadata, changes)
  }
  if (file.manifest) compare("manifest", space.manifest, file.manifest, changes)
  if (file.tools) compare("tools", byName(live.tools), byName(file.tools), changes)
  if (file.mcp_servers) compare("mcp_servers", byName(live.mcpServers), byName(file.mcp_servers), changes)
  if (file.secrets) {
    const set = new Set(live.secrets.map(({ name }) => name))
    for (const name of Object.keys(file.secrets))
      if (!set.has(name)) changes.push({ action: "add", path: `secrets.${name}` })
    for (const name of set) if (!(name in file.secrets)) changes.push({ action: "remove", path: `secrets.${name}` })
  }
  return changes
}

function creations({ name, secrets = {}, tools = [], mcp_servers = [], ...rest }: SpaceFile): Change[] {
  const changes: Change[] = []
  compare("tools", {}, byName(tools), changes)
  compare("mcp_servers", {}, byName(mcp_servers), changes)
  return [
    { action: "add", path: "space", to: name },
    ...Object.entries(rest).map(([path, to]) => ({ action: "add" as const, path, to })),
    ...changes,
    ...Object.keys(secrets).map((secret) => ({ action: "add" as const, path: `secrets.${secret}` })),
  ]
}

const byName = (list: { name: string }[]) =>
  Object.fromEntries(list.map(({ name, ...rest }) => [name, rest as Record<string, unknown>]))

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Adds each difference of two values. Maps are compared by key, and everything else as a whole. */
function compare(path: string, from: unknown, to: unknown, changes: Change[]): void {
  if (isEqual(from, to)) return
  if (from === undefined) changes.push({ action: "add", path, to })
  else if (to === undefined) changes.push({ action: "remove", path, from })
  else if (isMap(from) && isMap(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
      compare(`${path}.${key}`, from[key], to[key], changes)
  } else changes.push({ action: "change", path, from, to })
}

/** The order of a map's keys does not matter. */
function isEqual(one: unknown, other: unknown): boolean {
  if (isMap(one) && isMap(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...keys].every((key) => isEqual(one[key], other[key]))
  }
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
  return one === other
}
