import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { MEMORY } from "../../src/platform/memory.ts"
import { lendNoAnswerMemory } from "../harness/answer-memory.ts"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A container's large answer without free memory is an error for the model, and the turn continues", async () => {
  world.serve("sandbox.corp.internal", async (request) => {
    const { method, headers } = request
    const body = method === "POST" ? await request.text() : null
    const answer = await fetch(inject("mcpUrl"), { method, headers, ...(body && { body }) })
    if (!body?.includes('"tools/call"')) return answer
    // A comment in the event stream, before the answer.
    return new Response(`:${"x".repeat(MEMORY.smallBytes)}\n\n${await answer.text()}`, answer)
  })
  const client = await world.createAccount()
  const space = await client.space()
  const admin = await signInAdmin(world)
  const mapping = { container: "sandbox", space, url: "https://sandbox.corp.internal/mcp" }
  expect((await admin.call("PUT", "/api/admin/system/containers/mappings", mapping)).status).toBe(200)
  const echoed = () => client.runTurn({ space, text: '[call container__echo {"message":"hi"}]' })
  expect((await echoed()).result).toContain("container__echo answered")
  const open = lendNoAnswerMemory()
  const turn = await echoed().finally(() => open.mockRestore())
  expect(turn).toMatchObject({ state: "done", result: expect.stringContaining("container__echo failed") })
})
