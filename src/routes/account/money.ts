import * as z from "zod"
import { ENERGY_RATE } from "../../base/money.ts"
import { BUCKET_NAMES, LEDGER_REASONS } from "../../billing/buckets.ts"
import { ledgerEntrySchema, type ShownLedgerEntry, serializeLedgerEntry } from "../../billing/ledger-entry.ts"
import { listLedger } from "../../billing/list-ledger.ts"
import { attentionSchema } from "../../home/attention.ts"
import { getAttention } from "../../home/get-attention.ts"
import { getSetup, setupSchema } from "../../home/get-setup.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvOf, csvQuery } from "../../http/csv.ts"
import { createdQuery, daysQuery, idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { forecastSchema, getForecast } from "../../spending/get-forecast.ts"
import { energySchema, getOwnEnergy } from "../../users/get-energy.ts"
import { getMe, meSchema } from "../../users/get-me.ts"
import { balanceSchema, getBalance } from "../../wallets/get-balance.ts"

const tag = "Account"

const ENERGY_COLUMNS: CsvColumns<z.infer<typeof energySchema>["days"][number]> = {
  date: ({ date }) => date,
  spent: ({ spent }) => spent,
  free: ({ free }) => free,
  bonus: ({ bonus }) => bonus,
  paid: ({ paid }) => paid,
  refunded: ({ refunded }) => refunded,
}

const LEDGER_COLUMNS: CsvColumns<ShownLedgerEntry> = {
  ledger_id: ({ ledger_id }) => ledger_id,
  created_at: ({ created_at }) => created_at,
  reason: ({ reason }) => reason,
  bucket: ({ bucket }) => bucket,
  amount_usd: ({ amount_usd }) => amount_usd,
  amount_credit_micros: ({ amount_credit_micros }) => amount_credit_micros,
  balance_after_usd: ({ balance_after_usd }) => balance_after_usd,
  currency: ({ currency }) => currency,
  currency_amount_minor: ({ currency_amount_minor }) => currency_amount_minor,
  turn_id: ({ turn_id }) => turn_id,
  actor: ({ actor }) => actor,
  note: ({ note }) => note,
}

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
      path: "/api/account/attention",
      id: "getAttention",
      tag,
      summary: "Read what needs the owner now",
      description:
        "Waiting turns, caps that are reached, webhooks and MCP servers that fail, a low balance and more, the most urgent " +
        "first. If nothing needs the owner, `fine_since` says since when. With `test`, all of it for test data.",
      query: z.strictObject(testQuery),
      answer: { status: 200, description: "The objects that need the owner.", schema: attentionSchema },
      errors: [],
    },
    async (c) => getAttention(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/balance",
      id: "getBalance",
      tag,
      summary: "Read the balance",
      answer: { status: 200, description: "The balance of the account.", schema: balanceSchema },
      errors: ["SCOPE_DENIED"],
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
      query: z.strictObject({ ...daysQuery(365), ...csvQuery }),
      answer: { status: 200, description: "The account's energy.", schema: energySchema, also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { days, format } }) => {
      const energy = await getOwnEnergy(c.get("ctx"), sessionOf(c), { days })
      return format === "csv" ? csvOf(c, "energy", ENERGY_COLUMNS, energy.days) : energy
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/forecast",
      id: "getForecast",
      tag,
      summary: "Forecast the account's spend",
      description:
        "The spend that is expected for this month and the next, and how long the balance lasts, from the spend of the last weeks. `pace` " +
        "is how it is computed. It includes the web chat, and counts less refunds. Test turns cost nothing and do not count.",
      answer: { status: 200, description: "The forecast.", schema: forecastSchema },
      errors: [],
    },
    async (c) => getForecast(c.get("ctx"), sessionOf(c)),
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
        "`admin_action` with the `turn_id` of the refunded turn. It does not change that turn's `billed_cost_usd`: the " +
        "turn and the usage reports have it as `refunded_usd`.",
      query: z.strictObject({
        reason: z.enum(LEDGER_REASONS).optional(),
        bucket: z.enum(BUCKET_NAMES).optional(),
        turn: idParam.optional().meta({ description: "A `turn_id`." }),
        ...createdQuery,
        ...listQuery,
        ...csvQuery,
      }),
      answer: { status: 200, description: "A page of entries.", schema: listOf(ledgerEntrySchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, bom: _bom, ...filters } }) => {
      if (format === "csv")
        return csvAnswer(c, "ledger", LEDGER_COLUMNS, async ({ limit: most, after }) => {
          const older = { ...filters, before_id: after?.ledger_id }
          const { entries } = await listLedger(c.get("ctx"), sessionOf(c), { filters: older, limit: most, offset: 0 })
          return entries.map(serializeLedgerEntry)
        })
      const { entries, total } = await listLedger(c.get("ctx"), sessionOf(c), { filters, limit, offset })
      return { items: entries.map(serializeLedgerEntry), total, limit, offset }
    },
  )
}
