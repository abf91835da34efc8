import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createWorld, type World } from "../harness/world.ts"

const DETAILS = "/api/account/billing-details"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function signIn() {
  const { userId } = await world.createAccount({ usd: 5 })
  return world.signIn(userId)
}

describe("The billing details of an account", () => {
  test("Details that were never set are empty", async () => {
    const browser = await signIn()
    const [status, details] = await browser.json("GET", DETAILS)
    expect(status).toBe(200)
    expect(details).toEqual({ company: "", address: "", tax_number: "", updated_at: null })
  })

  test("Setting them replaces all of them, and the activity has the facts before and after", async () => {
    const browser = await signIn()
    const address = "  Friedrichstraße 1 \r\n\r\n10117 Berlin\n"
    const [, set] = await browser.json("PUT", DETAILS, {
      company: " Example GmbH ",
      address,
      tax_number: "DE123456789",
    })
    const facts = { company: "Example GmbH", address: "Friedrichstraße 1\n10117 Berlin", tax_number: "DE123456789" }
    expect(set).toEqual({ ...facts, updated_at: expect.any(String) })
    expect((await browser.json("GET", DETAILS))[1]).toEqual(set)

    const [, replaced] = await browser.json("PUT", DETAILS, { company: "株式会社例" })
    expect(replaced).toMatchObject({ company: "株式会社例", address: "", tax_number: "" })

    const [, { items }] = await browser.json("GET", "/api/account/activity?action=billing_details.put")
    expect(items.map(({ before, after }: { before: object; after: object }) => [before, after])).toEqual([
      [facts, { company: "株式会社例", address: "", tax_number: "" }],
      [null, facts],
    ])
  })

  test("Setting the same details again is no activity", async () => {
    const browser = await signIn()
    for (const _ of [1, 2]) await browser.json("PUT", DETAILS, { company: "Example GmbH" })
    const [, { items }] = await browser.json("GET", "/api/account/activity?action=billing_details.put")
    expect(items).toHaveLength(1)
  })

  test.each([
    ["company", "x".repeat(201)],
    ["company", "two\nlines"],
    ["address", Array(9).fill("line").join("\n")],
    ["address", "x".repeat(501)],
    ["tax_number", "1".repeat(65)],
    ["name", "Example GmbH"],
  ])("A fault in %s is named, and nothing changes", async (field, value) => {
    const browser = await signIn()
    const [status, { detail }] = await browser.json("PUT", DETAILS, { [field]: value })
    expect([status, detail]).toEqual([422, [expect.objectContaining({ loc: ["body", field] })]])
    expect((await browser.json("GET", DETAILS))[1].updated_at).toBeNull()
  })

  test("The details of an account are its own", async () => {
    const [one, other] = [await signIn(), await signIn()]
    await one.json("PUT", DETAILS, { company: "Example GmbH" })
    expect((await other.json("GET", DETAILS))[1].company).toBe("")
  })
})
