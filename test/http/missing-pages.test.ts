import { afterAll, beforeAll, expect, test } from "vitest"
import dashboard from "../../functions/dashboard.ts"
import { createWorld, type World } from "../harness/world.ts"

/** The header that browsers send for a page. */
const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const read = (path: string, headers: Record<string, string> = {}) =>
  world.invoke(new Request(`https://api.test${path}`, { headers }))

/** A browser's request to the worker of the web app, which has no file at any address. */
const readApp = (path: string, headers: Record<string, string>) =>
  dashboard.fetch(new Request(`https://api.test${path}`, { headers }) as Parameters<typeof dashboard.fetch>[0], {
    ASSETS: { fetch: async () => new Response("nothing", { status: 404 }) } as unknown as Fetcher,
  })

test.each([
  ["the API's worker", read],
  ["the worker of the web app", readApp],
])("In a browser, %s answers a wrong address with a page that leads on", async (_, ask) => {
  const answer = await ask("/energy", BROWSER)
  expect([answer.status, answer.headers.get("content-type")?.toLowerCase()]).toEqual([404, "text/html; charset=utf-8"])
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  const text = await answer.text()
  expect(text).toContain("There is no such page")
  for (const link of ["/", "/docs"]) expect(text).toContain(`<a href="${link}">`)
})

test("The page shows a hostile address as text", async () => {
  const text = await (await read(`/${encodeURIComponent("<img src=x onerror=alert(1)>")}`, BROWSER)).text()
  expect(text).not.toContain("<img")
})

test.each([
  ["/energy", {}, 404],
  ["/v1/nothing", BROWSER, 401],
  ["/api/nothing", BROWSER, 404],
])("Programs, and calls of the API, get an error as JSON at %s", async (path, headers, status) => {
  const answer = await read(path, headers)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/json"])
})
