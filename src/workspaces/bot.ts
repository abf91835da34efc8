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
      .meta({
        description: "Write-only. The token is stored encrypted and never shown.",
        example: "123456789:AAF0a1b2c3d4e5f6",
      }),
  })
  .meta({ id: "WorkspaceBot", description: "Omitted fields do not change; null clears a field." })

export const botTestSchema = z
  .object({
    ok: z.boolean().meta({ description: "Whether the platform accepted the token." }),
    status: z
      .int()
      .nullable()
      .meta({ description: "The HTTP status of the platform's answer; null if it did not answer.", example: 200 }),
    username: z.string().nullable().meta({
      description: "The username of the bot that the token belongs to; null if the test failed.",
      example: "acme_support_bot",
    }),
    name: z.string().nullable().meta({ example: "Acme support" }),
    matches: z.boolean().meta({ description: "Whether `username` is the `bot.username` of the workspace." }),
    message: z.string().meta({ description: "A readable description of the outcome.", example: "The bot answers." }),
  })
  .meta({ id: "WorkspaceBotTest" })

type BotTest = z.infer<typeof botTestSchema>

/** Sets the bot of a workspace. Each new token comes with a new webhook secret. NOT_FOUND, VERSION_MISMATCH. */
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

export const TEST_WORKSPACE_BOT_ERRORS = ["NOT_FOUND", "NO_BOT"] as const

/** Asks the platform which bot the token belongs to (`getMe`). Writes an audit entry. NOT_FOUND, NO_BOT. */
export async function testWorkspaceBot(ctx: Context, credential: SessionCredential, id: string): Promise<BotTest> {
  const bot = await openBot(ctx, credential, id)
  const outcome = whoItIs(await askBotApi(ctx, bot.token, "getMe"), bot.username)
  await callAs(ctx, credential, "note_bot_call", { workspace_id: id, action: "workspace.bot_test", outcome })
  return outcome
}

function whoItIs({ status, result, message, shown }: BotApiAnswer, expected: string | null): BotTest {
  const who = (result ?? {}) as { username?: unknown; first_name?: unknown }
  if (typeof who.username !== "string") {
    const said = message ?? `The platform answered ${status}: an unknown format.`
    return { ok: false, status, username: null, name: null, matches: false, message: said }
  }
  const username = shown(who.username)
  const name = typeof who.first_name === "string" ? shown(who.first_name) : null
  const matches = expected !== null && username.toLowerCase() === expected.toLowerCase()
  const said = matches
    ? "The bot answers."
    : `The bot answers, but it is @${username}, ${expected ? `not @${expected}` : "and no username is set here"}.`
  return { ok: true, status, username, name, matches, message: said }
}
