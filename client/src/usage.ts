import type { List } from "./list.ts"
import type {
  ListedStatement,
  Model,
  MonthStatement,
  PutUsageExport,
  PutUsageKeys,
  StatementDocument,
  UsageExport,
  UsageGroup,
  UsageKeys,
  UsageReport,
} from "./operations.ts"
import type { RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** Reports of billed amounts. Amounts are US dollars and add up exactly to the ledger. */
export class Usage {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Reads a report of the turns that ended in a time range: one page of groups, and the total of all groups.
   *
   * @example
   * const { data, total } = await turnpike.usage.get({ group_by: "space", from: "2026-01-01", to: "2026-02-01" })
   */
  get(query: Query<"getUsage"> = {}, options?: RequestOptions): Promise<UsageReport> {
    return this.#transport.call("getUsage", { query }, options)
  }

  /**
   * Lists all groups of a report, and loads as many pages as necessary.
   *
   * @example
   * for await (const { group, billed_usd } of turnpike.usage.groups()) console.log(group, billed_usd)
   */
  groups(query: Query<"getUsage"> = {}, options?: RequestOptions): List<UsageGroup> {
    return this.#transport.list("getUsage", { query }, options)
  }

  /**
   * Downloads the whole report as CSV. Returns the Response with its unread body.
   *
   * @example
   * const csv = await (await turnpike.usage.csv({ group_by: "day" })).text()
   */
  csv(query: Query<"getUsage"> = {}, options?: RequestOptions): Promise<Response> {
    return this.#transport.open("getUsage", { query: { ...query, format: "csv" } }, options, {
      headers: { accept: "text/csv" },
    })
  }

  /**
   * Lists the months (UTC) since the first usage of the account, newest first.
   *
   * @example
   * for await (const { month, total_usd } of turnpike.usage.statements()) console.log(month, total_usd)
   */
  statements(options?: RequestOptions): List<ListedStatement> {
    return this.#transport.list("listStatements", {}, options)
  }

  /**
   * Reads the signed statement of a month. The first read of a large month returns the state `building`.
   *
   * @example
   * const { state, statement } = await turnpike.usage.statement("2026-10")
   */
  statement(month: string, options?: RequestOptions): Promise<MonthStatement> {
    return this.#transport.call("getStatement", { params: { month } }, options)
  }

  /**
   * Lists the signed receipts of a month in the order of its statement, and then its refunds.
   *
   * @example
   * const documents = await turnpike.usage.documents("2026-10").toArray()
   */
  documents(
    month: string,
    query: Query<"listStatementDocuments"> = {},
    options?: RequestOptions,
  ): List<StatementDocument> {
    return this.#transport.list("listStatementDocuments", { params: { month }, query }, options)
  }

  /** Reads whether charges are exported as events, and since when. */
  getExport(options?: RequestOptions): Promise<UsageExport> {
    return this.#transport.call("getUsageExport", {}, options)
  }

  /**
   * Starts or stops the export of charges as events.
   *
   * @example
   * await turnpike.usage.putExport({ enabled: true })
   */
  putExport(body: PutUsageExport, options?: RequestOptions): Promise<UsageExport> {
    return this.#transport.call("putUsageExport", { body }, options)
  }

  /**
   * Reads the keys of metadata by which usage can be grouped.
   *
   * @example
   * const { keys } = await turnpike.usage.getKeys()
   */
  getKeys(options?: RequestOptions): Promise<UsageKeys> {
    return this.#transport.call("getUsageKeys", {}, options)
  }

  /**
   * Registers the keys of metadata by which usage can be grouped.
   *
   * @example
   * await turnpike.usage.putKeys({ keys: ["feature"] })
   */
  putKeys(body: PutUsageKeys, options?: RequestOptions): Promise<UsageKeys> {
    return this.#transport.call("putUsageKeys", { body }, options)
  }
}

/** The models on which agents can run. */
export class Models {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Lists the models that this key's turns can use, with their prices.
   *
   * @example
   * const pins = (await turnpike.models.list().toArray()).map(({ pin }) => pin)
   */
  list(options?: RequestOptions): List<Model> {
    return this.#transport.list("listModels", {}, options)
  }
}
