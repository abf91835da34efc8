import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { createFileClient } from "../harness/files.ts"
import { expectPromises } from "../harness/promises.ts"
import { deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const researcher = { name: "researcher", description: "Finds things out.", instructions: "Be brief." }

test("A turn calls a tool and a sub-agent that calls it too, and returns a file", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world)
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary-token-1" },
    manifest: { subagents: [researcher] },
  })
  const text = [
    `[call lookup_order {"id":"A-1"}]`,
    `[delegate researcher [call lookup_order {"id":"B-2"}]]`,
    "[and write report.md # Report\\nShipped.]",
  ].join("\n")
  const turn = await client.runTurn({ space, text })
  expect(turn).toMatchObject({ state: "done", usage: { model_calls: 5, tool_calls: 4 } })
  expect(turn.result).toContain('lookup_order answered: {"order":"A-1"')
  expect(turn.outputs).toMatchObject([{ name: "report.md", media_type: "text/markdown", bytes: 17 }])
  expect(customer.requests.map(({ url }) => url)).toEqual([
    "https://api.customer.com/orders/A-1",
    "https://api.customer.com/orders/B-2",
  ])
  expect(customer.requests[0]?.headers.authorization).toBe("Bearer canary-token-1")
  const roles = await world.sql("select role, count(*)::int from usage where turn_id = $1 group by 1 order by 1", [
    turn.turn_id,
  ])
  expect(roles).toEqual([
    { role: "orchestrator", count: 3 },
    { role: "subagent", count: 2 },
  ])
  await expectPromises(world, client.userId)
})

/**
 * Runs one call of the order tool against a server with this answer. Returns the result that the
 * model got.
 */
async function callResult(answer: Parameters<typeof serveCustomer>[1], tool: object = {}, input = '{"id":"1"}') {
  const client = await world.createAccount()
  const customer = serveCustomer(world, answer)
  const space = await client.space({ tools: [orderTool(customer.host, tool)], secrets: { TOKEN: "canary-token-1" } })
  const turn = await client.runTurn({ space, text: `[call lookup_order ${input}]` })
  expect(turn, JSON.stringify(turn.error)).toMatchObject({ state: "done", usage: { tool_calls: 1 } })
  await expectPromises(world, client.userId)
  return { said: turn.result ?? "", customer }
}

describe("A tool's failure as the model sees it", () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)) })

  test.each([
    ["404", () => new Response("no such order", { status: 404 }), "failed: HTTP 404: no such order"],
    ["500", () => new Response("x".repeat(50_000), { status: 500 }), "failed: HTTP 500: xxx"],
    ["10 MB", () => new Response(new Uint8Array(10 * 1024 * 1024)), "failed: The answer is larger than 65536 bytes."],
    ["no end", () => new Response(endless()), "failed: The answer is larger than 65536 bytes."],
    [
      "no connection",
      () => Promise.reject(new Error("refused")),
      "failed: There is no connection to https://api.customer.com.",
    ],
    [
      "a redirect to a private host",
      () => Response.redirect("http://10.0.0.1/", 302),
      "failed: The URL cannot be called",
    ],
    ["bytes", () => new Response(new Uint8Array([255, 254, 0])), "answered: (3 bytes that are not UTF-8 text"],
    ["nothing", () => new Response(null, { status: 204 }), "answered: (empty answer, HTTP 204)"],
  ])("The model gets the failure: %s", async (_what, answer, expected) => {
    expect((await callResult({ answer })).said).toContain(`lookup_order ${expected}`)
  })

  test("An input that does not match its schema is not sent", async () => {
    for (const input of ["{}", '{"id":1}', '{"id":"1","more":true}']) {
      const { said, customer } = await callResult({}, {}, input)
      expect(said).toContain("lookup_order failed: The input does not fit the tool's schema")
      expect(customer.requests).toEqual([])
    }
  })

  test("A value cannot escape from the tool's path", async () => {
    for (const id of ["..", ".", ""]) {
      const { said, customer } = await callResult({}, {}, JSON.stringify({ id }))
      expect(said).toContain("lookup_order failed: A value in the URL's path is empty or has only dots.")
      expect(customer.requests).toEqual([])
    }
    const optional = { input_schema: { type: "object" } }
    for (const input of ["{}", '{"id":null}']) {
      const { said, customer } = await callResult({}, optional, input)
      expect(said).toContain("lookup_order failed: A value in the URL's path is empty or has only dots.")
      expect(customer.requests).toEqual([])
    }
    const { customer } = await callResult({}, {}, JSON.stringify({ id: "../../admin?x=1#y" }))
    expect(customer.requests[0]?.url).toBe("https://api.customer.com/orders/..%2F..%2Fadmin%3Fx%3D1%23y")
  })

  test("Slow headers and slow bodies end within the tool's timeout_seconds", async () => {
    const drip = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
    for (const answer of [() => new Promise<Response>(() => {}), drip]) {
      const running = callResult({ answer }, { timeout_seconds: 7 })
      await world.clock.sleeping(1, 7000)
      // Both kinds of server keep the call waiting: for the headers, or for the rest of the body.
      await world.isCalm(1_000)
      await world.advance(7000)
      expect((await running).said).toContain("lookup_order failed: The server did not answer within 7 s.")
    }
  })
})

describe("The request of a tool", () => {
  const sent = async (request: object, input: object, schema: object = { type: "object" }) => {
    const { customer } = await callResult(
      {},
      { input_schema: schema, request },
      typeof input === "string" ? input : JSON.stringify(input),
    )
    return customer.requests[0]
  }
  const url = "https://api.customer.com/a"

  test("A request has query parameters, headers and a body whose values have their own types", async () => {
    const request = {
      method: "PUT",
      url: `${url}/{{input.name}}?fixed=1`,
      query: { q: "{{input.words}}", missing: "{{input.nothing}}", tag: "{{input.tags}}" },
      headers: { "X-Count": "n {{input.count}}" },
      body: {
        count: "{{input.count}}",
        text: "{{input.count}} of {{input.name}}",
        list: ["{{input.tags}}"],
        gone: "{{input.nothing}}",
      },
    }
    const seen = await sent(request, { name: "ä b", words: "a&b", tags: ["x", "y"], count: 3 })
    expect(seen?.method).toBe("PUT")
    expect(seen?.url).toBe(`${url}/%C3%A4%20b?fixed=1&q=a%26b&tag=x&tag=y`)
    expect(JSON.parse(seen?.body ?? "")).toEqual({ count: 3, text: "3 of ä b", list: [["x", "y"]] })
    expect(seen?.headers["content-type"]).toBe("application/json")
    expect(seen?.headers["x-count"]).toBe("n 3")
  })

  test("A header value that is not ASCII is rejected before the runtime could quote it in its log", async () => {
    const request = { method: "GET", url, headers: { "X-Name": "{{input.name}}" } }
    const { said, customer } = await callResult({}, { input_schema: { type: "object" }, request }, '{"name":"ä"}')
    expect(said).toContain("The value of the header X-Name has characters that a header cannot contain.")
    expect(customer.requests).toEqual([])
  })

  test("A POST without a body carries the input", async () => {
    expect(JSON.parse((await sent({ method: "POST", url }, { a: { b: 1 } }))?.body ?? "")).toEqual({ a: { b: 1 } })
    expect((await sent({ method: "GET", url }, { a: 1 }))?.body).toBe("")
    expect((await sent({ method: "DELETE", url }, { a: 1 }))?.body).toBe("")
  })

  test("A text body is sent unchanged, with the content type from the tool's header", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const seen = await sent({ method: "POST", url, headers, body: "a={{input.a}}" }, { a: "1" })
    expect([seen?.body, seen?.headers["content-type"]]).toEqual(["a=1", "application/x-www-form-urlencoded"])
  })
})

describe("Built-in tools", () => {
  test("Tasks are created once per call and changed only for the same customer", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { builtin_tools: ["create_task", "update_task"] } })
    const text = '[call create_task {"title":"Call back","flow":"returns","assign_to_owner":true}]'
    const made = await client.runTurn({ space, text })
    expect(made.result).toContain('"state":"open"')
    const [task] = await world.sql<{ task_id: number }>("select * from tasks where turn_id = $1", [made.turn_id])
    expect(task).toMatchObject({
      title: "Call back",
      flow: "returns",
      brand: "turnpike",
      state: "open",
      end_user_ref: "customer-1",
    })
    expect(task).toMatchObject({ assignee_user_id: String(client.userId), creator_user_id: String(client.userId) })
    const update = `[call update_task {"task_id":${task?.task_id},"state":"done"}]`
    const stranger = await client.runTurn({ space, end_user_ref: "customer-2", text: update })
    expect(stranger.result).toContain("update_task failed: There is no task")
    const own = await client.runTurn({ space, text: update })
    expect(own.result).toContain('"state":"done"')
    const wrong = await client.runTurn({ space, text: '[call create_task {"titel":"x"}]' })
    expect(wrong.result).toContain("create_task failed: The input is invalid")
  })

  test("A repeated call of the task tool creates one task", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
    await world.plan([{ service: "pg", match: "create_task", call: 1, action: "cut", when: "after" }])
    const { turn_id } = await client.runTurn({ space, text: '[call create_task {"title":"Call back"}]' })
    await world.clearFaults()
    await world.advance(151_000)
    await world.sweep()
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "done", usage: { tool_calls: 1 } })
    expect(await world.sql("select 1 from tasks where turn_id = $1", [turn_id])).toHaveLength(1)
  })

  test("Attached files are shown, read in pieces and listed, and other customers' files are not found", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const files = createFileClient(world, client)
    const attach = async (name: string, body: string) => (await files.add(space, `?name=${name}`, body)).file_id
    const long = await attach("long.txt", "0123456789".repeat(10_000))
    const other = await attach("other.txt", "not for customer-1")
    await client.runTurn({ space, end_user_ref: "customer-2", files: [other], text: "[reply ok]" })
    const offset = TOOL_POLICY.fileWindowBytes
    const text = [
      `[call read_file {"file":"long.txt","offset":${offset}}]`,
      '[call read_file {"file":"other.txt"}]',
      "[call list_files {}]",
    ].join("\n")
    const turn = await client.runTurn({ space, files: [long], text })
    expect(turn).toMatchObject({ state: "done", files: [long] })
    expect(turn.result).toContain("read_file answered: 2345678901")
    expect(turn.result).toContain('read_file failed: There is no file "other.txt" in this conversation.')
    expect(turn.result).toContain(`list_files answered: [{"file_id":"${long}","name":"long.txt"`)
    const missing = await client.sendTurn({ space, files: ["file_x"], text: "x" })
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { param: "files" } }])
  })

  test("A window of a file never splits a character", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const whole = "aя語👍".repeat(12_000)
    const { file_id } = await createFileClient(world, client).add(space, "?name=w.txt", whole)
    let read = ""
    for (let offset = 0; offset >= 0; ) {
      const text = `[call read_file {"file":"w.txt","offset":${offset}}]`
      const { turn_id } = await client.runTurn({ space, files: [file_id], text })
      const steps = "select results -> '0' ->> 'value' as value from turn_steps where turn_id = $1 and step = 0"
      const [row] = await world.sql<{ value: string }>(steps, [turn_id])
      const [, piece = "", next] =
        /^([\s\S]*?)(?:\n\[bytes .* continue with offset (\d+)\])?$/.exec(row?.value ?? "") ?? []
      read += piece
      offset = next === undefined ? -1 : Number(next)
    }
    expect(read === whole).toBe(true)
  })

  test("An earlier turn's outputs are available to the next turn of the conversation", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    await client.runTurn({ space, text: "[write notes.md remember the milk]" })
    const next = await client.runTurn({ space, text: '[call read_file {"file":"notes.md"}]' })
    expect(next.result).toContain("read_file answered: remember the milk")
  })
})

test("A turn runs to its end with the configuration that it started with", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world, {
    async answer() {
      // The tool is replaced while the first call is in progress.
      await client.call("PUT", `/v1/spaces/${space}/tools/lookup_order`, orderTool("new.customer.com"))
      return Response.json({})
    },
  })
  const renewed = serveCustomer(world, { host: "new.customer.com" })
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const text = '[call lookup_order {"id":"1"}]\n[call lookup_order {"id":"2"}]'
  // The first worker dies after its commit, so another worker makes the second call.
  await world.plan([{ service: "pg", match: "commit_tool_results", call: 1, times: 99, action: "cut", when: "after" }])
  await client.sendTurn({ space, text })
  await deliverWhileCommitsFail(world)
  await world.clearFaults()
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  expect([customer.requests.length, renewed.requests.length]).toEqual([2, 0])
  await client.runTurn({ space, text })
  expect([customer.requests.length, renewed.requests.length]).toEqual([2, 2])
})
