import type { Page } from "playwright-core"
import type { Journey } from "./journey.ts"

export const wallet: Journey = {
  name: "credit for an end user",
  async go({ keyboard, stamp }) {
    const ref = `payer-${stamp}`
    await keyboard.go("end users", "End users")
    await keyboard.enter("button", "Set caps")
    await keyboard.has("textbox", "End user")
    await keyboard.type(ref)
    await keyboard.fill("Monthly cap (USD)", "20")
    await keyboard.press("Enter")
    await keyboard.sees("heading", ref)
    await keyboard.enter("button", "Add credit")
    await keyboard.has("textbox", "Amount (USD)")
    await keyboard.type("5")
    await keyboard.fill("Note", `Order ${stamp}`)
    await keyboard.press("Enter")
    await keyboard.reads(`The credit of ${ref} is changed.`)
    await keyboard.sees("cell", new RegExp(`Order ${stamp}`))
  },
}

export const invitation: Journey = {
  name: "a person invited",
  async go({ keyboard, stamp }) {
    const email = `colleague-${stamp}@turnpike.test`
    await keyboard.go("people", "People")
    await keyboard.enter("button", "Invite a person")
    await keyboard.has("textbox", "Email")
    await keyboard.type(email)
    await keyboard.select("Role", "Read only")
    await keyboard.enter("button", "Invite")
    await keyboard.sees("alertdialog", `Invitation for ${email}`)
    const link = await keyboard.copy("Copy the secret")
    if (!link.includes("/invitation#")) throw new Error(`The copied text is no link of an invitation: ${link}`)
    await keyboard.enter("button", "I have saved it")
    await keyboard.sees("cell", email)
  },
}

const MONTH = "2026-01"
const DIGEST = "0".repeat(64)
const NOTHING = { count: 0, amount_usd: "0.0000000" }
const DOCUMENT = {
  document: "statement",
  version: 1,
  month: MONTH,
  from: "2026-01-01T00:00:00.000Z",
  to: "2026-02-01T00:00:00.000Z",
  currency: "USD",
  receipts: { ...NOTHING, digest: DIGEST },
  days: [],
  refunds: { ...NOTHING, digest: DIGEST },
  other_charges: NOTHING,
  total_usd: "0.0000000",
}

/** No month of a new service is over, so the page gets the statement of an earlier one. */
async function answerMonth(page: Page): Promise<void> {
  const listed = { month: MONTH, state: "final", receipts: 0, total_usd: "0.0000000" }
  const signed = { month: MONTH, state: "final", receipts_read: 0, statement: { document: DOCUMENT, digest: DIGEST } }
  await page.route("**/api/account/usage/statements", (route) => route.fulfill({ json: { items: [listed] } }))
  await page.route(`**/api/account/usage/statements/${MONTH}`, (route) => route.fulfill({ json: signed }))
}

export const statement: Journey = {
  name: "a statement read and printed",
  async go({ keyboard }) {
    const { page } = keyboard
    await answerMonth(page)
    await keyboard.go("statements", "Statements")
    await keyboard.enter("link", MONTH)
    await keyboard.sees("heading", "Statement for January 2026")
    await keyboard.sees("heading", "By model")
    await page.evaluate("window.print = () => { window.isPrinted = true }")
    await keyboard.enter("button", "Print")
    if (!(await page.evaluate("window.isPrinted"))) throw new Error("The button does not print")
  },
}
