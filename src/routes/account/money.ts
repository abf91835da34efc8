import * as z from "zod"
import { ENERGY_RATE } from "../../base/money.ts"
import { BUCKET_NAMES, LEDGER_REASONS } from "../../billing/buckets.ts"
import { ledgerEntrySchema, serializeLedgerEntry } from "../../billing/ledger-entry.ts"
import { listLedger } from "../../billing/list-ledger.ts"
import type { App } from "../../http/app.ts"
import { createdQuery, daysQuery, idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { energySchema, getOwnEnergy } from "../../users/get-energy.ts"
import { getMe, meSchema } from "../../users/get-me.ts"
import { getSetup, setupSchema } from "../../users/get-setup.ts"
import { balanceSchema, getBalance } from "../../wallets/get-balance.ts"

const tag = "Account"

export function mountMoney(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/me",
      id: "getMe",
      tag,
      summary: "Read the signed-in user, session and balance",
      answer: { status: 200, description: "The user, the session and the balance.", schema: meSchema },
      errors: [],
    },
    async (c) => getMe(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/setup",
      id: "getSetup",
      tag,
      summary: "Read how far the account's integration is",
      description:
        "The first steps of a new account: a key, a turn, a webhook and a tool, and the requests of its keys that were " +
        "refused. With `test`, all of it for test data.",
      query: z.strictObject(testQuery),
      answer: { status: 200, description: "The first steps of the account.", schema: setupSchema },
      errors: [],
    },
    async (c) => getSetup(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/balance",
      id: "getBalance",
      tag,
      summary: "Read the balance",
      answer: { status: 200, description: "The balance of the account.", schema: balanceSchema },
      errors: [],
    },
    async (c) => getBalance(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/energy",
      id: "getEnergy",
      tag,
      summary: "Read the account's energy",
      description:
        `The balance, totals by bucket, and a daily series of all charges, including web-chat charges. ${ENERGY_RATE}. The ` +
        "ledger has the individual entries.",
      query: z.strictObject(daysQuery(365)),
      answer: { status: 200, description: "The account's energy.", schema: energySchema },
      errors: [],
    },
    async (c, { query }) => getOwnEnergy(c.get("ctx"), sessionOf(c), query),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/ledger",
      id: "listLedger",
      tag,
      summary: "List the ledger",
      description:
        "All amounts that were booked, newest first. Their sum is the balance. A refund is an " +
        "`admin_action` with the `turn_id` of the refunded turn. It does not change that turn's `billed_cost_usd` or " +
        "the usage reports.",
      query: z.strictObject({
        reason: z.enum(LEDGER_REASONS).optional(),
        bucket: z.enum(BUCKET_NAMES).optional(),
        turn: idParam.optional().meta({ description: "A `turn_id`." }),
        ...createdQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of entries.", schema: listOf(ledgerEntrySchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...filters } }) => {
      const { entries, total } = await listLedger(c.get("ctx"), sessionOf(c), { filters, limit, offset })
      return { items: entries.map(serializeLedgerEntry), total, limit, offset }
    },
  )
}
