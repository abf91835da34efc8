import type { List } from "./list.ts"
import type {
  CreateWebhook,
  Delivery,
  Replay,
  Replayed,
  UpdateWebhook,
  Webhook,
  WebhookWithSecret,
} from "./operations.ts"
import type { CreateOptions, RequestOptions } from "./options.ts"
import type { Answer, Query, Transport } from "./transport.ts"
import { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./verify-webhook.ts"

/** Events posted to your server. */
export class Webhooks {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

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

  /**
   * Registers a webhook. Keep the `secret` of the answer: it is shown only here. Its first event is a `ping`; all others wait until your
   * server has answered that with 2xx.
   *
   * @example
   * const { webhook_id, secret } = await turnpike.webhooks.create({ url: "https://example.com/turnpike" })
   */
  create(body: CreateWebhook, options?: CreateOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("createWebhook", { body }, options)
  }

  /**
   * Webhooks, newest first.
   *
   * @example
   * for await (const { url, enabled } of turnpike.webhooks.list()) console.log(url, enabled)
   */
  list(query: Query<"listWebhooks"> = {}, options?: RequestOptions): List<Webhook> {
    return this.#transport.list("listWebhooks", { query }, options)
  }

  /**
   * Reads a webhook.
   *
   * @example
   * const { enabled, disabled_reason } = await turnpike.webhooks.get("whk_…")
   */
  get(webhookId: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("getWebhook", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Changes the given fields. `enabled: true` switches a webhook on again.
   *
   * @example
   * await turnpike.webhooks.update("whk_…", { events: ["turn.done", "turn.failed"] })
   */
  update(webhookId: string, body: UpdateWebhook, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.call("updateWebhook", { params: { webhook_id: webhookId }, body }, options)
  }

  /**
   * Removes a webhook and its deliveries.
   *
   * @example
   * await turnpike.webhooks.delete("whk_…")
   */
  delete(webhookId: string, options?: RequestOptions): Promise<Answer<"deleteWebhook">> {
    return this.#transport.call("deleteWebhook", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Makes a new secret. For 24 hours the former one signs too: verify with both.
   *
   * @example
   * const { secret } = await turnpike.webhooks.rotateSecret("whk_…")
   */
  rotateSecret(webhookId: string, options?: CreateOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("rotateWebhookSecret", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Posts a `ping` to it.
   *
   * @example
   * const { delivery_id } = await turnpike.webhooks.test("whk_…")
   */
  test(webhookId: string, options?: CreateOptions): Promise<Delivery> {
    return this.#transport.call("testWebhook", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Its deliveries with every attempt, the newest event first.
   *
   * @example
   * const failed = await turnpike.webhooks.deliveries("whk_…", { state: "failed" }).toArray(100)
   */
  deliveries(webhookId: string, query: Query<"listDeliveries"> = {}, options?: RequestOptions): List<Delivery> {
    return this.#transport.list("listDeliveries", { params: { webhook_id: webhookId }, query }, options)
  }

  /**
   * Posts the events of a range of time again, each under the id that it had. While `has_more`, go on with `cursor`.
   *
   * @example
   * await turnpike.webhooks.replay("whk_…", { from: "2026-01-15T00:00:00Z", to: "2026-01-16T00:00:00Z" })
   */
  replay(webhookId: string, body: Replay, options?: CreateOptions): Promise<Replayed> {
    return this.#transport.call("replayEvents", { params: { webhook_id: webhookId }, body }, options)
  }
}

/** What was posted to a webhook, one event at a time. */
export class Deliveries {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Reads a delivery with all its attempts.
   *
   * @example
   * const { state, attempts } = await turnpike.deliveries.get("dlv_…")
   */
  get(deliveryId: string, options?: RequestOptions): Promise<Delivery> {
    return this.#transport.call("getDelivery", { params: { delivery_id: deliveryId } }, options)
  }

  /**
   * Posts it again, under the id that the event has.
   *
   * @example
   * await turnpike.deliveries.redeliver("dlv_…")
   */
  redeliver(deliveryId: string, options?: CreateOptions): Promise<Delivery> {
    return this.#transport.call("redeliver", { params: { delivery_id: deliveryId } }, options)
  }
}
