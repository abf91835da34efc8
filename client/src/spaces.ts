import type { List } from "./list.ts"
import { McpServers } from "./mcp-servers.ts"
import type {
  ConfigVersion,
  ConfigVersionSummary,
  CreateSpace,
  Deleted,
  Manifest,
  PatchSpace,
  PutRetention,
  Retention,
  Secret,
  Space,
} from "./operations.ts"
import type { ChangeOptions, CreateOptions, RequestOptions } from "./options.ts"
import { Tools } from "./tools.ts"
import type { Query, Transport } from "./transport.ts"

/** Isolated agents, each with its own configuration, conversations and files. */
export class Spaces {
  readonly #transport: Transport
  /** The configuration of a space's agent. */
  readonly manifest: Manifests
  /** REST tools: requests to your own API that the agent can make. */
  readonly tools: Tools
  /** MCP servers whose tools the agent can call. */
  readonly mcpServers: McpServers
  /** Secret values that tools and MCP servers use as `{{secrets.NAME}}`. */
  readonly secrets: Secrets
  /** All versions of a space's configuration. */
  readonly versions: Versions
  /** How long the data of a space's turns is kept. */
  readonly retention: Retentions

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
    this.manifest = new Manifests(transport)
    this.tools = new Tools(transport)
    this.mcpServers = new McpServers(transport)
    this.secrets = new Secrets(transport)
    this.versions = new Versions(transport)
    this.retention = new Retentions(transport)
  }

  /**
   * Creates a space.
   *
   * @example
   * const { space_id } = await turnpike.spaces.create({
   *   title: "Support",
   *   manifest: { instructions: "Answer in one sentence." },
   * })
   */
  create(body: CreateSpace, options?: CreateOptions): Promise<Space> {
    return this.#transport.call("createSpace", { body }, options)
  }

  /**
   * Reads a space.
   *
   * @example
   * const { title, config_version } = await turnpike.spaces.get("spc_…")
   */
  get(spaceId: string, options?: RequestOptions): Promise<Space> {
    return this.#transport.call("getSpace", { params: { space_id: spaceId } }, options)
  }

  /**
   * Lists spaces, newest first. Archived spaces are left out by default.
   *
   * @example
   * for await (const space of turnpike.spaces.list({ q: "support" })) console.log(space.space_id, space.title)
   */
  list(query: Query<"listSpaces"> = {}, options?: RequestOptions): List<Space> {
    return this.#transport.list("listSpaces", { query }, options)
  }

  /**
   * Changes the given fields. All other fields keep their values.
   *
   * @example
   * await turnpike.spaces.update("spc_…", { title: "Support, archive of 2026" })
   */
  update(spaceId: string, body: PatchSpace, options?: ChangeOptions): Promise<Space> {
    return this.#transport.call("updateSpace", { params: { space_id: spaceId }, body }, options)
  }

  /**
   * Archives a space: it accepts no more turns, and its open turns are cancelled.
   *
   * @example
   * await turnpike.spaces.archive("spc_…")
   */
  archive(spaceId: string, options?: ChangeOptions): Promise<Space> {
    return this.#transport.call("archiveSpace", { params: { space_id: spaceId } }, options)
  }
}

/** The configuration of a space's agent: `turnpike.spaces.manifest`. */
export class Manifests {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Reads the manifest.
   *
   * @example
   * const { instructions } = await turnpike.spaces.manifest.get("spc_…")
   */
  get(spaceId: string, options?: RequestOptions): Promise<Manifest> {
    return this.#transport.call("getManifest", { params: { space_id: spaceId } }, options)
  }

  /**
   * Replaces the manifest. Running turns keep the manifest with which they started.
   *
   * @example
   * await turnpike.spaces.manifest.put("spc_…", { instructions: "Answer in one sentence.", max_steps: 8 })
   */
  put(spaceId: string, body: Manifest, options?: ChangeOptions): Promise<Manifest> {
    return this.#transport.call("putManifest", { params: { space_id: spaceId }, body }, options)
  }
}

/** Secrets of a space: `turnpike.spaces.secrets`. Only names and dates are returned, and never values. */
export class Secrets {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists all secrets of a space, by name.
   *
   * @example
   * const names = (await turnpike.spaces.secrets.list("spc_…").toArray()).map(({ name }) => name)
   */
  list(spaceId: string, options?: RequestOptions): List<Secret> {
    return this.#transport.list("listSecrets", { params: { space_id: spaceId } }, options)
  }

  /**
   * Sets a secret. Running turns use the new value from their next callback on.
   *
   * @example
   * await turnpike.spaces.secrets.put("spc_…", "ORDERS_TOKEN", { value: process.env.ORDERS_TOKEN })
   */
  put(spaceId: string, name: string, body: { value: string }, options?: ChangeOptions): Promise<Secret> {
    return this.#transport.call("putSecret", { params: { space_id: spaceId, name }, body }, options)
  }

  /**
   * Deletes a secret.
   *
   * @example
   * await turnpike.spaces.secrets.delete("spc_…", "ORDERS_TOKEN")
   */
  delete(spaceId: string, name: string, options?: ChangeOptions): Promise<Deleted> {
    return this.#transport.call("deleteSecret", { params: { space_id: spaceId, name } }, options)
  }
}

/** The history of a space's configuration: `turnpike.spaces.versions`. */
export class Versions {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists the versions, newest first.
   *
   * @example
   * for await (const { version, change } of turnpike.spaces.versions.list("spc_…")) console.log(version, change)
   */
  list(spaceId: string, query: Query<"listConfigVersions"> = {}, options?: RequestOptions): List<ConfigVersionSummary> {
    return this.#transport.list("listConfigVersions", { params: { space_id: spaceId }, query }, options)
  }

  /**
   * Reads one version with its whole configuration.
   *
   * @example
   * const { manifest } = await turnpike.spaces.versions.get("spc_…", 3)
   */
  get(spaceId: string, version: number, options?: RequestOptions): Promise<ConfigVersion> {
    return this.#transport.call("getConfigVersion", { params: { space_id: spaceId, version } }, options)
  }
}

/** How long the data of a space's turns is kept: `turnpike.spaces.retention`. */
export class Retentions {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Reads the days of the space and of the service.
   *
   * @example
   * const { kept } = await turnpike.spaces.retention.get("spc_…")
   */
  get(spaceId: string, options?: RequestOptions): Promise<Retention> {
    return this.#transport.call("getRetention", { params: { space_id: spaceId } }, options)
  }

  /**
   * Replaces all days of the space. Older data is deleted within an hour.
   *
   * @example
   * await turnpike.spaces.retention.put("spc_…", { text_days: 30, step_days: 7 })
   */
  put(spaceId: string, body: PutRetention, options?: ChangeOptions): Promise<Retention> {
    return this.#transport.call("putRetention", { params: { space_id: spaceId }, body }, options)
  }
}
