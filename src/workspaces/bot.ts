import { randomBytes } from "node:crypto"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { askBotApi, type BotApiAnswer, botTarget, openBot } from "./bot-api.ts"
import { workspaceRefusals } from "./change-workspace.ts"
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

/** Sets a workspace's bot. The token is sealed and never shown; with each its webhook gets another secret. NOT_FOUND, VERSION_MISMATCH. */
export async function putWorkspaceBot(
  ctx: Context,
  credential: SessionCredential,
  { id, bot, ifVersion }: { id: string; bot: z.output<typeof putBotSchema>; ifVersion: number | null },
): Promise<Workspace> {
  const { username, token } = bot
  const change = {
    ...(username !== undefined && { username: username?.replace(/^@/, "") ?? null }),
    ...(token === null && { id: null, token: null, webhook_secret: null }),
    ...(token && {
      id: token.split(":")[0],
      token: await ctx.keyRing.seal(token, botTarget(id, "bot_token")),
      webhook_secret: await ctx.keyRing.seal(
        randomBytes(32).toString("base64url"),
        botTarget(id, "bot_webhook_secret"),
      ),
    }),
  }
  return editAs(ctx, credential, "put_workspace_bot", {
    args: { workspace_id: id, change, if_version: ifVersion },
    refusals: workspaceRefusals(id),
    serialize: serializeWorkspace,
  })
}

/** Asks the platform whose token it is (getMe), and says what came. It is in the audit log. NOT_FOUND, NO_BOT. */
export async function testWorkspaceBot(ctx: Context, credential: SessionCredential, id: string): Promise<BotTest> {
  const bot = await openBot(ctx, credential, id)
  const outcome = whoItIs(await askBotApi(ctx, bot.token, "getMe"), bot.username)
  await callAs(ctx, credential, "note_bot_call", { workspace_id: id, action: "workspace.bot_test", outcome })
  return outcome
}

function whoItIs({ status, result, message, shown }: BotApiAnswer, expected: string | null): BotTest {
  const who = (result ?? {}) as { username?: unknown; first_name?: unknown }
  if (typeof who.username !== "string") {
    const said = message ?? `The platform answered ${status}: nothing that we understand.`
    return { ok: false, status, username: null, name: null, matches: false, message: said }
  }
  const username = shown(who.username)
  const name = typeof who.first_name === "string" ? shown(who.first_name) : null
  const matches = expected !== null && username.toLowerCase() === expected.toLowerCase()
  const said = matches
    ? "The bot answers."
    : `The bot answers, but it is @${username}, not ${expected ? `@${expected}` : "named here"}.`
  return { ok: true, status, username, name, matches, message: said }
}
