import { Calls } from "./calls.ts"
import { Conversations } from "./conversations.ts"
import { EndUsers } from "./end-users.ts"
import { Events } from "./events.ts"
import { Files } from "./files.ts"
import type { Balance, Me } from "./operations.ts"
import type { RequestOptions, TurnpikeOptions } from "./options.ts"
import { Prices } from "./prices.ts"
import { Spaces } from "./spaces.ts"
import { Transport } from "./transport.ts"
import { Turns } from "./turns.ts"
import { Models, Usage } from "./usage.ts"
import { Deliveries, Webhooks } from "./webhooks.ts"

/**
 * The client of all operations below `/v1`, for your server. It uses the field names and values of the HTTP API.
 * Amounts are US dollars with at most 7 decimals, and times are RFC 3339 in UTC.
 *
 * @example
 * const turnpike = new Turnpike({ apiKey: process.env.TURNPIKE_API_KEY, baseUrl: "https://turnpike.example.com" })
 * const turn = await turnpike.turns.run({ space: "spc_…", end_user_ref: "customer-42", text: "Where is my order?" })
 */
export class Turnpike {
  readonly #transport: Transport
  /** Isolated agents and their configuration. */
  readonly spaces: Spaces
  /** Files that you attach to turns, and files that agents create. */
  readonly files: Files
  /** Requests to agents. */
  readonly turns: Turns
  /** Calls that turns wait for: decisions, later results, and calls for your workers. */
  readonly calls: Calls
  /** Conversations, with the part that the agent sees. */
  readonly conversations: Conversations
  /** Events posted to your server. */
  readonly webhooks: Webhooks
  /** Your own customers: costs, limits, wallets, export and erasure. */
  readonly endUsers: EndUsers
  /** The prices that you charge your own customers. */
  readonly prices: Prices
  /** Reports of billed amounts. */
  readonly usage: Usage
  /** The models on which agents can run. */
  readonly models: Models
  /** The events that were posted to your webhooks, with every attempt. */
  readonly deliveries: Deliveries
  /** The feed of all events, to catch up with. */
  readonly events: Events

  constructor(options: TurnpikeOptions = {}) {
    this.#transport = new Transport(options)
    this.spaces = new Spaces(this.#transport)
    this.files = new Files(this.#transport)
    this.turns = new Turns(this.#transport)
    this.calls = new Calls(this.#transport)
    this.conversations = new Conversations(this.#transport)
    this.webhooks = new Webhooks(this.#transport)
    this.endUsers = new EndUsers(this.#transport)
    this.prices = new Prices(this.#transport)
    this.usage = new Usage(this.#transport)
    this.models = new Models(this.#transport)
    this.deliveries = new Deliveries(this.#transport)
    this.events = new Events(this.#transport)
  }

  /**
   * Reads the client's key with its scope and caps, and the balance of its account.
   *
   * @example
   * const { key, balance } = await turnpike.me()
   */
  me(options?: RequestOptions): Promise<Me> {
    return this.#transport.call("getMe", {}, options)
  }

  /**
   * Reads the balance of the key's account, in US dollars.
   *
   * @example
   * const { available_usd } = await turnpike.balance()
   */
  balance(options?: RequestOptions): Promise<Balance> {
    return this.#transport.call("getBalance", {}, options)
  }
}
