import { EndUsers } from "./end-users.ts"
import { Events } from "./events.ts"
import { Files } from "./files.ts"
import type { Balance, Me } from "./operations.ts"
import type { RequestOptions, TurnpikeOptions } from "./options.ts"
import { Spaces } from "./spaces.ts"
import { Transport } from "./transport.ts"
import { Turns } from "./turns.ts"
import { Models, Usage } from "./usage.ts"
import { Deliveries, Webhooks } from "./webhooks.ts"

/**
 * The service, for your server: everything below `/v1`. Field names and values are those of the HTTP interface; amounts are
 * US dollars with at most 7 decimals, times are RFC 3339 in UTC.
 *
 * @example
 * const turnpike = new Turnpike({ apiKey: process.env.TURNPIKE_API_KEY, baseUrl: "https://turnpike.example.com" })
 * const turn = await turnpike.turns.run({ space: "spc_…", end_user_ref: "customer-42", text: "Where is my order?" })
 */
export class Turnpike {
  readonly #transport: Transport
  /** Isolated agents and their configuration. */
  readonly spaces: Spaces
  /** Files for turns, and those that agents make. */
  readonly files: Files
  /** Requests to agents. */
  readonly turns: Turns
  /** Events posted to your server. */
  readonly webhooks: Webhooks
  /** Your own customers: costs, limits, export and erasure. */
  readonly endUsers: EndUsers
  /** What was billed, and for whom. */
  readonly usage: Usage
  /** The models that agents can run on. */
  readonly models: Models
  /** What was posted to your webhooks. */
  readonly deliveries: Deliveries
  /** The feed of all events, for catching up. */
  readonly events: Events

  constructor(options: TurnpikeOptions = {}) {
    this.#transport = new Transport(options)
    this.spaces = new Spaces(this.#transport)
    this.files = new Files(this.#transport)
    this.turns = new Turns(this.#transport)
    this.webhooks = new Webhooks(this.#transport)
    this.endUsers = new EndUsers(this.#transport)
    this.usage = new Usage(this.#transport)
    this.models = new Models(this.#transport)
    this.deliveries = new Deliveries(this.#transport)
    this.events = new Events(this.#transport)
  }

  /**
   * The key of this client, its scope and caps, and its account's balance.
   *
   * @example
   * const { key, balance } = await turnpike.me()
   */
  me(options?: RequestOptions): Promise<Me> {
    return this.#transport.call("getMe", {}, options)
  }

  /**
   * The balance of the key's account, in US dollars.
   *
   * @example
   * const { available_usd } = await turnpike.balance()
   */
  balance(options?: RequestOptions): Promise<Balance> {
    return this.#transport.call("getBalance", {}, options)
  }
}
