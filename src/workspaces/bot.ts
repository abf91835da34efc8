import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { createOutbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"
import { workspaceNotFound, workspaceRefusals } from "./change-workspace.ts"
import { botUsernameSchema, serializeWorkspace, type Workspace } from "./workspaces.ts"

export const putBotSchema = z
  .strictObject({
    username: botUsernameSchema.nullable().optional(),
    token: z
      .string()
      .max(256)
      .regex(/^\d+:[\w-]+$/, "must be a bot's token, `123456:ABC-DEF…`")
      .nullable()
      .optional()
      .meta({ description: "Write-only: it is stored sealed and never shown.", example: "123456789:AAF0a1b2c3d4e5f6" }),
  })
  .meta({ id: "WorkspaceBot", description: "Fields that you leave out stay as they are; null clears." })

export const botTestSchema = z
  .object({
    ok: z.boolean().meta({ description: "Whether the platform knows the bot." }),
    status: z.int().nullable().meta({ description: "The HTTP status of its answer; null: none came.", example: 200 }),
    username: z
      .string()
      .nullable()
      .meta({ description: "The bot that the token belongs to.", example: "acme_support_bot" }),
    name: z.string().nullable().meta({ example: "Acme support" }),
    matches: z.boolean().meta({ description: "Whether that is the workspace's `bot.username`." }),
    message: z.string().meta({ description: "What came, for a person.", example: "The bot answers." }),
  })
  .meta({ id: "WorkspaceBotTest" })

type BotTest = z.infer<typeof botTestSchema>

const MAX_BYTES = 64 * 1024

const tokenTarget = (workspaceId: string): SealTarget => ({
  table: "workspaces",
  column: "bot_token",
  row: workspaceId,
  owner: workspaceId,
})

/** Sets a workspace's bot. The token is sealed and never shown. NOT_FOUND, VERSION_MISMATCH. */
export async function putWorkspaceBot(
  ctx: Context,
  credential: SessionCredential,
  { id, bot, ifVersion }: { id: string; bot: z.output<typeof putBotSchema>; ifVersion: number | null },
): Promise<Workspace> {
  const { username, token } = bot
  const change = {
    ...(username !== undefined && { username: username?.replace(/^@/, "") ?? null }),
    ...(token !== undefined && { token: token === null ? null : await ctx.keyRing.seal(token, tokenTarget(id)) }),
  }
  return editAs(ctx, credential, "put_workspace_bot", {
    args: { workspace_id: id, change, if_version: ifVersion },
    refusals: workspaceRefusals(id),
    serialize: serializeWorkspace,
  })
}

/** Asks the platform whose token it is (getMe), and says what came. It is in the audit log. NOT_FOUND, NO_BOT. */
export async function testWorkspaceBot(ctx: Context, credential: SessionCredential, id: string): Promise<BotTest> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("workspaces as w")
        .innerJoin("caller", (join) => join.onTrue())
        .where("w.workspace_id", "=", id)
        .select(["w.bot_token", "w.bot_username"]),
    { role: "admin" },
  )
  const row = rows[0]
  if (!row) throw workspaceNotFound(id)
  if (row.bot_token === null) throw new TurnpikeError("NO_BOT", `The workspace "${id}" has no token of a bot.`)
  const { text: token } = await ctx.keyRing.open(row.bot_token, tokenTarget(id))
  const outcome = await askWhoAmI(ctx, token, row.bot_username)
  return editAs(ctx, credential, "note_bot_test", {
    args: { workspace_id: id, outcome },
    refusals: {},
    serialize: (noted: BotTest) => noted,
  })
}

/** The platform's answer to getMe. Its texts are cut, and masked if they should repeat the token. */
async function askWhoAmI(ctx: Context, token: string, expected: string | null): Promise<BotTest> {
  const nobody = { ok: false, status: null, username: null, name: null, matches: false }
  const shown = (text: unknown) => String(text).replaceAll(token, "***").slice(0, 300)
  const outbound = createOutbound({ fetch: ctx.fetch, clock: ctx.clock, policy: ctx.urlPolicy })
  try {
    const response = await outbound.send({
      url: `${ctx.botApiUrl}/bot${token}/getMe`,
      method: "GET",
      headers: { accept: "application/json" },
      timeoutMs: TIME_LIMITS.botApiMs,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    })
    const { status } = response
    const answer = (await response.json().catch((error: unknown) => {
      if (error instanceof OutboundError) throw error
      return null
    })) as { ok?: unknown; description?: unknown; result?: { username?: unknown; first_name?: unknown } } | null
    if (answer?.ok !== true || typeof answer.result?.username !== "string") {
      const said = typeof answer?.description === "string" ? answer.description : "nothing that we understand"
      return { ...nobody, status, message: `The platform answered ${status}: ${shown(said)}.` }
    }
    const username = shown(answer.result.username)
    const name = typeof answer.result.first_name === "string" ? shown(answer.result.first_name) : null
    const matches = expected !== null && username.toLowerCase() === expected.toLowerCase()
    const message = matches
      ? "The bot answers."
      : `The bot answers, but it is @${username}, not ${expected ? `@${expected}` : "named here"}.`
    return { ok: true, status, username, name, matches, message }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { ...nobody, message: shown(error.message) }
  }
}
