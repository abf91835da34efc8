import type { List } from "./list.ts"
import type { RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"
import type { WebhookEvent } from "./verify-webhook.ts"

/** The feed of all events, to catch up with. */
export class Events {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists events, newest first. With `order: "asc"`, oldest first.
   *
   * @example
   * for await (const event of turnpike.events.list({ order: "asc", created_after: lastSeen })) await handle(event)
   */
  list(query: Query<"listEvents"> = {}, options?: RequestOptions): List<WebhookEvent> {
    return this.#transport.list("listEvents", { query }, options) as List<unknown> as List<WebhookEvent>
  }

  /**
   * Reads an event.
   *
   * @example
   * const { type, data } = await turnpike.events.get("evt_…")
   */
  async get(eventId: string, options?: RequestOptions): Promise<WebhookEvent> {
    return (await this.#transport.call("getEvent", { params: { event_id: eventId } }, options)) as WebhookEvent
  }
}
