import type { List } from "./list.ts"
import type {
  CreatePortalSession,
  CreditEndUser,
  EndUser,
  EndUserBalance,
  EndUserExport,
  EndUserLedgerEntry,
  EndUserProfile,
  Erasure,
  PortalSession,
  PutEndUserBilling,
  PutEndUserLimits,
  PutEndUserProfile,
} from "./operations.ts"
import type { ChangeOptions, CreateOptions, RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** Your own customers, by the `end_user_ref` of their turns. */
export class EndUsers {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Your customers, most recently active first.
   *
   * @example
   * for await (const { end_user_ref, billed_usd } of turnpike.endUsers.list()) console.log(end_user_ref, billed_usd)
   */
  list(query: Query<"listEndUsers"> = {}, options?: RequestOptions): List<EndUser> {
    return this.#transport.list("listEndUsers", { query }, options)
  }

  /**
   * Reads a customer's costs of today, this month and all time, and their limits.
   *
   * @example
   * const { billed_this_month_usd, limits } = await turnpike.endUsers.get("customer-42")
   */
  get(endUserRef: string, options?: RequestOptions): Promise<EndUser> {
    return this.#transport.call("getEndUser", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Sets a customer's spending limits, in US dollars, or blocks the customer.
   *
   * @example
   * await turnpike.endUsers.putLimits("customer-42", { daily_usd: 0.5, monthly_usd: 5, blocked: false })
   */
  putLimits(endUserRef: string, body: PutEndUserLimits, options?: ChangeOptions): Promise<EndUser> {
    return this.#transport.call("putEndUserLimits", { params: { end_user_ref: endUserRef }, body }, options)
  }

  /**
   * Reads a customer's wallet, and how the customer's turns are charged.
   *
   * @example
   * const { available_usd } = await turnpike.endUsers.getBalance("customer-42")
   */
  getBalance(endUserRef: string, options?: RequestOptions): Promise<EndUserBalance> {
    return this.#transport.call("getEndUserBalance", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Sets a customer's price, and whether turns are paid from the customer's wallet.
   *
   * @example
   * await turnpike.endUsers.putBilling("customer-42", { price: "standard", prepaid: true })
   */
  putBilling(endUserRef: string, body: PutEndUserBilling, options?: ChangeOptions): Promise<EndUserBalance> {
    return this.#transport.call("putEndUserBilling", { params: { end_user_ref: endUserRef }, body }, options)
  }

  /**
   * Adds credit to a customer's wallet, or takes it back with a negative amount. Calls with the same
   * `idempotencyKey` add it only once.
   *
   * @example
   * await turnpike.endUsers.credit("customer-42", { amount_usd: 5 }, { idempotencyKey: "order-1042" })
   */
  credit(endUserRef: string, body: CreditEndUser, options?: CreateOptions): Promise<EndUserLedgerEntry> {
    return this.#transport.call("creditEndUser", { params: { end_user_ref: endUserRef }, body }, options)
  }

  /**
   * Lists the credits, corrections and charges of a customer's wallet, newest first.
   *
   * @example
   * for await (const { amount_usd } of turnpike.endUsers.listLedger("customer-42")) console.log(amount_usd)
   */
  listLedger(
    endUserRef: string,
    query: Query<"listEndUserLedger"> = {},
    options?: RequestOptions,
  ): List<EndUserLedgerEntry> {
    return this.#transport.list("listEndUserLedger", { params: { end_user_ref: endUserRef }, query }, options)
  }

  /**
   * Reads a customer's profile: the facts that agents and tools can use.
   *
   * @example
   * const { profile } = await turnpike.endUsers.getProfile("customer-42")
   */
  getProfile(endUserRef: string, options?: RequestOptions): Promise<EndUserProfile> {
    return this.#transport.call("getEndUserProfile", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Replaces a customer's profile. Turns that have started keep the earlier one.
   *
   * @example
   * await turnpike.endUsers.putProfile("customer-42", { profile: { name: "Ada", time_zone: "Europe/London" } })
   */
  putProfile(endUserRef: string, body: PutEndUserProfile, options?: ChangeOptions): Promise<EndUserProfile> {
    return this.#transport.call("putEndUserProfile", { params: { end_user_ref: endUserRef }, body }, options)
  }

  /**
   * Deletes a customer's profile.
   *
   * @example
   * await turnpike.endUsers.deleteProfile("customer-42")
   */
  deleteProfile(endUserRef: string, options?: ChangeOptions): Promise<EndUserProfile> {
    return this.#transport.call("deleteEndUserProfile", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Exports all data of a customer, for example when the customer requests it.
   *
   * @example
   * const { turns } = await turnpike.endUsers.export("customer-42")
   */
  export(endUserRef: string, options?: RequestOptions): Promise<EndUserExport> {
    return this.#transport.call("exportEndUser", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Erases a customer's texts, results, history and files; amounts are kept. Returns the receipt.
   *
   * @example
   * const { erasure_id, state } = await turnpike.endUsers.erase("customer-42")
   */
  erase(endUserRef: string, options?: RequestOptions): Promise<Erasure> {
    return this.#transport.call("eraseEndUser", { params: { end_user_ref: endUserRef } }, options)
  }

  /**
   * Reads the receipt of an erasure. Its state is `erased` when all data is gone.
   *
   * @example
   * const { state, erased_at } = await turnpike.endUsers.getErasure(erasure_id)
   */
  getErasure(erasureId: string, options?: RequestOptions): Promise<Erasure> {
    return this.#transport.call("getErasure", { params: { erasure_id: erasureId } }, options)
  }

  /**
   * Opens the portal: a page that shows a customer their own use. Pass its `url` to the customer's browser; it opens
   * once. `allowed_origins` are the pages that may show it in a frame.
   *
   * @example
   * const { url } = await turnpike.endUsers.createPortalSession("customer-42", {
   *   scopes: ["usage", "limits"],
   *   allowed_origins: ["https://shop.example.com"],
   * })
   */
  createPortalSession(endUserRef: string, body: CreatePortalSession, options?: RequestOptions): Promise<PortalSession> {
    return this.#transport.call("createPortalSession", { params: { end_user_ref: endUserRef }, body }, options)
  }
}
