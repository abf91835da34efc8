import * as z from "zod"
import { approvalSchema } from "./approval.ts"
import { serverName } from "./names.ts"
import { headersSchema, templatedUrl } from "./request-parts.ts"
import { referencesIn, wrongPlaceholder } from "./template.ts"
import { toolIdentity } from "./tool-identity.ts"

/** True if the texts have valid placeholders of these kinds only. */
const hasOnly = (texts: unknown, ...kinds: string[]) =>
  wrongPlaceholder(texts) === null && referencesIn(texts).every(({ kind }) => kinds.includes(kind))

const MAX_APPROVALS = 200

export const mcpServerFields = {
  url: templatedUrl
    .refine((url) => hasOnly(url, "secret"), "may have {{secrets.NAME}} only")
    .meta({
      description: "The URL of the server's Streamable HTTP endpoint.",
      example: "https://mcp.example.com/mcp",
    }),
  headers: headersSchema
    .refine((headers) => hasOnly(headers, "secret", "turn"), "may have {{secrets.NAME}} and values of the turn only")
    .optional(),
  identity: toolIdentity.optional(),
  required: z
    .boolean()
    .optional()
    .meta({
      description:
        "Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn continues without its " +
        "tools, and `warnings` says so. Default true.",
    }),
  allowed_tools: z
    .array(z.string().min(1).max(128))
    .max(200)
    .optional()
    .meta({ description: "The tools that the agent can call, by the names that the server uses. Default: all tools." }),
  approval: approvalSchema.optional().meta({ description: "For all tools of the server." }),
  approvals: z
    .record(z.string().min(1).max(128), approvalSchema)
    .refine((approvals) => Object.keys(approvals).length <= MAX_APPROVALS, `has more than ${MAX_APPROVALS} tools`)
    .optional()
    .meta({ description: "For some tools, by the names that the server uses. It replaces `approval`." }),
}

export const mcpServerSchema = z
  .strictObject({ name: serverName, ...mcpServerFields })
  .meta({ id: "McpServer", description: "An MCP server. The agent can call its tools as `server__tool`." })

/** The body of PUT. The name is in the path; a name in the body must be the same. */
export const putMcpServerSchema = z
  .strictObject({ name: serverName.optional(), ...mcpServerFields })
  .meta({ id: "PutMcpServer" })

export type McpServer = z.infer<typeof mcpServerSchema>
