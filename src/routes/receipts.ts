import * as z from "zod"
import { ledgerExportSchema, putExport, putLedgerExportSchema } from "../billing/export-ledger.ts"
import type { App } from "../http/app.ts"
import { idParam, pageOf, pageQuery } from "../http/query.ts"
import { GET_RECEIPT_ERRORS, getReceipt, turnReceiptSchema } from "../receipts/get-receipt.ts"
import { GET_STATEMENT_ERRORS, getStatement, monthParam, monthStatementSchema } from "../receipts/get-statement.ts"
import {
  listedStatementSchema,
  listStatementDocuments,
  listStatements,
  statementDocumentSchema,
} from "../receipts/list-statements.ts"
import { RECEIPT_POLICY } from "../receipts/policies.ts"
import { listSigningKeys } from "../signing/signing-keys.ts"
import { bareQuery, type Mounting, wholeListAt } from "./mounting.ts"

const tag = "Usage"
const JWKS_PATH = "/.well-known/jwks.json"

/**
 * The public keys that receipts, statements and the identity of tools' calls are verified with. Every client may read
 * and keep them.
 */
export function mountSigningKeys(app: App) {
  app.get(JWKS_PATH, async (c) => {
    c.set("cacheControl", `public, max-age=${RECEIPT_POLICY.keysSeconds}`)
    const body = JSON.stringify({ keys: await listSigningKeys(c.get("ctx")) })
    return c.body(body, 200, { "content-type": "application/jwk-set+json", "access-control-allow-origin": "*" })
  })
}

/** Receipts, statements and the export of the ledger. Mounted for keys and for a signed-in owner. */
export function mountReceipts(app: App, mounting: Mounting) {
  const { prefix } = mounting
  app.operation(
    {
      method: "get",
      path: `${prefix}/turns/{turn_id}/receipt`,
      id: "getTurnReceipt",
      tag: "Turns",
      summary: "Read a turn's receipt",
      description:
        "The charge of an ended turn, as a signed document from which every amount can be computed again. It has no texts, never " +
        "changes, and stays readable after the erasure of the end user. A refund is a document of its own that names the receipt. See " +
        "[Receipts and statements](/docs/receipts).",
      params: z.object({ turn_id: idParam }),
      query: bareQuery(mounting),
      answer: { status: 200, description: "The receipt, and the refund if there is one.", schema: turnReceiptSchema },
      errors: GET_RECEIPT_ERRORS,
    },
    async (c, { params }) => getReceipt(c.get("ctx"), c.get("credential"), params.turn_id),
  )

  // Money has no test data, so these have no parameter for it.
  const bare = bareQuery({ ...mounting, query: {} })
  const listed = wholeListAt(mounting, listedStatementSchema)
  app.operation(
    {
      method: "get",
      path: `${prefix}/usage/statements`,
      id: "listStatements",
      tag,
      summary: "List monthly statements",
      description:
        "The months (UTC) since the first usage of the account, newest first, with the totals of final statements.",
      query: bare,
      answer: { status: 200, description: "The months.", schema: listed.schema },
      errors: ["SCOPE_DENIED"],
      keyScope: "live all",
    },
    async (c) => listed.of(await listStatements(c.get("ctx"), c.get("credential"))) as never,
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/usage/statements/{month}`,
      id: "getStatement",
      tag,
      summary: "Read a monthly statement",
      description:
        "The signed sums of a month (UTC), with a digest over its receipts. Turns count in the month in which they ended, refunds in the " +
        "month in which they were booked. The first request builds the statement. A large month takes some minutes: " +
        "`state` is `building` until then.",
      params: z.object({ month: monthParam }),
      query: bare,
      answer: { status: 200, description: "The statement.", schema: monthStatementSchema },
      errors: GET_STATEMENT_ERRORS,
      keyScope: "live all",
    },
    async (c, { params }) => getStatement(c.get("ctx"), c.get("credential"), params.month),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/usage/statements/{month}/documents`,
      id: "listStatementDocuments",
      tag,
      summary: "List the documents of a month",
      description:
        "All signed receipts of a month (UTC) in the order of the statement's digests, and then its refunds. A month that is not over has " +
        "the documents so far.",
      params: z.object({ month: monthParam }),
      query: z.strictObject(pageQuery),
      answer: { status: 200, description: "A page of documents.", schema: pageOf(statementDocumentSchema) },
      errors: ["SCOPE_DENIED"],
      keyScope: "live all",
    },
    async (c, { params, query: { limit, cursor } }) =>
      listStatementDocuments(c.get("ctx"), c.get("credential"), { month: params.month, limit, cursor }),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/usage/export`,
      id: "getUsageExport",
      tagged: { of: ({ enabled }: { enabled: boolean }) => enabled },
      tag,
      summary: "Read the state of the usage export",
      query: bare,
      answer: { status: 200, description: "The export.", schema: ledgerExportSchema },
      errors: ["SCOPE_DENIED"],
      keyScope: "live all",
    },
    async (c) => putExport(c.get("ctx"), c.get("credential"), null),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/usage/export`,
      id: "putUsageExport",
      tagged: { of: ({ enabled }: { enabled: boolean }) => enabled },
      tag,
      summary: "Start or stop the usage export",
      description:
        "While it runs, every charge and refund becomes an event `usage.posted`, and every hour with rows an event `hour.closed`. A webhook " +
        "that names one of these types starts it too. See [Metering and billing](/docs/metering).",
      idempotent: "naturally",
      query: bare,
      body: putLedgerExportSchema,
      answer: { status: 200, description: "The export.", schema: ledgerExportSchema },
      errors: ["SCOPE_DENIED"],
      keyScope: "live all",
    },
    async (c, { body }) => putExport(c.get("ctx"), c.get("credential"), body.enabled),
  )
}
