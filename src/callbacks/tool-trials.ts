import * as z from "zod"

/** What can be different of an MCP server's tool from how it was pinned. */
export const TOOL_CHANGES = ["added", "removed", "description", "output_schema", "input_schema"] as const

export const TRY_TOOL_PATH = "/callbacks/internal/try-tool"
export const CHECK_SERVER_PATH = "/callbacks/internal/check-mcp-server"

/** What the workers of keys and of owners send, after they have checked that their caller may do this in the space. */
export const tryToolInput = z.strictObject({
  space: z.int(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  key: z.string(),
})
export const checkServerInput = z.strictObject({ space: z.int(), name: z.string() })

export const toolTestSchema = z
  .object({
    ok: z.boolean().meta({ description: "Whether a model would see an answer, not an error." }),
    result: z.string().meta({ description: "What a model would see.", example: '{"status":"shipped"}' }),
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable().meta({ example: null }),
      })
      .nullable()
      .meta({ description: "With `{{secrets.NAME}}` where a secret was sent. Null when no request could be made." }),
    response: z
      .object({
        status: z.int(),
        headers: z.record(z.string(), z.string()),
        body: z.string().meta({ example: '{"status":"shipped"}' }),
      })
      .nullable()
      .meta({ description: "Null when there was none." }),
    duration_ms: z.int(),
  })
  .meta({ id: "ToolTest" })

export const mcpCheckSchema = z
  .object({
    ok: z.boolean(),
    error: z.string().nullable().meta({ description: "Why it could not be reached." }),
    tools: z.array(
      z.object({
        name: z.string().meta({ description: "As the agent knows it: `server__tool`.", example: "docs__search" }),
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
              "What is new about it, the first that applies: it itself, its input, its description, its output.",
          }),
          offered: z.boolean().meta({ description: "Whether turns have it, as it was pinned. Else it is left out." }),
        }),
      )
      .meta({
        description:
          "Tools that are not what they were when they were pinned, by the first check or turn after the server was put. PUT the " +
          "server again to accept what was listed now.",
      }),
    left_out: z
      .array(
        z.object({
          name: z.string().meta({ example: "docs__broken" }),
          reason: z.string().meta({ example: "its inputSchema is not an object" }),
        }),
      )
      .meta({ description: "Tools that the server lists in a form that cannot be used. The others work." }),
    duration_ms: z.int(),
  })
  .meta({ id: "McpCheck" })

export type ToolTest = z.infer<typeof toolTestSchema>
export type McpCheck = z.infer<typeof mcpCheckSchema>
