import type { List } from "./list.ts"
import type { Model, UsageGroup, UsageReport } from "./operations.ts"
import type { RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** What was billed, and for whom. Amounts are US dollars and add up to the ledger, exactly. */
export class Usage {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * A report of the turns that ended in a range of time: one page of groups, and the sum of all of them.
   *
   * @example
   * const { data, total } = await turnpike.usage.get({ group_by: "end_user_ref", from: "2026-01-01", to: "2026-02-01" })
   */
  get(query: Query<"getUsage"> = {}, options?: RequestOptions): Promise<UsageReport> {
    return this.#transport.call("getUsage", { query }, options)
  }

  /**
   * All groups of a report, over as many pages as they take.
   *
   * @example
   * for await (const { group, billed_usd } of turnpike.usage.groups({ group_by: "space" })) console.log(group, billed_usd)
   */
  groups(query: Query<"getUsage"> = {}, options?: RequestOptions): List<UsageGroup> {
    return this.#transport.list("getUsage", { query }, options)
  }

  /**
   * The whole report as CSV: the Response with its unread body.
   *
   * @example
   * const csv = await (await turnpike.usage.csv({ group_by: "day" })).text()
   */
  csv(query: Query<"getUsage"> = {}, options?: RequestOptions): Promise<Response> {
    return this.#transport.open("getUsage", { query: { ...query, format: "csv" } }, options, {
      headers: { accept: "text/csv" },
    })
  }
}

/** The models that agents can run on. */
export class Models {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The models that this key's turns may use, with their prices.
   *
   * @example
   * const pins = (await turnpike.models.list().toArray()).map(({ pin }) => pin)
   */
  list(options?: RequestOptions): List<Model> {
    return this.#transport.list("listModels", {}, options)
  }
}
