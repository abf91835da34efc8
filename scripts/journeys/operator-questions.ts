import type { Page } from "playwright-core"
import type { Asking, JourneyQuestion } from "./asking.ts"
import { BUSY } from "./busy-account.ts"

const table = (page: Page, name: string | RegExp) => page.getByRole("table", { name })
const dialog = (page: Page) => page.getByRole("dialog").or(page.getByRole("alertdialog"))

const NOTE = "Ticket 4711"

/** Opens the page of the busy account by the palette. */
async function openAccount({ page, click, fill }: Asking): Promise<void> {
  await page.keyboard.press("Control+k")
  await fill(page.getByRole("combobox"), BUSY.owner)
  await click(page.getByRole("option").filter({ hasText: BUSY.owner }).first())
  await page.getByRole("heading", { level: 1, name: BUSY.owner }).waitFor()
}

/** The questions and acts of an operator at night. */
export const OPERATORS_QUESTIONS: JourneyQuestion[] = [
  {
    question: "Is the service healthy?",
    async find({ page }) {
      const verdict = page.getByRole("region", { name: "Service level" })
      await verdict.waitFor()
      return verdict.innerText()
    },
  },
  {
    question: "A provider banned this account: take it out.",
    async find({ page, open, click }) {
      await open("Provider pools", "Models")
      await click(page.getByRole("button", { name: /^Actions for the account / }).first())
      await click(page.getByRole("menuitem", { name: "Disable" }))
      await dialog(page).getByRole("button", { name: "Disable" }).waitFor()
      return dialog(page).innerText()
    },
  },
  {
    question: "A customer says that turns hang: which, and since when?",
    async find({ page, open, filter }) {
      await open("All turns", "Agents")
      await filter("State", "running")
      const row = table(page, /turns/i).getByRole("row").filter({ hasText: "waiting" }).first()
      await row.waitFor()
      return row.innerText()
    },
  },
  {
    question: "Who spends unusually much?",
    async find({ page, open }) {
      await open("Top users", "Usage reports")
      const first = page.getByRole("table").getByRole("row").nth(1)
      await first.waitFor()
      return first.innerText()
    },
  },
  {
    question: "Change a model's price from Monday on.",
    async find({ page, open, click, select }) {
      await open("Catalog", "Models")
      await click(page.getByRole("button", { name: /^Actions for / }).first())
      await click(page.getByRole("menuitem", { name: "Change prices" }))
      await select(dialog(page).getByLabel("Begin"), "later")
      await dialog(page).getByLabel("From (UTC)").waitFor()
      return dialog(page).innerText()
    },
  },
  {
    question: "Block this account.",
    async find(asking) {
      await openAccount(asking)
      const { page, click } = asking
      await click(page.getByRole("button", { name: "Block" }))
      await dialog(page).getByLabel("Reason").waitFor()
      return dialog(page).innerText()
    },
  },
  {
    question: "Book credit, with a reason.",
    async find(asking) {
      await openAccount(asking)
      const { page, click, fill, select } = asking
      await click(page.getByRole("button", { name: "Book credit" }))
      await select(dialog(page).getByLabel("Reason"), { label: "Operator top-up" })
      await fill(dialog(page).getByLabel("Amount (USD)"), "12.5")
      await fill(dialog(page).getByLabel("Note"), NOTE)
      await click(dialog(page).getByRole("button", { name: "Add credit" }))
      await dialog(page).waitFor({ state: "detached" })
      return "booked"
    },
  },
  {
    question: "Has a colleague booked credit, and why?",
    async find({ page, open, filter }) {
      await open("Audit", "Service")
      await filter("Action", "user.credit")
      const row = page.getByRole("table").getByRole("row", { name: NOTE }).first()
      await row.waitFor()
      return row.innerText()
    },
  },
  {
    question: "Why is the balance of this account what it is?",
    async find(asking) {
      await openAccount(asking)
      const { page, click } = asking
      await click(page.getByRole("tab", { name: "Energy and ledger" }))
      const row = table(page, "The account's ledger").getByRole("row").nth(1)
      await row.waitFor()
      return row.innerText()
    },
  },
]
