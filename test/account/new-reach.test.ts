import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { serveCustomer } from "../harness/customer.ts"
import type { Session } from "../harness/shared-space.ts"
import { laterTool } from "../harness/waiting.ts"
import { refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
let stale: Session
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, {})
})
beforeEach(async () => {
  client = await world.createAccount()
  space = await client.space({
    tools: [refundTool({ approval: "always" }), laterTool({ name: "lookup" })],
    mcp_servers: [{ name: "shop", url: "https://mcp.customer.com/mcp", approvals: { pay: "always" } }],
  })
  stale = await world.signIn(client.userId)
  await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where session_id = $1", [
    stale.sessionId,
  ])
})
afterAll(() => world.close())

const put = async (kind: "tools" | "mcp-servers", { name, ...body }: Record<string, unknown>) => {
  const [status, answer] = await stale.json("PUT", `/api/account/spaces/${space}/${kind}/${name}`, body)
  return status === 200 ? 200 : answer.code
}

const PROOF = "REAUTHENTICATION_REQUIRED"
const EVIL = { method: "POST", url: "https://other.customer.com/audit" }

test("A stale session sends turns to no new server, with or without a secret", async () => {
  expect(await put("tools", laterTool({ name: "audit", request: EVIL }))).toBe(PROOF)
  expect(await put("tools", laterTool({ name: "lookup", request: EVIL }))).toBe(PROOF)
  expect(await put("mcp-servers", { name: "audit", url: "https://other.customer.com/mcp" })).toBe(PROOF)
  const [, made] = await stale.json("POST", "/api/account/spaces", {
    title: "x",
    tools: [laterTool({ request: EVIL })],
  })
  expect(made.code).toBe(PROOF)
  expect(await put("tools", laterTool({ name: "lookup", description: "Finds a label." }))).toBe(200)
  // Another tool of that server asks a person first.
  expect(await put("tools", laterTool({ name: "another" }))).toBe(PROOF)
  expect(await put("tools", laterTool({ name: "another", approval: "always" }))).toBe(200)
})

test("A stale session loosens no approval: not by an edit, a deletion, another name or another tool's request", async () => {
  const free = refundTool({ approval: "never" })
  expect(await put("tools", free)).toBe(PROOF)
  expect(await put("tools", refundTool({ approval: { when: { required: ["never"] } } }))).toBe(PROOF)
  expect(await put("tools", { ...free, name: "refund2" })).toBe(PROOF)
  expect(await put("tools", laterTool({ name: "lookup", request: free.request }))).toBe(PROOF)
  expect(await put("mcp-servers", { name: "shop", url: "https://mcp.customer.com/mcp" })).toBe(PROOF)
  expect(await put("mcp-servers", { name: "shop2", url: "https://mcp.customer.com/mcp" })).toBe(PROOF)
  expect((await stale.call("DELETE", `/api/account/spaces/${space}/tools/refund`)).status).toBe(200)
  expect(await put("tools", free)).toBe(PROOF)
  expect(await put("tools", refundTool({ approval: "always", description: "Refunds." }))).toBe(200)
})

test("A stale session neither raises an end user's limits nor reads out or erases the data of one", async () => {
  const path = "/api/account/end-users/customer-1"
  const of = async (method: string, url: string, body?: object) => {
    const response = await stale.call(method, url, body)
    return response.ok ? 200 : ((await response.json()) as { code: string }).code
  }
  await client.runTurn({ space, text: "Hello", end_user_ref: "customer-1" })
  expect(await of("PUT", `${path}/limits`, { daily_usd: 1, monthly_usd: null, blocked: true })).toBe(200)
  expect(await of("PUT", `${path}/limits`, { daily_usd: 100_000, monthly_usd: null, blocked: true })).toBe(PROOF)
  expect(await of("PUT", `${path}/limits`, { daily_usd: 1, monthly_usd: null })).toBe(PROOF)
  expect(await of("GET", `${path}/export`)).toBe(PROOF)
  expect(await of("DELETE", path)).toBe(PROOF)
  await stale.call("PUT", "/api/account/limits", { end_user_daily_usd: 5 })
  expect(await of("PUT", "/api/account/limits", {})).toBe(PROOF)
  expect(await of("PUT", `/api/account/spaces/${space}/secrets/TOKEN`, { value: "a first value" })).toBe(200)
  expect(await of("PUT", `/api/account/spaces/${space}/secrets/TOKEN`, { value: "a second value" })).toBe(PROOF)
})
