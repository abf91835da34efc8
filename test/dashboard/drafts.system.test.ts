import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

const TYPED = "Answer in one sentence. This took an hour to write."

describe.skipIf(!hasBrowser)("Unsaved input", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  /** Opens the instructions of a new space, and types. */
  async function typeInstructions({ page, origin, api }: Person) {
    const { space_id } = await api("POST", "/api/account/spaces", { title: "Agent" })
    // The answer of a save and later reads have these fields in different orders.
    await api("PUT", `/api/account/spaces/${space_id}/manifest`, { max_wait_seconds: 600, on_limit: "wait" })
    await page.goto(`${origin}/spaces/${space_id}`)
    const instructions = page.getByRole("textbox", { name: "Instructions" })
    await instructions.fill(TYPED)
    return { instructions, save: page.getByRole("button", { name: /^Save as version/ }), space_id }
  }

  test("A draft of instructions survives another tab of the space and a reload", async () => {
    const person = await app.signIn()
    const { page } = person
    const { instructions } = await typeInstructions(person)
    await page.getByRole("tab", { name: "Tools" }).click()
    await page.getByRole("tab", { name: "Instructions" }).click()
    await expect.poll(() => instructions.inputValue()).toBe(TYPED)
    await page.reload()
    await page.getByText("This is what you typed earlier.").waitFor()
    expect(await instructions.inputValue()).toBe(TYPED)
    await page.getByRole("button", { name: "Start again" }).click()
    await expect.poll(() => instructions.inputValue()).toBe("")
  })

  test("A link asks before it leaves a draft, and the draft is there after the return", async () => {
    const person = await app.signIn()
    const { page } = person
    const { instructions } = await typeInstructions(person)
    await page.getByRole("link", { name: "Turns", exact: true }).click()
    await page.getByRole("button", { name: "Stay" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await instructions.inputValue()).toBe(TYPED)
    await page.getByRole("link", { name: "Turns", exact: true }).click()
    await page.getByRole("button", { name: "Leave" }).click()
    await page.getByRole("heading", { level: 1, name: "Turns" }).waitFor()
    await page.goBack()
    await expect.poll(() => instructions.inputValue()).toBe(TYPED)
  })

  test("Text typed while a save is under way stays unsaved in the form", async () => {
    const person = await app.signIn()
    const { page, api } = person
    const { instructions, save, space_id } = await typeInstructions(person)
    const held = Promise.withResolvers<void>()
    await page.route("**/manifest", async (route) => {
      if (route.request().method() === "PUT") await held.promise
      await route.continue()
    })
    const sent = page.waitForRequest((request) => request.method() === "PUT")
    await save.click()
    await sent
    await instructions.fill(`${TYPED} And one more.`)
    held.resolve()
    await page.getByText("The instructions are saved.").waitFor()
    expect(await instructions.inputValue()).toBe(`${TYPED} And one more.`)
    const path = `/api/account/spaces/${space_id}/manifest`
    expect((await api("GET", path)).instructions).toBe(TYPED)
    await page.reload()
    await expect.poll(() => instructions.inputValue()).toBe(`${TYPED} And one more.`)
    await save.click()
    await expect.poll(async () => (await api("GET", path)).instructions).toBe(`${TYPED} And one more.`)
  })

  test("A saved draft is no longer a draft", async () => {
    const person = await app.signIn()
    const { page } = person
    const { instructions, save } = await typeInstructions(person)
    await save.click()
    await page.getByText("The instructions are saved.").waitFor()
    await page.getByRole("link", { name: "Turns", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Turns" }).waitFor()
    await page.goBack()
    await expect.poll(() => instructions.inputValue()).toBe(TYPED)
    expect(await page.getByText("This is what you typed earlier.").count()).toBe(0)
  })

  test("A draft over a version that another user has saved since asks which one to keep", async () => {
    const person = await app.signIn()
    const { page, api } = person
    const { save, space_id } = await typeInstructions(person)
    await page.reload()
    await page.getByText("This is what you typed earlier.").waitFor()
    await api("PUT", `/api/account/spaces/${space_id}/manifest`, { instructions: "Theirs" })
    await page.reload()
    await save.click()
    await page.getByRole("alertdialog", { name: "Another user has saved this in the meantime" }).waitFor()
  })

  test("After the session has ended, the user signs in over the page and saves the draft", async () => {
    const person = await app.signIn("Admin")
    const { page, context, api } = person
    const { instructions, save, space_id } = await typeInstructions(person)
    await context.clearCookies()
    await save.click()
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor()
    expect(await page.getByLabel("Email").inputValue()).toBe(app.service.admin.email)
    await page.getByLabel("Password", { exact: true }).fill(app.service.admin.password)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("You are signed in again.").waitFor()
    expect(await instructions.inputValue()).toBe(TYPED)
    await save.click()
    await page.getByText("The instructions are saved.").waitFor()
    expect((await api("GET", `/api/account/spaces/${space_id}`)).manifest.instructions).toBe(TYPED)
  })

  test.each([
    ["Escape", async ({ page }: Person) => page.keyboard.press("Escape")],
    ["a click outside it", async ({ page }: Person) => page.mouse.click(5, 5)],
    ["Cancel", async ({ page }: Person) => page.getByRole("button", { name: "Cancel" }).click()],
  ])("A dialog asks before %s throws away what was typed", async (_way, close) => {
    const person = await app.signIn()
    const { page, origin } = person
    await page.goto(`${origin}/spaces`)
    await page.getByRole("button", { name: "Create a space" }).first().click()
    const title = page.getByLabel("Title", { exact: true })
    await title.fill("Half a title")
    await close(person)
    await page.getByRole("button", { name: "Continue editing" }).click()
    await page.getByText("Discard what you typed?").waitFor({ state: "detached" })
    expect(await title.inputValue()).toBe("Half a title")
    await close(person)
    await page.getByRole("button", { name: "Discard" }).click()
    await title.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Create a space" }).first().click()
    expect(await title.inputValue()).toBe("")
  })

  test("A secret is never stored in the tab", async () => {
    const person = await app.signIn()
    const { page, origin, api } = person
    const { space_id } = await api("POST", "/api/account/spaces", { title: "Agent" })
    await page.goto(`${origin}/spaces/${space_id}?tab=secrets`)
    await page.getByRole("button", { name: "Add a secret" }).first().click()
    await page.getByLabel("Name", { exact: true }).fill("SHOP_TOKEN")
    await page.getByLabel("Value", { exact: true }).fill("hunter2-hunter2")
    const stored = await page.evaluate<string>("JSON.stringify(sessionStorage)")
    expect(stored).toContain("SHOP_TOKEN")
    expect(stored).not.toContain("hunter2")
  })

  test("Signing out asks, and then removes all drafts of the tab", async () => {
    const person = await app.signIn()
    const { page } = person
    await typeInstructions(person)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page
      .getByRole("dialog", { name: "Sign out without saving?" })
      .getByRole("button", { name: "Sign out" })
      .click()
    await page.waitForURL((url) => url.pathname === "/")
    expect(await page.evaluate<string>("JSON.stringify(sessionStorage)")).not.toContain(TYPED)
  })

  test("A page that does not load offline says so, and the typed text is still there", async () => {
    const { page, context, origin } = await app.signIn()
    await page.goto(`${origin}/playground`)
    const text = page.getByLabel("Text", { exact: true })
    await text.fill(TYPED)
    await context.setOffline(true)
    await page.getByRole("link", { name: "End users" }).click()
    await page.getByText("This part of the app could not be loaded.").waitFor()
    await page.goBack()
    await expect.poll(() => text.inputValue()).toBe(TYPED)
    await context.setOffline(false)
    await page.getByRole("link", { name: "End users" }).click()
    const heading = page.getByRole("heading", { level: 1, name: "End users" })
    const again = page.getByRole("button", { name: "Try again" })
    await heading.or(again).waitFor()
    if (await again.isVisible()) await again.click()
    await heading.waitFor()
  })
})
