import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MANY, makeManySpaces } from "../../scripts/journeys/many-spaces.ts"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

const OLDEST = `Space ${MANY.spaces}`

describe.skipIf(!hasBrowser)("The web app with 50,000 spaces", () => {
  let app: WebApp
  let person: Person
  let oldest: string

  beforeAll(async () => {
    app = await startWebApp()
    await makeManySpaces(app.service.dataDir)
    person = await app.signIn(MANY.owner)
    const { items } = await person.api("GET", `/api/account/spaces?q=${encodeURIComponent(OLDEST)}`)
    oldest = items[0].space_id
  })
  afterAll(() => app?.stop())

  test("The playground of the oldest space shows this space, and sends the turn to it", async () => {
    const { page, origin, api } = person
    await page.goto(`${origin}/spaces/${oldest}?test=true`)
    await page.goto(`${origin}/spaces/${oldest}`)
    await page.getByRole("link", { name: "Open in playground" }).click()
    await expect.poll(() => page.getByRole("combobox", { name: "Space" }).inputValue()).toBe(OLDEST)
    await page.getByLabel("Text", { exact: true }).fill("Which agent are you?")
    await page.getByRole("button", { name: "Estimate" }).click()
    await page.getByText("The turn would be rejected").waitFor()
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/chat/turns"))
    await page.getByRole("button", { name: "Send", exact: true }).click()
    expect((await sent).postDataJSON()).toMatchObject({ space: oldest })
    expect((await api("GET", "/api/account/chat/turns")).total).toBe(0)
  })

  test("A space that does not exist is said to be unknown, and no other agent takes its place", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/playground?space=spc_01m5r5ps00wjxxxxxxxxxxxxxx`)
    await page.getByText('There is no space "spc_01m5r5ps00wjxxxxxxxxxxxxxx"').waitFor()
    expect(await page.getByLabel("Text", { exact: true }).count()).toBe(0)
    await page.getByRole("combobox", { name: "Space" }).fill(OLDEST)
    await page.getByRole("option", { name: OLDEST }).click()
    await page.getByLabel("Text", { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get("space")).toBe(oldest)
  })

  test("Every list of spaces finds the oldest one by a part of its title", async () => {
    const { page, origin, api } = person
    await page.goto(`${origin}/keys`)
    await page.getByRole("button", { name: "Create a key" }).first().click()
    await page.getByLabel("Name", { exact: true }).fill("Only the oldest space")
    await page.getByLabel("Space: one space").click()
    await page.getByRole("combobox", { name: "Space" }).fill("50000")
    await page.getByRole("option", { name: OLDEST }).click()
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByRole("button", { name: "I have saved it" }).click()
    const { items } = await api("GET", "/api/account/keys")
    expect(items[0]).toMatchObject({ scope: "space", space: oldest })
    await page.goto(`${origin}/turns?space=${oldest}`)
    await page.getByRole("search").getByText(`Space: ${OLDEST}`).waitFor()
  })

  test("The list of turns names the space of each turn by its title, however many newer spaces there are", async () => {
    const { page, origin, api } = await app.signIn()
    const { value } = await api("POST", "/api/account/keys", { name: "Sender", scope: "all", test: true })
    const made = await fetch(`${origin}/v1/spaces`, {
      method: "POST",
      headers: { authorization: `Bearer ${value}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "The agent of the turn" }),
    })
    const { space_id } = (await made.json()) as { space_id: string }
    const turn = { space: space_id, end_user_ref: "ada", text: "Hello" }
    const headers = { authorization: `Bearer ${value}`, "content-type": "application/json", "idempotency-key": "one" }
    const sent = await fetch(`${origin}/v1/turns`, { method: "POST", headers, body: JSON.stringify(turn) })
    expect(sent.status).toBe(202)
    // 200 newer spaces, so that this one is on no first page.
    for (let n = 0; n < 200; n += 20) {
      const titles = Array.from({ length: 20 }, (_, m) => ({ title: `Newer ${n + m}` }))
      await Promise.all(titles.map((data) => api("POST", "/api/account/spaces?test=true", data)))
    }
    await page.goto(`${origin}/turns?test=true`)
    await page.getByRole("cell", { name: "The agent of the turn" }).waitFor()
    await page.goto(`${origin}/usage?test=true&group_by=space`)
    await page.getByRole("cell", { name: "The agent of the turn", exact: true }).waitFor()
  })
})
