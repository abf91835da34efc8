import { TurnpikeError } from "../src/errors.ts"
import type { Space } from "../src/operations.ts"
import type { ChangeOptions } from "../src/options.ts"
import type { Turnpike } from "../src/turnpike.ts"
import { CommandError } from "./failures.ts"
import { type Change, changesOf, findByName, type LiveSpace, readLiveSpace } from "./space-changes.ts"
import { NAME_KEY, newSpaceOf, type SpaceFile } from "./space-file.ts"

/** The differences, and the state of the service that they were computed from. Null: the space does not exist. */
export interface Plan {
  live: LiveSpace | null
  changes: Change[]
}

export async function planSpace(turnpike: Turnpike, file: SpaceFile): Promise<Plan> {
  const space = await findByName(turnpike, file.name)
  const live = space && (await readLiveSpace(turnpike, space))
  return { live, changes: changesOf(file, live) }
}

interface ApplyOptions {
  /** The values of the secrets to send. */
  secrets: Record<string, string>
  apiKey: string
}

interface Applied {
  space_id: string
  config_version: number
}

/**
 * Makes the changes of a plan. Each is safe to repeat, so a command that was interrupted can run again. Each names the
 * version of the configuration on which it is based, so it fails if another program has changed it since the plan.
 */
export async function applySpace(
  turnpike: Turnpike,
  file: SpaceFile,
  { live, changes }: Plan,
  { secrets, apiKey }: ApplyOptions,
): Promise<Applied> {
  if (!live) return createSpace(turnpike, file, { secrets, apiKey })
  const { space_id } = live.space
  const { spaces } = turnpike
  const chain = versionsOf(turnpike, live.space)
  const isChanged = (path: string) => changes.some((one) => one.path === path || one.path.startsWith(`${path}.`))
  const isRemoved = (path: string) => changes.some((one) => one.action === "remove" && one.path === path)
  // Secrets come first and are removed last, because tools and servers use them.
  // A secret cannot be compared, but each change of one makes a version.
  for (const [name, value] of Object.entries(secrets))
    await chain(() => spaces.secrets.put(space_id, name, { value }), { isConditional: false })
  for (const server of file.mcp_servers ?? [])
    if (isChanged(`mcp_servers.${server.name}`))
      await chain((options) => spaces.mcpServers.put(space_id, server.name, server, options))
  for (const tool of file.tools ?? [])
    if (isChanged(`tools.${tool.name}`)) await chain((options) => spaces.tools.put(space_id, tool.name, tool, options))
  const { manifest } = file
  if (manifest && isChanged("manifest")) await chain((options) => spaces.manifest.put(space_id, manifest, options))
  const fields = {
    ...(isChanged("title") && { title: file.title }),
    ...(file.model !== undefined && isChanged("model") && { model: file.model }),
    ...(file.metadata && isChanged("metadata") && { metadata: { ...file.metadata, [NAME_KEY]: file.name } }),
  }
  if (Object.keys(fields).length > 0) await chain((options) => spaces.update(space_id, fields, options))
  for (const { name } of live.tools)
    if (isRemoved(`tools.${name}`)) await chain((options) => spaces.tools.delete(space_id, name, options))
  for (const { name } of live.mcpServers)
    if (isRemoved(`mcp_servers.${name}`)) await chain((options) => spaces.mcpServers.delete(space_id, name, options))
  for (const { name } of live.secrets)
    if (isRemoved(`secrets.${name}`)) await chain(() => spaces.secrets.delete(space_id, name), { isConditional: false })
  const { config_version } = await spaces.get(space_id)
  return { space_id, config_version }
}

/**
 * Runs changes one after the other, each on the version of the configuration that the one before it has left. Throws if
 * the configuration has a version that no change of ours explains.
 */
function versionsOf(turnpike: Turnpike, { space_id, config_version }: Space) {
  let version = config_version
  const failure = (message: string) =>
    new CommandError(message, {
      exit: "refused",
      hint: "Run the command again. It compares your file with the new state.",
    })
  const since = () => failure("Another program has changed the space since it was compared with your file.")
  const read = async () => (await turnpike.spaces.get(space_id)).config_version
  return async (change: (options: ChangeOptions) => Promise<unknown>, { isConditional = true } = {}): Promise<void> => {
    // A change of a secret has no precondition, so the version is read before it.
    if (!isConditional && (await read()) !== version) throw since()
    try {
      await change({ ifMatch: String(version) })
    } catch (error) {
      throw error instanceof TurnpikeError && error.code === "VERSION_MISMATCH" ? since() : error
    }
    const now = await read()
    if (now > version + 1) throw failure("Another program changes the space at the same time.")
    version = now
  }
}

/** Two commands that create the same space at the same time send the same key, so they create it once. */
async function createSpace(turnpike: Turnpike, file: SpaceFile, { secrets, apiKey }: ApplyOptions): Promise<Applied> {
  const body = newSpaceOf(file, secrets)
  let idempotencyKey = await digestOf(JSON.stringify(body), apiKey)
  for (;;) {
    const made = await turnpike.spaces.create(body, { idempotencyKey })
    const space = await turnpike.spaces.get(made.space_id)
    // The space of an earlier creation with the same file was archived since then.
    if (!space.archived) return space
    idempotencyKey = await digestOf(`${idempotencyKey} after ${space.space_id}`, apiKey)
  }
}

/** Keyed, because a plain digest of a body with secrets would let readers of logs guess them. */
async function digestOf(text: string, apiKey: string): Promise<string> {
  const bytes = (one: string) => new TextEncoder().encode(one)
  const key = await crypto.subtle.importKey("raw", bytes(apiKey), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)))
  return `apply-${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
