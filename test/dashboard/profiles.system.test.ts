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

  test("The playground suggests known end users, and the next turn has the profile that was edited next to it", async () => {
    const { page, origin } = person
    const profile = { name: "Ada" }
    await send("PUT", "/v1/end-users/customer-8/profile", { profile })
    const manifest = { instructions: "Greet {{profile.name}}.", builtin_tools: [] }
    const { space_id } = await send("POST", "/v1/spaces", { title: "Greeter", manifest })
    await page.goto(`${origin}/playground?space=${space_id}`)
    const endUser = page.getByRole("combobox", { name: "End user" })
    const form = page.getByRole("form", { name: "Profile" })
    await endUser.pressSequentially("MER-8")
    await page.getByRole("option", { name: "customer-8", exact: true }).click()
    expect(await endUser.inputValue()).toBe("customer-8")
    const facts = form.getByRole("textbox", { name: "Facts" })
    await expect.poll(async () => JSON.parse(await facts.inputValue())).toEqual(profile)
    await facts.fill('{"name": "Bob"}')
    await form.getByRole("button", { name: "Save the profile" }).click()
    await page.getByText("The profile is saved.").last().waitFor()
    await page.getByLabel("Text", { exact: true }).fill("[reply Hello.]")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText(/took \d/).waitFor()
    const { data } = await send<{ data: { end_user_ref: string; state: string }[] }>(
      "GET",
      `/v1/turns?space=${space_id}`,
    )
    expect(data).toMatchObject([{ end_user_ref: "customer-8", state: "done" }])
    expect(await axeOf(page)).toEqual([])
    // An id that is not known yet can be typed, and its profile made before the first turn.
    await endUser.fill("new-customer")
    await page.keyboard.press("Enter")
    await expect.poll(async () => JSON.parse(await facts.inputValue())).toEqual({})
    await endUser.fill("")
    await expect.poll(() => form.count()).toBe(0)
    expect(new URL(page.url()).searchParams.get("as")).toBeNull()
  })
})
