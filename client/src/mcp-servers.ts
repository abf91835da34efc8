import type { List } from "./list.ts"
import type { Deleted, McpCheck, McpServer, McpServerFailure, PutMcpServer } from "./operations.ts"
import type { ChangeOptions, CreateOptions, RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** MCP servers of a space: `turnpike.spaces.mcpServers`. */
export class McpServers {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists all MCP servers of a space, by name.
   *
   * @example
   * const servers = await turnpike.spaces.mcpServers.list("spc_…").toArray()
   */
  list(spaceId: string, options?: RequestOptions): List<McpServer> {
    return this.#transport.list("listMcpServers", { params: { space_id: spaceId } }, options)
  }

  /**
   * Reads an MCP server's configuration.
   *
   * @example
   * const { url } = await turnpike.spaces.mcpServers.get("spc_…", "docs")
   */
  get(spaceId: string, name: string, options?: RequestOptions): Promise<McpServer> {
    return this.#transport.call("getMcpServer", { params: { space_id: spaceId, name } }, options)
  }

  /**
   * Adds or replaces an MCP server. The agent can call its tools as `server__tool`.
   *
   * @example
   * await turnpike.spaces.mcpServers.put("spc_…", "docs", { url: "https://mcp.example.com/mcp" })
   */
  put(spaceId: string, name: string, body: PutMcpServer, options?: ChangeOptions): Promise<McpServer> {
    return this.#transport.call("putMcpServer", { params: { space_id: spaceId, name }, body }, options)
  }

  /**
   * Deletes an MCP server.
   *
   * @example
   * await turnpike.spaces.mcpServers.delete("spc_…", "docs")
   */
  delete(spaceId: string, name: string, options?: ChangeOptions): Promise<Deleted> {
    return this.#transport.call("deleteMcpServer", { params: { space_id: spaceId, name } }, options)
  }

  /**
   * The optional servers that did not answer the last turn that asked them.
   *
   * @example
   * const silent = await turnpike.spaces.mcpServers.failures("spc_…").toArray()
   */
  failures(spaceId: string, options?: RequestOptions): List<McpServerFailure> {
    return this.#transport.list("listMcpServerFailures", { params: { space_id: spaceId } }, options)
  }

  /**
   * Connects to an MCP server as a turn would, and lists its tools.
   *
   * @example
   * const { ok, error, tools } = await turnpike.spaces.mcpServers.check("spc_…", "docs")
   */
  check(
    spaceId: string,
    name: string,
    query: Query<"checkMcpServer"> = {},
    options?: CreateOptions,
  ): Promise<McpCheck> {
    return this.#transport.call("checkMcpServer", { params: { space_id: spaceId, name }, query }, options)
  }
}
