import { expect, test } from "vitest"
import { COMMAND_ACCESS, openTerminal } from "../harness/terminal.ts"

test("The command line lists the newest entries of a customer's ledger with their note or turn", async () => {
  const of = { created_at: "2026-10-01T08:00:00.000Z", end_user_ref: "customer 42" }
  const data = [
    {
      ...of,
      entry_id: 2,
      reason: "usage",
      amount_usd: -0.0123,
      balance_after_usd: 4.9877,
      note: null,
      turn_id: "turn_1",
    },
    { ...of, entry_id: 1, reason: "credit", amount_usd: 5, balance_after_usd: 5, note: "Order 1042", turn_id: null },
  ]
  const asked: string[] = []
  const fetch = async (url: string) => {
    asked.push(new URL(url).pathname)
    return Response.json({ data, has_more: false, next_cursor: null })
  }
  const { run } = await openTerminal({ env: COMMAND_ACCESS, fetch })
  const { code, out } = await run("customers", "ledger", "customer 42")
  expect([code, asked]).toEqual([0, ["/v1/end-users/customer%2042/ledger"]])
  for (const text of ["turn_1", "Order 1042", "-$0.0123"]) expect(out).toContain(text)
  expect(JSON.parse((await run("customers", "ledger", "customer 42", "--limit", "1", "--json")).out)).toEqual([data[0]])
  expect((await run("customers", "ledger", "customer 42", "--limit", "0")).err).toContain("whole number above 0")
})
