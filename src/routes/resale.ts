import * as z from "zod"
import { endUserRefParam } from "../end-users/schemas.ts"
import type { App } from "../http/app.ts"
import { madeOf, parseIdempotencyKey, REPLAYED } from "../http/idempotency.ts"
import type { Tagged } from "../http/preconditions.ts"
import { idParam, pageOf, pageQuery, wholeParam } from "../http/query.ts"
import { CREDIT_END_USER_ERRORS, creditEndUser, creditEndUserSchema } from "../resale/credit-end-user.ts"
import { DELETE_PRICE_ERRORS, deletePrice } from "../resale/delete-price.ts"
import { type EndUserBalance, endUserBalanceSchema, getEndUserBalance } from "../resale/end-user-balance.ts"
import { PUT_END_USER_BILLING_ERRORS, putEndUserBilling, putEndUserBillingSchema } from "../resale/end-user-billing.ts"
import {
  endUserDefaultSchema,
  getEndUserDefaults,
  PUT_END_USER_DEFAULTS_ERRORS,
  putEndUserDefaults,
  putEndUserDefaultsSchema,
} from "../resale/end-user-defaults.ts"
import { END_USER_REASONS, endUserEntrySchema, serializeEndUserEntry } from "../resale/end-user-ledger.ts"
import { GET_PRICE_ERRORS, getPrice, listPrices } from "../resale/find-prices.ts"
import { listEndUserLedger } from "../resale/list-end-user-ledger.ts"
import { deletedPriceSchema, priceNameParam, priceSchema, putPriceSchema } from "../resale/price.ts"
import { PUT_PRICE_ERRORS, putPrice } from "../resale/put-price.ts"
import { bareQuery, type Mounting, toKeys, wholeListAt } from "./mounting.ts"
import { raised } from "./raised.ts"

const params = z.object({ end_user_ref: endUserRefParam })
/** The ETag changes with the settings, and not with the balance. */
const billing: Tagged = {
  of: ({ price, prepaid, low_balance_usd }: EndUserBalance) => ({ price, prepaid, low_balance_usd }),
}
const ofVersion = {
  version: wholeParam(1, 1_000_000)
    .optional()
    .meta({ description: "Shows this version only. Default: the newest ones.", example: 3 }),
}
const named = z.object({ name: priceNameParam })

/** Prices of the key owner, and wallets of end users. Mounted for keys and for a signed-in owner. */
export function mountResale(app: App, mounting: Mounting) {
  mountPrices(app, mounting)
  mountEndUserWallets(app, mounting)
}

function mountPrices(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const tag = "Prices"
  const query = bareQuery(mounting)
  const all = wholeListAt(mounting, priceSchema)
  const defaults = wholeListAt(mounting, endUserDefaultSchema)

  app.operation(
    {
      method: "get",
      path: `${prefix}/prices`,
      id: "listPrices",
      tag,
      summary: "List prices",
      description: `The prices that you charge your end users, by name, each with its current version.${toKeys(mounting, " The key needs the scope `all`.")}`,
      query,
      answer: { status: 200, description: "All prices.", schema: all.schema },
      errors: ["SCOPE_DENIED"],
      keyScope: "all",
    },
    async (c) => all.of(await listPrices(c.get("ctx"), c.get("credential"))),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/prices/{name}`,
      id: "getPrice",
      tagged: {},
      tag,
      summary: "Read a price",
      description: "A price with its versions. The versions of a deleted price stay readable, and `deleted` is true.",
      params: named,
      query: bareQuery(mounting, ofVersion),
      answer: { status: 200, description: "The price with its versions.", schema: priceSchema },
      errors: GET_PRICE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { name }, query }) =>
      getPrice(c.get("ctx"), c.get("credential"), { name, version: (query as { version?: number }).version ?? null }),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/prices/{name}`,
      id: "putPrice",
      tagged: {},
      tag,
      summary: "Set a price",
      description:
        "Creates the price, or a new version of it. A turn keeps the version that was current when it was accepted. The same values " +
        "again make no new version. With `begins_at` the version is planned, and `planned` shows it. Setting the price again replaces the " +
        "plan.\n\nThe charge of a turn is the sum over its model calls of billed amount times multiplier, plus " +
        "`per_turn_usd`. It is computed exactly and rounded once, when the turn ends. A turn without a model call, and a turn that " +
        "the service lost, charge nothing. Prices of test keys are apart, and apply to test turns.",
      params: named,
      query,
      body: putPriceSchema,
      answer: { status: 200, description: "The price.", schema: priceSchema },
      errors: PUT_PRICE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { name }, body }) => putPrice(c.get("ctx"), c.get("credential"), name, body),
  )

  app.operation(
    {
      method: "delete",
      path: `${prefix}/prices/{name}`,
      id: "deletePrice",
      tagged: {},
      tag,
      summary: "Delete a price",
      description: "A price that an end user, a key or the account names cannot be deleted. Accepted turns keep it.",
      params: named,
      query,
      answer: { status: 200, description: "The deleted price.", schema: deletedPriceSchema },
      errors: DELETE_PRICE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { name } }) => deletePrice(c.get("ctx"), c.get("credential"), name),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-user-defaults`,
      id: "listEndUserDefaults",
      tagged: {},
      tag,
      summary: "List the default prices",
      description:
        "The price and the kind of payment of end users without settings of their own: of the account first, then of keys.",
      query,
      answer: { status: 200, description: "All defaults.", schema: defaults.schema },
      errors: ["SCOPE_DENIED"],
      keyScope: "all",
    },
    async (c) => defaults.of(await getEndUserDefaults(c.get("ctx"), c.get("credential"))),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/end-user-defaults`,
      id: "putEndUserDefaults",
      tagged: {},
      tag,
      summary: "Set the default price",
      description:
        "Replaces the defaults of the account, or of one key. A setting of an end user comes before that of the key, and that before " +
        "the account's. They apply from the next turn on.",
      query,
      body: putEndUserDefaultsSchema,
      answer: { status: 200, description: "All defaults.", schema: defaults.schema },
      errors: PUT_END_USER_DEFAULTS_ERRORS,
      keyScope: "all",
    },
    async (c, { body }) => defaults.of(raised(c, await putEndUserDefaults(c.get("ctx"), c.get("credential"), body))),
  )
}

function mountEndUserWallets(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const tag = "End users"
  const query = bareQuery(mounting)

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}/balance`,
      id: "getEndUserBalance",
      tagged: billing,
      tag,
      summary: "Read an end user's wallet",
      description: `The prepaid credit of the end user, and how its turns are charged.${toKeys(mounting, " The key needs the scope `all`.")}`,
      params,
      query,
      answer: { status: 200, description: "The wallet.", schema: endUserBalanceSchema },
      errors: ["SCOPE_DENIED"],
      keyScope: "all",
    },
    async (c, { params: { end_user_ref } }) => getEndUserBalance(c.get("ctx"), c.get("credential"), end_user_ref),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/end-users/{end_user_ref}/billing`,
      id: "putEndUserBilling",
      tagged: { ...billing, read: `${prefix}/end-users/{end_user_ref}/balance` },
      tag,
      summary: "Set how an end user is charged",
      description: "Replaces the end user's price, and whether turns are paid from the end user's wallet.",
      params,
      query,
      body: putEndUserBillingSchema,
      answer: { status: 200, description: "The wallet.", schema: endUserBalanceSchema },
      errors: PUT_END_USER_BILLING_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { end_user_ref }, body }) =>
      raised(c, await putEndUserBilling(c.get("ctx"), c.get("credential"), end_user_ref, body)),
  )

  app.operation(
    {
      method: "post",
      path: `${prefix}/end-users/{end_user_ref}/credits`,
      id: "creditEndUser",
      tag,
      summary: "Add credit to an end user's wallet",
      description:
        "Adds prepaid credit, or takes it back with a negative amount. The first credit makes the end user prepaid, unless a setting of " +
        "the end user, the key or the account says otherwise. Turns that wait for this credit continue. The credit is yours: your own " +
        "balance does not change.",
      params,
      query,
      headers: [
        {
          name: "Idempotency-Key",
          required: true,
          description: "A unique value per credit, of 1–255 printable ASCII characters.",
          example: "order-1001",
        },
      ],
      body: creditEndUserSchema,
      answer: {
        status: 201,
        description: "The entry of the wallet's ledger.",
        schema: endUserEntrySchema,
        headers: { [REPLAYED]: "`true` if an earlier request with this key booked the entry." },
      },
      errors: [
        ...CREDIT_END_USER_ERRORS,
        "IDEMPOTENCY_KEY_REQUIRED",
        "IDEMPOTENCY_KEY_INVALID",
        "IDEMPOTENCY_KEY_REUSED",
      ],
      keyScope: "all",
    },
    async (c, { params: { end_user_ref: ref }, body }) => {
      const key = parseIdempotencyKey(c.req.header("idempotency-key"))
      const once = { key, request: { operation: "creditEndUser", ref, ...body } }
      return serializeEndUserEntry(
        madeOf(c, raised(c, await creditEndUser(c.get("ctx"), c.get("credential"), { ref, ...body }, once))),
      )
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}/ledger`,
      id: "listEndUserLedger",
      tag,
      summary: "List an end user's ledger",
      description: "The credits, corrections and charges of the end user's wallet, newest first.",
      params,
      query: z.strictObject({
        ...mounting.query,
        reason: z.enum(END_USER_REASONS).optional().meta({ description: "Only these entries." }),
        turn: idParam.optional().meta({ description: "A `turn_id`: only its charge." }),
        ...pageQuery,
      }),
      answer: { status: 200, description: "A page of entries.", schema: pageOf(endUserEntrySchema) },
      errors: ["SCOPE_DENIED"],
      keyScope: "all",
    },
    async (c, { params: { end_user_ref: ref }, query: { limit, cursor, reason, turn } }) => {
      const page = await listEndUserLedger(c.get("ctx"), c.get("credential"), {
        ref,
        filters: { reason, turn },
        limit,
        cursor,
      })
      return { ...page, data: page.data.map(serializeEndUserEntry) }
    },
  )
}
