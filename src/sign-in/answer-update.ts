import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { timeInWords } from "../base/in-words.ts"
import { isSameSecret } from "../base/same-secret.ts"
import { storableJson } from "../base/storable.ts"
import { noteBoard } from "../boards/note-board.ts"
import { callOne } from "../platform/db.ts"
import type { AuthContext } from "./auth-context.ts"
import { answerButton, type BotReply, describeLogin, say, undoButton } from "./bot-reply.ts"
import { type BotRequest, readUpdate } from "./bot-update.ts"
import { brandOf, openBrandSecret } from "./brand-of.ts"
import { doOnce, peekToken } from "./one-time-token.ts"
import { BOT_POLICY, TOKEN_POLICY } from "./policies.ts"
import { signInMessenger } from "./sign-in-messenger.ts"
import { mintMagicLink } from "./sign-in-token.ts"
import { confirmWebLogin, denyWebLogin, type WebLogin } from "./web-login.ts"

/** An update of the platform's public Bot API. Other fields and kinds of updates are accepted and ignored. */
export const botUpdateSchema = z
  .looseObject({ update_id: z.unknown().optional().meta({ description: "An integer.", example: 10_000 }) })
  .meta({ id: "BotUpdate" })
  // The platform would repeat an update that is answered with a status other than 200.
  .transform(storableJson)

export const botReplySchema = z
  .looseObject({
    method: z
      .string()
      .optional()
      .meta({ description: "A method of the Bot API. The other fields are its parameters.", example: "sendMessage" }),
  })
  .meta({ id: "BotReply" })

/** The bot of this host's brand. Throws INVALID_WEBHOOK_SECRET unless the request carries the bot's secret. */
export async function brandOfBot(ctx: AuthContext, url: string, secret: string | undefined): Promise<SendingBot> {
  const brand = await brandOf(ctx, url)
  const expected = await openBrandSecret(ctx, brand, "bot_webhook_secret")
  if (!expected || secret === undefined || !isSameSecret(secret, expected)) {
    throw new TurnpikeError(
      "INVALID_WEBHOOK_SECRET",
      "The request does not carry the webhook secret of this brand's bot.",
    )
  }
  return { brand: brand.brand, botId: brand.bot_id }
}

/**
 * Answers a bot's update with at most one call of the Bot API, and stores changes of group members.
 * A repeated update has no second effect and sends no second magic link.
 */
export async function answerUpdate(
  ctx: AuthContext,
  { bot, origin }: { bot: SendingBot; origin: string },
  update: unknown,
): Promise<BotReply> {
  if (bot.botId !== null && (await noteBoard(ctx, bot.botId, update))) return {}
  const request = bot.brand === null ? null : readUpdate(update)
  return request && bot.brand !== null ? answer(ctx, { brand: bot.brand, origin }, request) : {}
}

/** The bot that received an update. It belongs to a brand or a workspace; only a brand's bot signs people in. */
export interface SendingBot {
  brand: string | null
  /** The bot's id on the messaging platform. */
  botId: string | null
}

/** The bot's brand, and the origin of the brand's pages. */
interface BotHost {
  brand: string
  origin: string
}

async function answer(ctx: AuthContext, host: BotHost, request: BotRequest): Promise<BotReply> {
  switch (request.kind) {
    case "confirm":
      return confirm(ctx, host, request)
    case "undo":
      return undo(ctx, host, request)
    case "login":
      return sendMagicLink(ctx, host, request)
    case "greet": {
      const { chatId, from, refCode } = request
      if (refCode) await signInMessenger(ctx, host.brand, from, refCode)
      return say(chatId, `Hello! Send /login to get a link that signs you in to ${new URL(host.origin).host}.`)
    }
  }
}

async function confirm(
  ctx: AuthContext,
  { brand }: BotHost,
  { chatId, from, token }: BotRequest & { kind: "confirm" },
): Promise<BotReply> {
  const over = say(chatId, "This login has expired or was already used. Start again in your browser.")
  const pending = await peekToken<WebLogin>(ctx, "web_login", token)
  if (pending?.payload.brand !== brand) return over
  const user = await signInMessenger(ctx, brand, from, null)
  if (user.disabled) return say(chatId, DISABLED)
  const verdict = await confirmWebLogin(ctx, token, user)
  if (!verdict) return over
  if (verdict.state === "denied" || verdict.user_id !== user.user_id) {
    return say(chatId, "This login was already confirmed or denied. Start again in your browser.")
  }
  return say(chatId, describeLogin(pending.payload), undoButton(token))
}

async function undo(ctx: AuthContext, { brand }: BotHost, request: BotRequest & { kind: "undo" }): Promise<BotReply> {
  await doOnce(ctx, updateKey(brand, request), () => undoLogin(ctx, brand, request.from.id, request.token))
  return answerButton(request.queryId, "The login was undone. All sessions of your account have ended.")
}

async function sendMagicLink(ctx: AuthContext, { brand, origin }: BotHost, request: BotRequest): Promise<BotReply> {
  const { chatId, from } = request
  const reply = await doOnce(ctx, updateKey(brand, request), async () => {
    const { user_id, disabled, identity } = await signInMessenger(ctx, brand, from, null)
    if (disabled) return say(chatId, DISABLED)
    const { url } = await mintMagicLink(ctx, { userId: user_id, origin, identity })
    const text = `This link signs you in, once, within ${timeInWords(TOKEN_POLICY.sign_in.ttlMs)}. Do not share it.\n\n${url}`
    return say(chatId, text, { protect_content: true })
  })
  return reply ?? {}
}

/** Identifies an update: the platform repeats updates that were not answered. */
const updateKey = (brand: string, { updateId }: BotRequest) => ({
  key: `bot_update:${brand}:${updateId}`,
  ttlMs: BOT_POLICY.updateMs,
})

const DISABLED = "This account cannot sign in."

/**
 * Undoes a login that the account's owner did not start. Ends all sessions of the account, since a stranger
 * with one session may have started others. Also denies the login to a browser that has not polled yet.
 */
async function undoLogin(ctx: AuthContext, brand: string, subject: string, token: string): Promise<void> {
  const identity = { issuer: `messenger:${brand}`, subject }
  const { end_sessions_of_identity: userId } = await callOne(ctx.db, "end_sessions_of_identity", identity)
  if (userId !== null) await denyWebLogin(ctx, token, userId)
}
