import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, expect, test } from "vitest"
import { signal } from "../../src/local/processes.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { readUntilItWaits, refundText, refundTool } from "../harness/waiting-tools.ts"

const run = promisify(execFile)

let started: Started | undefined
afterAll(() => started?.stop())

/** Sends a request with curl and a test key, as a customer would by hand. */
async function curl(method: string, path: string, body?: object) {
  const { base_url, test_key } = started as Started
  const headers = ["-H", `Authorization: Bearer ${test_key}`, "-H", "Content-Type: application/json"]
  const data = body ? ["-d", JSON.stringify(body)] : []
  const key = ["-H", `Idempotency-Key: ${crypto.randomUUID()}`]
  const { stdout } = await run("curl", ["-sS", "-X", method, `${base_url}${path}`, ...headers, ...key, ...data])
  return JSON.parse(stdout)
}

test("In test mode, a refund above 50 USD is approved with curl after a kill -9 of the whole service, and paid once", async () => {
  started = await npmStart()
  // A worker takes the calls, so the customer's server needs no address.
  const shop = { title: "Shop", tools: [refundTool({ request: null })] }
  const { space_id } = await curl("POST", "/v1/spaces", shop)
  const send = async (amount: number) => {
    const text = refundText(amount)
    const { turn_id } = await curl("POST", "/v1/turns", { space: space_id, end_user_ref: `c${amount}`, text })
    return readUntilItWaits(() => curl("GET", `/v1/turns/${turn_id}?wait=1`))
  }
  const [small, large] = [await send(50), await send(51)]
  expect(small.waiting).toMatchObject({ for: "result" })
  expect(large.waiting).toMatchObject({
    for: "approval",
    calls: [{ call: "0.0", input: { order: "A-1", amount: 51 } }],
  })

  const { dataDir, port } = started
  signal(-started.pid, "SIGKILL")
  started = await npmStart({ dataDir, port })
  const { data } = await curl("GET", "/v1/turns?waiting=approval")
  expect(data.map((turn: { turn_id: string }) => turn.turn_id)).toEqual([large.turn_id])
  const taken = await curl("GET", "/v1/calls?limit=10")
  expect(taken.data, "no call without an allow").toMatchObject([{ turn_id: small.turn_id }])
  const decision = `/v1/turns/${large.turn_id}/calls/0.0/decision`
  expect(await curl("POST", decision, { decision: "allow" })).toMatchObject({ decision: "allow", edited: false })
  expect(await curl("POST", decision, { decision: "deny" })).toMatchObject({ error: { code: "CALL_DECIDED" } })
  const { data: allowed } = await curl("GET", "/v1/calls?wait=30")
  expect(allowed).toMatchObject([
    { turn_id: large.turn_id, call: "0.0", tool: "refund", input: { order: "A-1", amount: 51 } },
  ])
  expect((await curl("GET", "/v1/calls")).data).toEqual([])
  await curl("POST", `/v1/turns/${large.turn_id}/calls/0.0/result`, { output: { refunded: 51 } })
  const done = await curl("GET", `/v1/turns/${large.turn_id}?wait=30`)
  expect(done).toMatchObject({ state: "done", test: true, result: 'refund answered: {"refunded":51}', waiting: null })
})
