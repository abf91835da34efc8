import { expect, test } from "vitest"
import { createWorld } from "../harness/world.ts"

test("the dashboard's API has its document and its reference page, for everybody", async () => {
  const world = await createWorld()
  const answer = await world.invoke(new Request("https://app.test/api/openapi.json"))
  const document = (await answer.json()) as { servers: unknown; paths: Record<string, object> }
  expect(document.servers).toEqual([{ url: "https://app.test" }])
  const page = await world.invoke(new Request("https://app.test/api/docs"))
  expect([page.status, page.headers.get("content-security-policy")]).toEqual([
    200,
    expect.stringMatching(/^default-src 'none'; /),
  ])
  const text = await page.text()
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  )
  expect(ids.length).toBeGreaterThan(10)
  for (const id of ids) expect(text).toContain(`id="${id}"`)
  expect(text).toContain("-b &#34;token=$SESSION&#34;")
  expect(text).not.toMatch(/<script|turnpike-client|\$TURNPIKE_API_KEY/)
})
