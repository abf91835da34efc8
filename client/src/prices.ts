import type { List } from "./list.ts"
import type { DeletedPrice, EndUserDefault, Price, PutEndUserDefaults, PutPrice } from "./operations.ts"
import type { ChangeOptions, RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** The prices that you charge your end users, and their defaults. */
export class Prices {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists all prices with their current versions.
   *
   * @example
   * for await (const { name, multiplier } of turnpike.prices.list()) console.log(name, multiplier)
   */
  list(options?: RequestOptions): List<Price> {
    return this.#transport.list("listPrices", {}, options)
  }

  /**
   * Reads a price with its newest versions, or with one version. A deleted price stays readable.
   *
   * @example
   * const { version, versions } = await turnpike.prices.get("standard", { version: 3 })
   */
  get(name: string, query: Query<"getPrice"> = {}, options?: RequestOptions): Promise<Price> {
    return this.#transport.call("getPrice", { params: { name }, query }, options)
  }

  /**
   * Sets a price: turns that are accepted from now on, or from `begins_at` on, get a new version of it.
   *
   * @example
   * await turnpike.prices.put("standard", { multiplier: 1.5, per_turn_usd: 0.01 })
   */
  put(name: string, body: PutPrice, options?: ChangeOptions): Promise<Price> {
    return this.#transport.call("putPrice", { params: { name }, body }, options)
  }

  /**
   * Deletes a price that is not in use.
   *
   * @example
   * await turnpike.prices.delete("standard")
   */
  delete(name: string, options?: ChangeOptions): Promise<DeletedPrice> {
    return this.#transport.call("deletePrice", { params: { name } }, options)
  }

  /**
   * Lists the defaults of end users: of the account, and of keys.
   *
   * @example
   * for await (const { key_id, price } of turnpike.prices.listDefaults()) console.log(key_id, price)
   */
  listDefaults(options?: RequestOptions): List<EndUserDefault> {
    return this.#transport.list("listEndUserDefaults", {}, options)
  }

  /**
   * Sets the default price of end users, and whether they are prepaid.
   *
   * @example
   * await turnpike.prices.putDefaults({ price: "standard", prepaid: true })
   */
  async putDefaults(body: PutEndUserDefaults, options?: ChangeOptions): Promise<EndUserDefault[]> {
    return (await this.#transport.call("putEndUserDefaults", { body }, options)).data
  }
}
