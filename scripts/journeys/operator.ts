import type { Journey } from "./journey.ts"
import type { Keyboard } from "./keyboard.ts"

const newcomer = (stamp: string) => `Newcomer ${stamp}`

export const newUser: Journey = {
  name: "an admin's new user",
  as: "Admin",
  async go({ keyboard, stamp }) {
    await keyboard.go("users", "Users")
    await keyboard.enter("button", "Create a user")
    await keyboard.has("textbox", "Email")
    await keyboard.type(`newcomer-${stamp}@turnpike.test`)
    await keyboard.fill("Name", newcomer(stamp))
    await keyboard.press("Enter")
    await keyboard.sees("heading", newcomer(stamp))
    await keyboard.pick("tab", "History")
    await keyboard.sees("cell", "Account created")
  },
}

export const credit: Journey = {
  name: "credit for a user",
  as: "Admin",
  async go({ keyboard, stamp }) {
    await keyboard.go("users", "Users")
    await keyboard.fill("Name, email or id", newcomer(stamp), "searchbox")
    await keyboard.press("Enter")
    await keyboard.enter("link", newcomer(stamp))
    await keyboard.sees("heading", newcomer(stamp))
    await keyboard.enter("button", "Book credit")
    await keyboard.select("Reason", "Operator top-up")
    await keyboard.fill("Amount (USD)", "12.5")
    await keyboard.fill("Note", "To begin with")
    await keyboard.enter("button", "Add credit")
    await keyboard.pick("tab", "Energy and ledger")
    await keyboard.sees("cell", /To begin with/)
  },
}

/** Comes last, because it ends what the newcomer can do. */
export const blocked: Journey = {
  name: "a user blocked",
  as: "Admin",
  async go({ keyboard, stamp }) {
    await keyboard.go("users", "Users")
    await keyboard.fill("Name, email or id", newcomer(stamp), "searchbox")
    await keyboard.press("Enter")
    await keyboard.enter("link", newcomer(stamp))
    await keyboard.enter("button", "Block")
    await keyboard.sees("alertdialog", `Block ${newcomer(stamp)}?`)
    await keyboard.fill("Reason", "Abuse of the service")
    await keyboard.press("Enter")
    await keyboard.reads(`${newcomer(stamp)} is blocked.`)
    await keyboard.sees("button", "Enable")
  },
}

export const catalog: Journey = {
  name: "the catalog in another order",
  as: "Admin",
  async go({ keyboard }) {
    await keyboard.go("catalog", "Catalog")
    const move = async (from: number, key: string, to: number) => {
      await keyboard.to("button", new RegExp(`^Move .*, place ${from} of `))
      await keyboard.press(key)
      await keyboard.has("button", new RegExp(`^Move .*, place ${to} of `))
      await keyboard.reads(/^The new order is not saved yet/)
      await keyboard.enter("button", "Save order", { back: true })
      await keyboard.reads("The order was saved.")
    }
    await move(1, "ArrowDown", 2)
    await move(2, "ArrowUp", 1)
  },
}

/** The analytics pages by the sections of the navigation. */
const REPORTS = {
  "Usage reports": ["Usage", "Top users", "Hours"],
  "Cost reports": ["Costs"],
  "Quality reports": ["Errors"],
}

export const dashboards: Journey = {
  name: "the dashboards",
  as: "Admin",
  async go({ keyboard }) {
    for (const [section, reports] of Object.entries(REPORTS)) {
      await keyboard.enter("button", section)
      for (const report of reports) await follow(keyboard, report)
    }
    await keyboard.go("usage", "Usage")
    await keyboard.enter("button", /^Period/)
    await keyboard.enter("button", "Last 7 days")
    await keyboard.enter("button", "Show as table")
    await keyboard.has("button", "Show as chart")
    await keyboard.sees("table", /./)
  },
}

/** Opens a page by its link in the navigation. */
async function follow(keyboard: Keyboard, title: string): Promise<void> {
  await keyboard.enter("link", title)
  await keyboard.sees("heading", title)
}

const ENTRY = /^Show entry \d+, Credit booked$/

export const audit: Journey = {
  name: "the audit log",
  as: "Admin",
  async go({ keyboard }) {
    await keyboard.go("audit", "Audit")
    await keyboard.enter("button", "Filter")
    await keyboard.select("Action", "Credit booked")
    await keyboard.press("Escape")
    await keyboard.enter("button", ENTRY)
    await keyboard.sees("dialog", /^Credit booked/)
    await keyboard.press("Escape")
    await keyboard.has("button", ENTRY)
    await keyboard.to("link", "CSV", { back: true })
  },
}
