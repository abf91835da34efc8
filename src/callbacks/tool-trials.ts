import * as z from "zod"

/** How a tool of an MCP server can differ from its pinned form. */
export const TOOL_CHANGES = ["added", "removed", "description", "output_schema", "input_schema"] as const

export const TRY_TOOL_PATH = "/callbacks/internal/try-tool"
export const CHECK_SERVER_PATH = "/callbacks/internal/check-mcp-server"

/**
 * The bodies of the calls. The worker that sends one has checked that its caller may do this in the space.
 * `end_user_ref`: null without an end user, as in a web chat.
 */
export const tryToolInput = z.strictObject({
  space: z.int(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  key: z.string(),
  end_user_ref: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  profile: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
})
export const checkServerInput = tryToolInput.pick({ space: true, name: true, end_user_ref: true })

export const toolTestSchema = z
  .object({
    ok: z.boolean().meta({ description: "True if a model would see a result; false if it would see an error." }),
    result: z.string().meta({ description: "The text that a model would see.", example: '{"status":"shipped"}' }),
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable().meta({ example: null }),
      })
      .nullable()
      .meta({
        description:
          "The request as it was sent, with `{{secrets.NAME}}` in place of each secret. Null if none could be made.",
      }),
    identity: z
      .object({
        valid: z.boolean().meta({ description: "True if a published key confirms the token." }),
        claims: z.record(z.string(), z.unknown()).meta({ example: { sub: "customer-42", test: false } }),
      })
      .nullable()
      .meta({
        description: "What your server reads from `Turnpike-Identity`. Null: the request carries none.",
      }),
    response: z
      .object({
        status: z.int(),
        headers: z.record(z.string(), z.string()),
        body: z.string().meta({ example: '{"status":"shipped"}' }),
      })
      .nullable()
      .meta({ description: "The response of the tool's server. Null if none arrived." }),
    duration_ms: z.int(),
  })
  .meta({ id: "ToolTest" })

export const mcpCheckSchema = z
  .object({
    ok: z.boolean(),
    error: z.string().nullable().meta({ description: "Why the server could not be reached. Null if it was reached." }),
    tools: z.array(
      z.object({
        name: z
          .string()
          .meta({ description: "The name that the agent sees: `server__tool`.", example: "docs__search" }),
        description: z.string(),
        input_schema: z.record(z.string(), z.unknown()),
      }),
    ),
    changed: z
      .array(
        z.object({
          name: z.string().meta({ example: "docs__search" }),
          change: z.enum(TOOL_CHANGES).meta({
            description:
              "The first difference that applies: the tool itself, its input schema, its description, its output schema.",
          }),
          offered: z
            .boolean()
            .meta({ description: "True if turns can use the tool in its pinned form; false if it is left out." }),
        }),
      )
      .meta({
        description:
          "Tools that differ from their pinned form. The first check or turn after a PUT of the server pins its tools. " +
          "PUT the server again to accept the tools as it lists them now.",
      }),
    left_out: z
      .array(
        z.object({
          name: z.string().meta({ example: "docs__broken" }),
          reason: z.string().meta({ example: "its inputSchema is not an object" }),
        }),
      )
      .meta({ description: "Tools that cannot be used in the form that the server lists. All other tools work." }),
    duration_ms: z.int(),
  })
  .meta({ id: "McpCheck" })

export type ToolTest = z.infer<typeof toolTestSchema>
export type McpCheck = z.infer<typeof mcpCheckSchema>
