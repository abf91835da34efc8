import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { isSameSecret } from "../base/same-secret.ts"
import { BOARD_UPDATES } from "../boards/policies.ts"
import type { SendingBot } from "../sign-in/answer-update.ts"
import { askBotApi, botTarget, openBot } from "./bot-api.ts"

export const botWebhookSchema = z
  .object({
    ok: z.boolean().meta({ description: "Whether the platform accepted `url` for the updates of the bot." }),
    status: z
      .int()
      .nullable()
      .meta({ description: "The HTTP status of the platform's answer; null if it did not answer.", example: 200 }),
    url: z.url().meta({ example: "https://app.example.com/api/auth/bot?workspace=acme-support" }),
    allowed_updates: z.array(z.string()).meta({ example: [...BOARD_UPDATES] }),
    message: z.string().meta({ description: "A readable description of the outcome.", example: "The webhook is set." }),
  })
  .meta({ id: "WorkspaceBotWebhook" })

type BotWebhook = z.infer<typeof botWebhookSchema>

export const SET_WORKSPACE_BOT_WEBHOOK_ERRORS = ["NOT_FOUND", "NO_BOT"] as const

/**
 * Registers the webhook of this origin for the bot of a workspace (`setWebhook`), and returns the outcome. Writes an
 * audit entry. NOT_FOUND, NO_BOT.
 */
export async function setWorkspaceBotWebhook(
  ctx: Context,
  credential: SessionCredential,
  { id, origin }: { id: string; origin: string },
): Promise<BotWebhook> {
  const bot = await openBot(ctx, credential, id)
  if (bot.webhookSecret === null)
    throw new TurnpikeError("NO_BOT", `The bot of "${id}" has no webhook secret. Set its token again first.`)
  const url = `${origin}/api/auth/bot?workspace=${encodeURIComponent(id)}`
  const allowed_updates = [...BOARD_UPDATES]
  const body = { url, secret_token: bot.webhookSecret, allowed_updates }
  const { status, result, message } = await askBotApi(ctx, bot.token, "setWebhook", { body, secret: bot.webhookSecret })
  const ok = result === true
  const outcome = {
    ok,
    status,
    url,
    allowed_updates,
    message: ok ? "The webhook is set." : (message ?? "The webhook is not set."),
  }
  await callAs(ctx, credential, "note_bot_call", { workspace_id: id, action: "workspace.bot_webhook", outcome })
  return outcome
}

/** The bot of a workspace, if the secret is right. INVALID_WEBHOOK_SECRET otherwise, and for an unknown workspace. */
export async function botOfWorkspace(ctx: Context, id: string, secret: string | undefined): Promise<SendingBot> {
  const row = await ctx.db
    .selectFrom("workspaces as w")
    .select(["w.bot_id", "w.bot_webhook_secret"])
    .where("w.workspace_id", "=", id.slice(0, 64))
    .executeTakeFirst()
  const sealed = row?.bot_webhook_secret ?? null
  const expected = sealed === null ? null : (await ctx.keyRing.open(sealed, botTarget(id, "bot_webhook_secret"))).text
  if (expected === null || secret === undefined || !isSameSecret(secret, expected)) {
    throw new TurnpikeError("INVALID_WEBHOOK_SECRET", "This update does not have the secret of this workspace's bot.")
  }
  return { brand: null, botId: row?.bot_id ?? null }
}
