import { sql } from "kysely"
import type * as z from "zod"
import { outputText } from "../agent/engine.ts"
import { lockedFault, openSchema } from "../agent-config/locked-fields.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { referencesIn, type TurnValues } from "../agent-config/template.ts"
import type { Tool } from "../agent-config/tool.ts"
import type { checkServerInput, McpCheck, ToolTest, tryToolInput } from "../callbacks/tool-trials.ts"
import { identityOf } from "./identity.ts"
import { inputFault } from "./input-fault.ts"
import { McpError } from "./mcp-error.ts"
import { listingOf, pinnedTools, type ServerPins } from "./mcp-pins.ts"
import { connectMcp, mcpTools, oddTools } from "./mcp-tools.ts"
import { noteListing } from "./note-listing.ts"
import { countTools } from "./open-servers.ts"
import { readIdentity } from "./read-identity.ts"
import { callRestTool, hasRequest } from "./rest-tool.ts"
import { openSecrets } from "./secrets.ts"
import type { ToolContext } from "./tool-context.ts"

const NO_REQUEST = "The tool has no request: your worker takes its calls."

/** The ids of a test, which has no turn. */
const NO_TURN = { turnId: "test", conversationId: "test" }

/** Calls a REST tool as a model's call would; null if the tool no longer exists. */
export async function tryTool(
  ctx: ToolContext,
  { space, name, input, key, end_user_ref, metadata, profile }: z.infer<typeof tryToolInput>,
): Promise<ToolTest | null> {
  const started = ctx.clock.now().getTime()
  const found = await readEntry<Tool>(ctx, { space, name, end_user_ref, column: "tools" })
  if (!found) return null
  const { entry: tool, secrets } = found
  const fault = lockedFault(tool, input) ?? inputFault(openSchema(tool), input)
  const { output, request, response } =
    fault || !hasRequest(tool)
      ? { output: { type: "error" as const, value: fault ?? NO_REQUEST }, request: null, response: null }
      : await callRestTool(
          { outbound: ctx.outbound, secrets },
          {
            tool,
            input,
            values: { ...found.values, ...NO_TURN, metadata, profile },
            idempotencyKey: key,
            ...(tool.identity !== "none" && { identity: identityOf(ctx, found) }),
          },
        )
  return {
    ok: output.type !== "error",
    result: outputText(output),
    request: request && { ...request, body: request.body ?? null },
    identity: request && (await readIdentity(ctx, request)),
    response,
    duration_ms: ctx.clock.now().getTime() - started,
  }
}

/**
 * Connects to an MCP server and lists the tools that an agent would get; null
 * if the server no longer exists.
 */
export async function checkServer(
  ctx: ToolContext,
  { space, name, end_user_ref }: z.infer<typeof checkServerInput>,
): Promise<McpCheck | null> {
  const started = ctx.clock.now().getTime()
  const found = await readEntry<McpServer>(ctx, { space, name, end_user_ref, column: "mcp_servers" })
  if (!found) return null
  const { entry: server, secrets } = found
  const duration = () => ctx.clock.now().getTime() - started
  const { signal } = new AbortController()
  const values = { ...found.values, ...NO_TURN, ...noFacts(server) }
  const deps = { outbound: ctx.outbound, clock: ctx.clock, secrets, signal, values, identity: identityOf(ctx, found) }
  try {
    const connection = await connectMcp(deps, server, found.pins?.speaks)
    try {
      const storeImage = async () => ""
      const listed = await mcpTools(deps, { server, connection, storeImage })
      const { tools, changed } = pinnedTools(listed, found.pins?.tools)
      await noteListing(ctx, space, {
        servers: { [name]: server },
        listed: { [name]: countTools(tools) },
        pins: { [name]: listingOf(listed) },
        speaks: { [name]: connection.speaks() },
        known: { tokens: {}, pins: found.pins ? { [name]: found.pins } : {} },
      })
      const specs = tools.map(({ spec: { inputSchema, ...spec } }) => ({ ...spec, input_schema: inputSchema }))
      return {
        ok: true,
        error: null,
        tools: specs,
        changed,
        left_out: oddTools(server, connection, secrets),
        duration_ms: duration(),
      }
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    return { ok: false, error: error.message, tools: [], changed: [], left_out: [], duration_ms: duration() }
  }
}

/** Empty values for the metadata and the profile that a server's headers need, since there is no turn that has them. */
function noFacts({ headers }: McpServer): Pick<TurnValues, "metadata" | "profile"> {
  const names = referencesIn(headers).flatMap((reference) => (reference.kind === "turn" ? [reference.name] : []))
  const empty = Object.fromEntries(names.map((name) => [name.replace(/^(metadata|profile)\./, ""), ""]))
  return { metadata: empty, profile: empty }
}

/** An entry of a space's configuration with what a request of it needs. There is no turn: its values are missing. */
async function readEntry<Entry>(
  ctx: ToolContext,
  {
    space,
    name,
    end_user_ref: endUserRef,
    column,
  }: { space: number; name: string; end_user_ref: string | null; column: "tools" | "mcp_servers" },
) {
  const row = await ctx.db
    .selectFrom("spaces as s")
    .where("s.space_id", "=", space)
    .select((eb) => [
      "s.slug",
      "s.test",
      "s.config_version",
      sql<ServerPins | null>`case when s.mcp_pins -> ${name} ->> 'of' = md5((s.mcp_servers -> ${name})::text)
        then s.mcp_pins -> ${name} end`.as("pins"),
      sql<Entry | null>`${eb.ref(`s.${column}`)} -> ${name}`.as("entry"),
      eb
        .selectFrom("space_secrets as o")
        .whereRef("o.space_id", "=", "s.space_id")
        .select((of) => of.fn<Record<string, string>>("jsonb_object_agg", ["o.name", "o.sealed"]).as("sealed"))
        .as("sealed"),
    ])
    .executeTakeFirst()
  if (!row?.entry) return null
  return {
    entry: row.entry,
    space: row.slug,
    test: row.test,
    configVersion: row.config_version,
    values: { endUserRef, turnId: null, conversationId: null },
    pins: row.pins ?? undefined,
    secrets: await openSecrets(ctx, { spaceId: space, slug: row.slug, sealed: row.sealed ?? {} }),
  }
}
