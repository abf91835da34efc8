import { afterAll, beforeAll, expect, test } from "vitest"
import { npmStart, type Started } from "../harness/npm-start.ts"

let service: Started
beforeAll(async () => {
  service = await npmStart()
})
afterAll(() => service?.stop())

const get = (path: string) =>
  fetch(`${service.base_url}${path}`, { headers: { accept: "text/html,*/*" }, redirect: "manual" })

test.each([
  "/",
  "/sign-in",
  "/home?range=7d",
  "/turns/turn_01abc",
  "/end-users/ada%40example.com",
  "/end-users/a%2Fb",
  "/end-users/a.b",
  "/operator/analytics/costs",
])("The web app answers at %s", async (path) => {
  const page = await get(path)
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
  expect(await page.text()).toContain("<div id=")
})

test.each(["/healthz", "/metrics", "/x.php", "/assets/gone.js", "/turns/a/b"])(
  "The path %s does not exist",
  async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain("<div id=")
  },
)
