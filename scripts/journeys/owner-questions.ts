import type { Page } from "playwright-core"
import type { Asking, JourneyQuestion } from "./asking.ts"
import { FAILING } from "./busy-account.ts"

const table = (page: Page, name: string) => page.getByRole("table", { name })
const dialog = (page: Page) => page.getByRole("dialog").or(page.getByRole("alertdialog"))

/** Opens the page of the customer with the largest spend, by the list that begins with it. */
async function openDearest({ page, open, click }: Asking, dearest: string): Promise<void> {
  await open("End users")
  await click(table(page, "End users with their spend").getByRole("link", { name: dearest, exact: true }))
  await page.getByRole("heading", { level: 1, name: dearest }).waitFor()
}

async function openFailed({ page, open, click, filter }: Asking): Promise<void> {
  await open("Turns")
  await filter("State", "failed")
  await click(
    table(page, "Turns")
      .getByRole("row", { name: /failed/ })
      .first()
      .getByRole("link")
      .first(),
  )
  await page.getByRole("region", { name: "Timeline" }).waitFor()
}

const textOfStat = async (page: Page, label: string) =>
  (await page.getByText(label, { exact: true }).first().locator("..").innerText()).replace(/\s+/g, " ")

/** The questions and acts of an owner in a week. */
export const OWNERS_QUESTIONS: JourneyQuestion[] = [
  {
    question: "Which customer cost most last week?",
    async find({ page, open, click, select }, { dearest }) {
      await open("Usage")
      await select(page.getByLabel("Group by"), { label: "By end user" })
      await click(page.getByRole("button", { name: /^Period/ }))
      await click(page.getByRole("button", { name: "Last 7 days", exact: true }))
      const first = table(page, "Usage").getByRole("row").nth(1)
      await first.getByText(dearest).waitFor()
      return first.innerText()
    },
  },
  {
    question: "Why did this customer cost most?",
    async find(asking, { dearest }) {
      await openDearest(asking, dearest)
      const why = asking.page.getByRole("region", { name: "Why" })
      await asking.select(why.getByLabel("Explain by"), "space")
      await why.getByRole("table").getByRole("row").nth(1).waitFor()
      await asking.page.getByRole("region", { name: "Dearest turns" }).getByRole("row").nth(1).waitFor()
      return why.getByRole("table").getByRole("row").nth(1).innerText()
    },
  },
  {
    question: "Why did this turn fail?",
    async find(asking) {
      await openFailed(asking)
      return asking.page.getByRole("region", { name: "Output" }).innerText()
    },
  },
  {
    question: "Who changed this key?",
    async find({ page, open, click }, { key }) {
      await open("API keys")
      await click(page.getByRole("link", { name: key, exact: true }))
      await click(page.getByRole("link", { name: "Who changed this key" }))
      const row = table(page, "Changes of the account").getByRole("row").nth(1)
      await row.waitFor()
      return row.innerText()
    },
  },
  {
    question: "How much will next month cost?",
    async find({ page, open }) {
      await open("Balance")
      await page.getByRole("region", { name: "Forecast" }).getByText("Expected next month").waitFor()
      return textOfStat(page, "Expected next month")
    },
  },
  {
    question: "Which customers are near their cap?",
    async find({ page, open, click }, { capped }) {
      await open("End users")
      await click(table(page, "End users with their spend").getByRole("button", { name: "Cap use" }))
      const row = table(page, "End users with their spend").getByRole("row", { name: capped })
      await row.waitFor()
      return row.innerText()
    },
  },
  {
    question: "Get this turn refunded.",
    async find({ page, click, fill }, { turn }) {
      await page.keyboard.press("Control+k")
      await fill(page.getByRole("combobox"), turn)
      await click(page.getByRole("option").filter({ hasText: turn }).first())
      await click(page.getByRole("button", { name: "Ask for a refund" }))
      await fill(dialog(page).getByLabel("Reason"), "The reply was wrong.")
      await click(dialog(page).getByRole("button", { name: "Ask for a refund" }))
      await page.getByText("The operator has your request.").waitFor()
      return "The operator has the request."
    },
  },
  {
    question: "Raise the limit of three turns that wait for it.",
    async find({ page, open, click, filter }) {
      await open("Waiting turns")
      await filter("Waits for", "limit")
      const rows = table(page, "Waiting turns").getByRole("row", { name: /turn's own limit/ })
      for (let at = 0; at < 3; at++) await click(rows.nth(at).getByRole("checkbox"))
      await click(page.getByRole("button", { name: "Raise chosen" }))
      await click(dialog(page).getByRole("button", { name: "Raise", exact: true }))
      const outcomes = page.getByRole("list", { name: "Outcomes" }).getByRole("listitem")
      await outcomes.nth(2).waitFor()
      return (await outcomes.allInnerTexts()).join("; ")
    },
  },
  {
    question: "Raise a customer's cap, so that its turn continues.",
    async find({ page, open, click, fill }, { capped }) {
      await open("Waiting turns")
      await click(table(page, "Waiting turns").getByRole("row", { name: capped }).getByRole("button"))
      await click(page.getByRole("link", { name: `Limits of ${capped}` }))
      await fill(page.getByLabel("Daily cap (USD)"), "5")
      await click(page.getByRole("form", { name: "Caps" }).getByRole("button", { name: "Save the caps" }))
      await page
        .getByRole("row", { name: /daily cap of the end user/i })
        .getByText("$5.00")
        .waitFor()
      return page.getByRole("row", { name: /daily cap of the end user/i }).innerText()
    },
  },
  {
    question: "Approve this call of a tool.",
    async find({ page, open, click }) {
      await open("Waiting turns")
      await click(
        table(page, "Waiting turns")
          .getByRole("row", { name: /a decision/ })
          .getByRole("button")
          .first(),
      )
      await click(page.getByRole("button", { name: "Allow", exact: true }))
      await page.getByText(/is allowed\./).waitFor()
      return "allowed"
    },
  },
  {
    question: "Set a price and see what the customer sees.",
    async find(asking, { dearest }) {
      const { page, open, click, fill } = asking
      await open("Prices")
      await click(page.getByRole("button", { name: "Set a price" }))
      await fill(dialog(page).getByLabel("Name", { exact: true }), "double")
      await fill(dialog(page).getByLabel("Multiplier", { exact: true }), "2")
      await click(dialog(page).getByRole("button", { name: "Save the price" }))
      await page.getByRole("cell", { name: "double" }).first().waitFor()
      await openDearest(asking, dearest)
      await click(page.getByRole("link", { name: "Portal" }))
      const frame = page.frameLocator("iframe")
      await frame.getByRole("heading").first().waitFor()
      return frame.getByRole("heading").first().innerText()
    },
  },
  {
    question: "Export a month for the accountant.",
    async find({ page, open, click }) {
      await open("Statements")
      await click(table(page, "Months, newest first").getByRole("link").first())
      await page.getByRole("button", { name: "Save as PDF" }).waitFor()
      await page.getByRole("region", { name: "By end user" }).getByText("CSV").waitFor()
      return page.getByRole("heading", { level: 1 }).innerText()
    },
  },
  {
    question: "Invite a colleague who may only read.",
    async find({ page, open, click, fill, select }) {
      await open("People")
      await click(page.getByRole("button", { name: "Invite a person" }))
      await fill(dialog(page).getByLabel("Email"), "colleague@turnpike.test")
      await select(dialog(page).getByRole("combobox", { name: "Role" }), "read_only")
      await click(dialog(page).getByRole("button", { name: "Invite", exact: true }))
      const link = await page.getByRole("region", { name: "The secret" }).innerText()
      await click(page.getByRole("button", { name: "I have saved it" }))
      return link
    },
  },
  {
    question: "Rotate a key without downtime.",
    async find({ page, open, click }, { key }) {
      await open("API keys")
      await click(page.getByRole("button", { name: `Actions of the key ${key}` }))
      await click(page.getByRole("menuitem", { name: "Rotate" }))
      await dialog(page).getByLabel("Old value expires").waitFor()
      await click(dialog(page).getByRole("button", { name: /^Rotate/ }))
      await click(page.getByRole("button", { name: "I have saved it" }))
      return page.getByRole("row", { name: key }).innerText()
    },
  },
  {
    question: "Revoke a key.",
    async find({ page, open, click }, { key }) {
      await open("API keys")
      await click(page.getByRole("button", { name: `Actions of the key ${key}` }))
      await click(page.getByRole("menuitem", { name: "Revoke" }))
      await dialog(page).getByRole("textbox").waitFor()
      return dialog(page).innerText()
    },
  },
  {
    question: "Find a turn by the id of its request.",
    async find({ page, click, fill }, { request }) {
      await page.keyboard.press("Control+k")
      await fill(page.getByRole("combobox"), request)
      await click(
        page
          .getByRole("option")
          .filter({ hasText: /^turn_/ })
          .first(),
      )
      await page.getByRole("region", { name: "Timeline" }).waitFor()
      return new URL(page.url()).pathname
    },
  },
  {
    question: "Which webhook fails, and since when?",
    async find({ page }) {
      const row = page.getByRole("region", { name: "Needs you" }).getByRole("listitem").filter({ hasText: FAILING })
      await row.waitFor()
      return row.innerText()
    },
  },
  {
    question: "Export the failed turns.",
    async find({ page, open, click, filter }) {
      await open("Turns")
      await filter("State", "failed")
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        click(
          page
            .getByRole("link", { name: "CSV" })
            .or(page.getByRole("button", { name: "CSV" }))
            .first(),
        ),
      ])
      return file.suggestedFilename()
    },
  },
  {
    question: "How many turns succeed, and how fast is the slowest twentieth?",
    async find({ page, open }) {
      await open("Turns")
      await page.getByText("Latency, 95%", { exact: true }).waitFor()
      return `${await textOfStat(page, "Success")}, ${await textOfStat(page, "Latency, 95%")}`
    },
  },
  {
    question: "Which model costs most?",
    async find({ page, open, select }) {
      await open("Usage")
      await select(page.getByLabel("Group by"), { label: "By model" })
      const first = table(page, "Usage").getByRole("row").nth(1)
      await first.waitFor()
      return first.innerText()
    },
  },
  {
    question: "Erase a customer.",
    async find(asking, { dearest }) {
      const { page, click } = asking
      await openDearest(asking, dearest)
      await click(page.getByRole("button", { name: "Erase data" }))
      await dialog(page)
        .getByRole("textbox", { name: `Type ${dearest} to confirm` })
        .waitFor()
      return dialog(page).innerText()
    },
  },
]
