import { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./verify-webhook.ts"

/** Events posted to your server. */
export class Webhooks {
  /**
   * The event of a message that was signed with one of your secrets; WebhookVerificationError for any other, or one older than
   * five minutes. Give the raw body, as it came: parsed and written again it is another text.
   *
   * @example
   * const event = await turnpike.webhooks.verify(await request.text(), request.headers, process.env.WEBHOOK_SECRET)
   * if (event.type === "turn.done") await reply(event.data.turn.end_user_ref, event.data.turn.result)
   */
  verify(
    body: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    return verifyWebhook(body, headers, secret, options)
  }
}
