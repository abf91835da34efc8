import { afterAll, beforeAll, expect, test } from "vitest"
import dashboard from "../../functions/dashboard.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const read = (path: string) => world.invoke(new Request(`https://api.test${path}`))

/** The fields of a security.txt by their names. */
const fieldsOf = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  )

test("Crawlers may read the documentation, and nothing that needs a key or a session", async () => {
  const answer = await read("/robots.txt")
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; ?charset=utf-8$/i)
  const text = await answer.text()
  expect(text).toMatch(/^User-agent: \*\n/)
  for (const path of ["/api/", "/v1/", "/callbacks/", "/portal/"]) expect(text).toContain(`Disallow: ${path}\n`)
})

test("The security contact never expires, and a variable changes it", async () => {
  for (const months of [0, 12, 240]) {
    await world.advance(months * 30 * 86_400_000)
    const answer = await read("/.well-known/security.txt")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; ?charset=utf-8$/i)
    const fields = fieldsOf(await answer.text())
    expect(fields).toMatchObject({
      Contact: "mailto:security@api.test",
      Canonical: "https://api.test/.well-known/security.txt",
    })
    const left = Date.parse(fields.Expires ?? "") - world.clock.ms()
    expect(left).toBeGreaterThan(90 * 86_400_000)
    expect(left).toBeLessThan(365 * 86_400_000)
  }
  world.rebind({ SECURITY_CONTACT: "https://acme.test/security" })
  expect(fieldsOf(await (await read("/.well-known/security.txt")).text()).Contact).toBe("https://acme.test/security")
})

test("The worker of the web app serves both files, too", async () => {
  for (const path of ["/robots.txt", "/.well-known/security.txt"]) {
    const answer = await dashboard.fetch(new Request(`https://app.test${path}`) as never, {} as never)
    expect(answer.status).toBe(200)
  }
})
