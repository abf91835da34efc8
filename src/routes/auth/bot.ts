import { createMiddleware } from "hono/factory"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { answerUpdate, botReplySchema, botUpdateSchema } from "../../sign-in/answer-update.ts"
import { authContext } from "./context.ts"

/** The header that the platform sets to the `secret_token` of setWebhook. */
const SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"

const PATH = "/api/auth/bot"

/**
 * `sameOrigin` for whoever does not bring the header. No page of another origin can: a browser asks before it sends such a
 * header, and we never allow it.
 */
const sameOriginOrSecret = createMiddleware<AppEnv>(async (c, next) =>
  c.req.header(SECRET_HEADER) === undefined ? sameOrigin(c, next) : next(),
)

export function mountBot(app: App) {
  app.use(PATH, sameOriginOrSecret)
  app.operation(
    {
      method: "post",
      path: PATH,
      id: "answerBotUpdate",
      tag: "Signing in",
      summary: "Receive an update of the brand's bot",
      description:
        "The bot's webhook, for the messaging platform only: the bot is that of the brand of this host. `/start weblogin_…` " +
        "confirms a login and says where it was asked for, with a button that takes it back; `/login` sends a magic link. " +
        "The answer is what the bot is to do, as a call of the Bot API, or `{}`; whatever it does not understand is `{}`.",
      open: true,
      byServer: true,
      headers: [
        {
          name: SECRET_HEADER,
          description: "The secret with which the webhook was set.",
          required: true,
          example: "q2Xr0mB1c4VhU8tYpZkN5wJ7sL3dFgA6eR9iQoTuMxE",
        },
      ],
      body: botUpdateSchema,
      answer: { status: 200, description: "What the bot is to do.", schema: botReplySchema },
      errors: ["INVALID_WEBHOOK_SECRET", "CROSS_ORIGIN"],
    },
    (c, { body }) => answerUpdate(authContext(c), c.req.url, { secret: c.req.header(SECRET_HEADER), update: body }),
  )
}
