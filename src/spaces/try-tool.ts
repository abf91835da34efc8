import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { roleInSpace, type SpaceRole, spaceVisible } from "../actor/shares.ts"
import { jsonBytes } from "../agent-config/request-parts.ts"
import { endUserRef } from "../base/end-user-ref.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { metadataSchema } from "../base/metadata.ts"
import { profileValues } from "../base/profile.ts"
import { callCallbacksWorker } from "../callbacks/internal-call.ts"
import {
  CHECK_SERVER_PATH,
  type McpCheck,
  mcpCheckSchema,
  type ToolTest,
  TRY_TOOL_PATH,
  toolTestSchema,
} from "../callbacks/tool-trials.ts"
import { throwRefusedChange } from "./change-config.ts"

const MAX_INPUT_BYTES = 64 * 1024

export const triedForRef = endUserRef.optional().meta({
  description:
    "The end user for whom the request is made: `{{end_user.ref}}` and the subject of `Turnpike-Identity`. " +
    "Default: none, as in a web chat. Only keys and the owner of the space can choose one.",
  example: "customer-42",
})

export const testToolSchema = z
  .strictObject({
    end_user_ref: triedForRef,
    metadata: metadataSchema.optional().meta({ description: "The values of `{{metadata.KEY}}`." }),
    profile: profileValues.optional().meta({ description: "The values of `{{profile.KEY}}`." }),
    input: z
      .record(z.string(), z.unknown())
      .refine((input) => jsonBytes(input) <= MAX_INPUT_BYTES, `is larger than ${MAX_INPUT_BYTES} bytes of JSON`)
      .default({})
      .meta({ description: "The tool's input, as a model would send it. Default: `{}`.", example: { id: "A-1" } }),
  })
  .meta({ id: "TestTool" })

interface Wanted {
  spaceId: string
  name: string
}

export const TEST_TOOL_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/**
 * Calls a REST tool of a space once, in the worker that calls tools in turns. `key` is the Idempotency-Key; by
 * default a new one. Throws NOT_FOUND, SPACE_ROLE_REQUIRED, UNAVAILABLE.
 */
export async function testTool(
  ctx: Context,
  credential: Credential,
  { spaceId, name, key, body }: Wanted & { key: string | undefined; body: z.output<typeof testToolSchema> },
): Promise<ToolTest> {
  const space = await requireEntry(ctx, credential, {
    spaceId,
    name,
    endUser: body.end_user_ref,
    column: "tools",
    word: "tool",
  })
  const { input, end_user_ref = null, metadata = {}, profile = {} } = body
  const callKey = key ?? `${newId("request", ctx.clock.now())}.0.0`
  const call = { space, name, input, key: callKey, end_user_ref, metadata, profile }
  const answer = await callCallbacksWorker(ctx, TRY_TOOL_PATH, call)
  // The tool was deleted in the meantime.
  if (answer === null) throw entryNotFound("tool", name)
  return toolTestSchema.parse(answer)
}

export const CHECK_MCP_SERVER_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/** Connects to an MCP server of a space and lists its tools. Throws NOT_FOUND, SPACE_ROLE_REQUIRED, UNAVAILABLE. */
export async function checkMcpServer(
  ctx: Context,
  credential: Credential,
  { spaceId, name, endUser }: Wanted & { endUser: string | undefined },
): Promise<McpCheck> {
  const space = await requireEntry(ctx, credential, {
    spaceId,
    name,
    endUser,
    column: "mcp_servers",
    word: "MCP server",
  })
  const answer = await callCallbacksWorker(ctx, CHECK_SERVER_PATH, { space, name, end_user_ref: endUser ?? null })
  if (answer === null) throw entryNotFound("MCP server", name)
  return mcpCheckSchema.parse(answer)
}

async function requireEntry(
  ctx: Context,
  credential: Credential,
  {
    spaceId,
    name,
    endUser,
    column,
    word,
  }: Wanted & { endUser: string | undefined; column: "tools" | "mcp_servers"; word: string },
): Promise<number> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((eb) => ["s.space_id", eb(`s.${column}`, "?", name).as("there")])
      .select(credential.kind === "key" ? (eb) => eb.val<SpaceRole>("owner").as("role") : roleInSpace.as("role")),
  )
  const [space] = rows
  if (!space) throw spaceNotFound(spaceId)
  // Members are rejected: the request uses the space's secrets, and the caller sees the response.
  if (space.role === "member") throwRefusedChange(spaceId, { refused: "role" })
  if (endUser !== undefined && space.role !== "owner") throwRefusedChange(spaceId, { refused: "role" })
  if (!space.there) throw entryNotFound(word, name)
  return space.space_id
}

function entryNotFound(word: string, name: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `The space has no ${word} "${name}".`, { param: "name" })
}
