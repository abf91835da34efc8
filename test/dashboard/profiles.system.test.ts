import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("Profiles of end users in the web app", () => {
  let app: WebApp
  let person: Person
  let send: ReturnType<typeof sendWith>
  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
  })
  afterAll(() => app?.stop())

  test("The page of an end user shows the profile, saves a new one, and keeps text that is refused", async () => {
    const { page, origin } = person
    await send("PUT", "/v1/end-users/customer-7/profile", { profile: { name: "Ada" } })
    await page.goto(`${origin}/end-users/customer-7`)
    const form = page.getByRole("form", { name: "Profile" })
    const facts = form.getByRole("textbox", { name: "Facts" })
    expect(JSON.parse(await facts.inputValue())).toEqual({ name: "Ada" })
    await facts.fill("{")
    expect(await form.getByRole("button", { name: "Save the profile" }).isDisabled()).toBe(true)
    await facts.fill('{"time_zone": "Mars/Olympus"}')
    await form.getByRole("button", { name: "Save the profile" }).click()
    await form.getByText("must be a time zone of the IANA database").first().waitFor()
    await facts.fill('{"name": "Bob", "orders": 3}')
    await form.getByRole("button", { name: "Save the profile" }).click()
    await page.getByText("The profile is saved.").waitFor()
    expect(await send("GET", "/v1/end-users/customer-7/profile")).toMatchObject({ profile: { name: "Bob", orders: 3 } })
    expect(await axeOf(page)).toEqual([])
  })
})
