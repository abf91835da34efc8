import { createMiddleware } from "hono/factory"
import * as z from "zod"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { noteRightSecret } from "../../http/doors.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { BOT_SECRET } from "../../http/policies.ts"
import { idParam } from "../../http/query.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { answerUpdate, botReplySchema, botUpdateSchema, brandOfBot } from "../../sign-in/answer-update.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"
import { botOfWorkspace } from "../../workspaces/bot-webhook.ts"
import { authContext } from "./context.ts"

const PATH = "/api/auth/bot"

/**
 * Skips `sameOrigin` for requests with the secret header. A page of another origin cannot send it: we reject the
 * CORS preflight.
 */
const sameOriginOrSecret = createMiddleware<AppEnv>(async (c, next) =>
  c.req.header(BOT_SECRET) === undefined ? sameOrigin(c, next) : next(),
)

/** Checks the secret before the body is read. */
const webhookSecret = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method === "POST") {
    const [workspaceId, secret] = [c.req.query("workspace"), c.req.header(BOT_SECRET)]
    const ofBrand = () => brandOfBot(authContext(c), c.req.url, secret)
    c.set("bot", await (workspaceId === undefined ? ofBrand() : botOfWorkspace(authContext(c), workspaceId, secret)))
    noteRightSecret(c)
  }
  await next()
})

export function mountBot(app: App) {
  app.use(PATH, sameOriginOrSecret, jsonOnly, webhookSecret)
  app.operation(
    {
      method: "post",
      path: PATH,
      id: "answerBotUpdate",
      tag: "auth",
      summary: "Receive an update of a bot",
      description:
        "The webhook of the bot of this host's brand, or of the bot of a `workspace`. Only the messaging platform calls it. Both bots record the " +
        "members of their groups, from `chat_member`, `my_chat_member` and messages. For a brand's bot, `/start weblogin_…` " +
        "confirms a login: the bot shows where the login was started, and a button that revokes the confirmation. " +
        "`/login` sends a magic link. The response is the Bot API call that the bot " +
        "makes, or `{}` for an update that it does not understand.",
      open: true,
      byServer: true,
      headers: [
        {
          name: BOT_SECRET,
          description: "The secret with which the webhook was set.",
          required: true,
          example: "q2Xr0mB1c4VhU8tYpZkN5wJ7sL3dFgA6eR9iQoTuMxE",
        },
      ],
      query: z.strictObject({
        workspace: idParam
          .optional()
          .meta({ description: "The workspace of the bot. Left out: the brand's bot.", example: "acme-support" }),
      }),
      body: botUpdateSchema,
      answer: { status: 200, description: "The Bot API call that the bot makes, or `{}`.", schema: botReplySchema },
      errors: ["INVALID_WEBHOOK_SECRET", "CROSS_ORIGIN", "NOT_FOUND"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      return answerUpdate(ctx, { bot: c.get("bot"), origin: await siteOrigin(ctx, c.req.url) }, body)
    },
  )
}
