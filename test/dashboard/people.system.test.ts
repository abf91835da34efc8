import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALL_PAGES, isOperators } from "../../dashboard/src/app/all-pages.ts"
import { axeOf, overflowOf } from "../../scripts/prove-page.ts"
import { createKeyOnPage, hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const PASSWORD = "nine tall cranes"

/** The themes and widths in which a page or a dialog has no finding. */
const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [390, 1280].map((width) => ({ colorScheme, width })),
)

/** The findings of axe, and the overflow, of what the page shows now. */
async function findingsOf(page: Page, what: string): Promise<string[]> {
  const found: string[] = []
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const wrong = [...(await axeOf(page)), ...(await overflowOf(page))]
    found.push(...wrong.map((one) => `${what}, ${colorScheme}, ${width} px: ${one}`))
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

describe.skipIf(!hasBrowser)("The people of an account in the web app", () => {
  let app: WebApp
  let owner: Person
  let barbara: Person
  let email: string
  beforeAll(async () => {
    app = await startWebApp()
    ;[owner, barbara] = [await app.signIn("Demo"), await app.signIn("Barbara")]
    ;({ email } = await barbara.api("GET", "/api/auth/me"))
  })
  afterAll(() => app?.stop())

  const people = (page: Page) => page.getByRole("table", { name: "People of the account" })
  const account = (page: Page) => page.getByRole("button", { name: /^Account Demo/ }).first()
  const navigation = (page: Page) => page.getByRole("navigation", { name: "Pages" }).first()
  /** A button that says to assistive technology why it does nothing. */
  const refused = (page: Page, name: string) => page.getByRole("button", { name, disabled: true }).first()

  async function actions(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole("button", { name: `Actions of ${name}` }).click()
    await page.getByRole("menuitem", { name: action }).click()
  }

  async function changeRole(role: string): Promise<Locator> {
    await actions(owner.page, "Barbara", "Change role")
    const dialog = owner.page.getByRole("alertdialog", { name: "Change the role of Barbara" })
    await dialog.getByRole("combobox", { name: "Role" }).selectOption(role)
    await dialog.getByRole("button", { name: "Change role" }).click()
    return dialog
  }

  /** Invites on the page, and returns the link. */
  async function inviteOnPage(address: string, role: string): Promise<string> {
    const { page } = owner
    await page.getByRole("button", { name: "Invite a person" }).click()
    const dialog = page.getByRole("alertdialog", { name: "Invite a person" })
    await dialog.getByLabel("Email").fill(address)
    await dialog.getByRole("combobox", { name: "Role" }).selectOption(role)
    expect(await findingsOf(page, "the dialog of an invitation")).toEqual([])
    await dialog.getByRole("button", { name: "Invite", exact: true }).click()
    const link = await page.getByRole("region", { name: "The secret" }).innerText()
    await page.getByRole("button", { name: "I have saved it" }).click()
    await page.getByRole("table", { name: "Open invitations" }).getByText(address).waitFor()
    return link.trim()
  }

  test("An owner invites, the other person accepts, and the pages show what the role may", async () => {
    await owner.page.goto(`${owner.origin}/people`)
    const link = await inviteOnPage(email, "read_only")
    expect(await findingsOf(owner.page, "people")).toEqual([])

    const { page } = barbara
    await page.goto(link)
    await page.getByRole("button", { name: "Accept as Barbara" }).waitFor()
    expect(await findingsOf(page, "the invitation")).toEqual([])
    await page.getByRole("button", { name: "Accept as Barbara" }).click()
    await account(page).getByText("Your role: read only").waitFor()
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor()
    expect(await navigation(page).getByRole("link", { name: "Playground" }).count()).toBe(0)
    await page.goto(`${barbara.origin}/playground`)
    await page.getByText("Your role, read only, does not include this.").waitFor()
    await page.goto(`${barbara.origin}/keys`)
    await refused(page, "Create a key").click({ force: true })
    await page.getByRole("tooltip").getByText("Your role, read only, does not include this.").waitFor()
    expect(await page.getByRole("alertdialog").count()).toBe(0)
    await page.goto(`${barbara.origin}/people`)
    await people(page).getByText("Barbara (you)").waitFor()
    await refused(page, "Invite a person").waitFor()
    expect(await findingsOf(page, "people, read only")).toEqual([])
  })

  test("A changed role takes effect in an open tab, and the owner decides about the keys of the member", async () => {
    const { page } = barbara
    await owner.page.goto(`${owner.origin}/people`)
    await changeRole("developer")
    await people(owner.page).getByRole("row", { name: "Barbara" }).getByText("Developer").waitFor()
    await page.goto(`${barbara.origin}/keys`)
    await account(page).getByText("Your role: developer").waitFor()
    const [rotated, kept] = [await createKeyOnPage(page, "rotated"), await createKeyOnPage(page, "kept")]

    const dialog = await changeRole("billing")
    await dialog.getByLabel("Key rotated").selectOption("rotate")
    await dialog.getByLabel("Key kept").selectOption("keep")
    expect(await findingsOf(owner.page, "the dialog of keys")).toEqual([])
    await dialog.getByRole("button", { name: "Change role" }).click()
    const saved = owner.page.getByRole("alertdialog", { name: "The key rotated has a new value" })
    expect(await saved.getByRole("region", { name: "The secret" }).innerText()).not.toBe(rotated)
    await saved.getByRole("button", { name: "I have saved it" }).click()
    await people(owner.page).getByRole("row", { name: "Barbara" }).getByText("Billing").waitFor()
    const statusOf = async (key: string) =>
      (await fetch(`${barbara.origin}/v1/spaces`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await statusOf(rotated), await statusOf(kept)]).toEqual([401, 200])

    // The tab was opened with the former role, so its button still leads to the dialog.
    await page.getByRole("button", { name: "Create a key" }).click()
    await page.getByLabel("Name").fill("too late")
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByText("ROLE_REQUIRED").waitFor()
    // The dialog hides the frame from assistive technology.
    await page.getByText("Your role: billing").first().waitFor()
    await page.goto(`${barbara.origin}/keys`)
    await refused(page, "Create a key").waitFor()
    await page.goto(`${barbara.origin}/prices`)
    await page.getByRole("button", { name: "Set a price", disabled: false }).waitFor()
  })

  test("The tab of a removed member loses its rights at its next request, and opens another account", async () => {
    const { page } = barbara
    await page.goto(`${barbara.origin}/keys`)
    await account(page).waitFor()
    const tab = await barbara.context.newPage()
    await tab.goto(`${barbara.origin}/end-users`)
    await account(tab).getByText("Your role: billing").waitFor()

    await owner.page.getByRole("button", { name: "Require a second factor" }).click()
    const rule = owner.page.getByRole("alertdialog", { name: "Require a second factor of members?" })
    await rule.getByText("until they set up theirs: Barbara.").waitFor()
    expect(await findingsOf(owner.page, "the dialog of the rule")).toEqual([])
    await rule.getByRole("button", { name: "Require it" }).click()
    await rule.getByText("You have no second factor yourself.").waitFor()
    await rule.getByRole("button", { name: "Cancel" }).click()

    await actions(owner.page, "Barbara", "Remove")
    const dialog = owner.page.getByRole("alertdialog", { name: "Remove Barbara from the account?" })
    expect(await findingsOf(owner.page, "the dialog of a removal")).toEqual([])
    await dialog.getByRole("button", { name: "Remove" }).click()
    await people(owner.page).getByRole("row", { name: "Barbara" }).waitFor({ state: "detached" })

    await navigation(page).getByRole("link", { name: "Webhooks" }).click()
    const barred = page.getByRole("dialog", { name: "You are no longer a member of this account" })
    await barred.waitFor()
    expect(await findingsOf(page, "the page of a removed member")).toEqual([])
    await barred.getByRole("button", { name: "Choose another account" }).click()
    await page.getByRole("heading", { level: 1, name: "Choose an account" }).waitFor()
    const list = page.getByRole("list", { name: "Accounts" })
    await list.waitFor()
    expect(await list.getByRole("button").allInnerTexts()).toEqual([expect.stringContaining("Barbara")])
    expect(await findingsOf(page, "the choice of accounts")).toEqual([])
    await list.getByRole("button", { name: "Barbara" }).click()
    await page
      .getByRole("button", { name: /^Account Barbara/ })
      .first()
      .waitFor()
    // A reload of the other tab leads there too.
    await tab.reload()
    await tab.getByRole("heading", { level: 1, name: "Choose an account" }).waitFor()
    await tab.close()
  })

  test("A person who is not signed in signs in with the invited email, accepts, switches accounts and leaves", async () => {
    const admin = await app.signIn("Admin")
    const invited = { name: "Linus", email: "linus@people.test", email_verified: true, password: PASSWORD }
    await admin.api("POST", "/api/admin/users", invited)
    await admin.context.close()
    const { url } = await owner.api("POST", "/api/account/invitations", { email: invited.email, role: "developer" })

    const linus = await app.signIn("Grace")
    const { page } = linus
    await page.goto(url)
    await page.getByText("You are signed in as Grace, who has another email.").waitFor()
    await linus.context.clearCookies()
    await page.reload()
    await page.getByRole("link", { name: "Sign in to accept" }).click()
    await page.getByLabel("Email").fill(invited.email)
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("button", { name: "Accept as Linus" }).click()
    await account(page).getByText("Your role: developer").waitFor()

    await account(page).click()
    const list = page.getByRole("list", { name: "Accounts" })
    await list.waitFor()
    expect(await findingsOf(page, "the switch")).toEqual([])
    await list.getByRole("button", { name: "Linus" }).click()
    const own = page.getByRole("button", { name: /^Account Linus/ }).first()
    await own.click()
    await list.getByRole("button", { name: "Demo" }).click()
    await account(page).waitFor()
    // A link that is opened in a new tab shows the same account.
    const tab = await linus.context.newPage()
    await tab.goto(`${linus.origin}/people`)
    await people(tab).getByText("Linus (you)").waitFor()
    await actions(tab, "Linus", "Leave the account")
    expect(await findingsOf(tab, "the dialog of leaving")).toEqual([])
    await tab.getByRole("button", { name: "Leave", exact: true }).click()
    await tab.getByRole("heading", { level: 1, name: "Choose an account" }).waitFor()
    await linus.context.close()
  })

  /** Every page of an account, with the ids of the owner's objects. */
  async function ownerPaths(): Promise<string[]> {
    const all: string[] = []
    for (const { path, samples = {} } of ALL_PAGES.filter((one) => !isOperators(one.path))) {
      const ids = new Map<string, string>()
      const fill = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => ids.get(name) ?? "")
      for (const [name, { list, field }] of Object.entries(samples)) {
        const { items, data } = await owner.api("GET", fill(list))
        ids.set(name, encodeURIComponent((items ?? data ?? [])[0]?.[field] ?? "none"))
      }
      const filled = fill(path)
      if (!filled.endsWith("none")) all.push(filled)
    }
    return all
  }

  /** An account with a space, a done turn of a customer, a price and a webhook. */
  async function fillAccount(): Promise<void> {
    const send = sendWith(app.service, app.service.api_key)
    const { space_id: space } = await send<{ space_id: string }>("POST", "/v1/spaces", { title: "Shop" })
    const { turn_id } = await send<{ turn_id: string }>("POST", "/v1/turns", { space, end_user_ref: "ann", text: "Hi" })
    await expect.poll(() => send("GET", `/v1/turns/${turn_id}?wait=5`)).toMatchObject({ state: "done" })
    await send("PUT", "/v1/prices/double", { multiplier: 2 })
    await send("POST", "/v1/webhooks", { url: "https://hooks.example.com/one", events: ["turn.done"] })
  }

  test("No request of any page is refused to a member, whatever the role", async () => {
    await fillAccount()
    // A change of a role needs a proof of the last minutes.
    owner = await app.signIn("Demo")
    const alan = await app.signIn("Alan")
    const { user_id, email: address } = await alan.api("GET", "/api/auth/me")
    const { url } = await owner.api("POST", "/api/account/invitations", { email: address, role: "read_only" })
    const { page } = alan
    await page.goto(url)
    await page.getByRole("button", { name: "Accept as Alan" }).click()
    await account(page).getByText("Your role: read only").waitFor()
    const paths = await ownerPaths()
    expect(paths.length).toBeGreaterThan(20)
    const refusals: string[] = []
    page.on("response", (response) => {
      if (response.status() === 403) refusals.push(`${page.url()}: ${response.url()}`)
    })
    for (const role of ["read_only", "billing", "developer"]) {
      await owner.api("PATCH", `/api/account/members/${user_id}`, { role })
      for (const path of paths) {
        await page.goto(alan.origin + path)
        await page.getByRole("heading", { level: 1 }).first().waitFor()
        await page.getByLabel("Loading").first().waitFor({ state: "detached" })
      }
    }
    expect(refusals).toEqual([])
    await alan.context.close()
  })

  test("An owner hands the account over, and has the chosen role at once", async () => {
    owner = await app.signIn("Demo")
    const { page, origin } = owner
    await page.goto(`${origin}/people`)
    await actions(page, "Demo", "Hand the account over")
    const dialog = page.getByRole("alertdialog", { name: "Hand the account over?" })
    await dialog.getByLabel("New owner").selectOption("Alan")
    await dialog.getByLabel("Your role afterwards").selectOption("billing")
    await dialog.getByLabel("Type Alan to confirm").fill("Alan")
    expect(await findingsOf(page, "the dialog of a transfer")).toEqual([])
    await dialog.getByRole("button", { name: "Hand over" }).click()
    await people(page).getByRole("row", { name: "Alan" }).getByText("Owner").waitFor()
    await account(page).getByText("Your role: billing").waitFor()
    await refused(page, "Invite a person").waitFor()
  })
})
