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
import type { ChangeOptions, CreateOptions, RequestOptions } from "./options.ts"
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
   * Returns the event of a message that is signed with one of your secrets. Throws WebhookVerificationError for any
   * other message, or if it is older than five minutes. Pass the raw body: a body that was parsed and serialised
   * again has other bytes.
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
   * Registers a webhook. Store the `secret` of the response: only this response shows it. The first event is a
   * `ping`. All other events wait until your server has answered it with 2xx.
   *
   * @example
   * const { webhook_id, secret } = await turnpike.webhooks.create({ url: "https://example.com/turnpike" })
   */
  create(body: CreateWebhook, options?: CreateOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("createWebhook", { body }, options)
  }

  /**
   * Lists webhooks, newest first.
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
   * Changes the given fields. `enabled: true` enables a disabled webhook again.
   *
   * @example
   * await turnpike.webhooks.update("whk_…", { events: ["turn.done", "turn.failed"] })
   */
  update(webhookId: string, body: UpdateWebhook, options?: ChangeOptions): Promise<Webhook> {
    return this.#transport.call("updateWebhook", { params: { webhook_id: webhookId }, body }, options)
  }

  /**
   * Deletes a webhook and its deliveries.
   *
   * @example
   * await turnpike.webhooks.delete("whk_…")
   */
  delete(webhookId: string, options?: ChangeOptions): Promise<Answer<"deleteWebhook">> {
    return this.#transport.call("deleteWebhook", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Creates a new signing secret. For 24 hours, or `overlap_seconds`, the old secret signs too, so verify with both.
   * `overlap_seconds: 0` ends all old secrets at once.
   *
   * @example
   * const { secret } = await turnpike.webhooks.rotateSecret("whk_…")
   */
  rotateSecret(
    webhookId: string,
    { overlap_seconds, ...options }: CreateOptions & Query<"rotateWebhookSecret"> = {},
  ): Promise<WebhookWithSecret> {
    const query = overlap_seconds === undefined ? {} : { overlap_seconds }
    return this.#transport.call("rotateWebhookSecret", { params: { webhook_id: webhookId }, query }, options)
  }

  /**
   * Posts a `ping` to a webhook.
   *
   * @example
   * const { delivery_id } = await turnpike.webhooks.test("whk_…")
   */
  test(webhookId: string, options?: CreateOptions): Promise<Delivery> {
    return this.#transport.call("testWebhook", { params: { webhook_id: webhookId } }, options)
  }

  /**
   * Lists a webhook's deliveries with every attempt, newest event first.
   *
   * @example
   * const failed = await turnpike.webhooks.deliveries("whk_…", { state: "failed" }).toArray(100)
   */
  deliveries(webhookId: string, query: Query<"listDeliveries"> = {}, options?: RequestOptions): List<Delivery> {
    return this.#transport.list("listDeliveries", { params: { webhook_id: webhookId }, query }, options)
  }

  /**
   * Posts the events of a time range again, each under its own id. While `has_more` is true, continue with `cursor`.
   *
   * @example
   * await turnpike.webhooks.replay("whk_…", { from: "2026-01-15T00:00:00Z", to: "2026-01-16T00:00:00Z" })
   */
  replay(webhookId: string, body: Replay, options?: CreateOptions): Promise<Replayed> {
    return this.#transport.call("replayEvents", { params: { webhook_id: webhookId }, body }, options)
  }
}

/** The deliveries of events to webhooks. */
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
   * Posts a delivery again, under the id of its event.
   *
   * @example
   * await turnpike.deliveries.redeliver("dlv_…")
   */
  redeliver(deliveryId: string, options?: CreateOptions): Promise<Delivery> {
    return this.#transport.call("redeliver", { params: { delivery_id: deliveryId } }, options)
  }
}
