import type { List } from "./list.ts"
import type { Deleted, PutTool, Tool, ToolTest } from "./operations.ts"
import type { ChangeOptions, CreateOptions, RequestOptions } from "./options.ts"
import type { Transport } from "./transport.ts"

/** REST tools of a space: `turnpike.spaces.tools`. */
export class Tools {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists all tools of a space, by name.
   *
   * @example
   * const tools = await turnpike.spaces.tools.list("spc_…").toArray()
   */
  list(spaceId: string, options?: RequestOptions): List<Tool> {
    return this.#transport.list("listTools", { params: { space_id: spaceId } }, options)
  }

  /**
   * Reads a tool.
   *
   * @example
   * const { request } = await turnpike.spaces.tools.get("spc_…", "lookup_order")
   */
  get(spaceId: string, name: string, options?: RequestOptions): Promise<Tool> {
    return this.#transport.call("getTool", { params: { space_id: spaceId, name } }, options)
  }

  /**
   * Adds or replaces a tool. The model provides the input, which is validated against the schema. The model never
   * sees secrets.
   *
   * @example
   * await turnpike.spaces.tools.put("spc_…", "lookup_order", {
   *   description: "Finds an order by its id.",
   *   input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
   *   request: { method: "GET", url: "https://api.example.com/orders/{{input.id}}" },
   * })
   */
  put(spaceId: string, name: string, body: PutTool, options?: ChangeOptions): Promise<Tool> {
    return this.#transport.call("putTool", { params: { space_id: spaceId, name }, body }, options)
  }

  /**
   * Deletes a tool.
   *
   * @example
   * await turnpike.spaces.tools.delete("spc_…", "lookup_order")
   */
  delete(spaceId: string, name: string, options?: ChangeOptions): Promise<Deleted> {
    return this.#transport.call("deleteTool", { params: { space_id: spaceId, name } }, options)
  }

  /**
   * Calls a tool once with your input, as an agent's call would, and returns request and response.
   *
   * @example
   * const { ok, result } = await turnpike.spaces.tools.test("spc_…", "lookup_order", { input: { id: "A-1" } })
   */
  test(
    spaceId: string,
    name: string,
    body: { input?: Record<string, unknown> | undefined } = {},
    options?: CreateOptions,
  ): Promise<ToolTest> {
    return this.#transport.call("testTool", { params: { space_id: spaceId, name }, body }, options)
  }
}
