import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { freePort } from "../../src/local/postgres.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { runProgram } from "../harness/packed-client.ts"
import { findPython, installWheel } from "../harness/python.ts"
import { startProgram } from "../harness/running-program.ts"

const python = await findPython("httpx", "cryptography")
const withFastApi = await findPython("httpx", "fastapi", "uvicorn")

describe.skipIf(!python)("The examples in Python, with a running service", () => {
  let service: Started
  let client: Awaited<ReturnType<typeof installWheel>>
  let turnpike: Turnpike
  let rehearsing: Turnpike
  const running: ReturnType<typeof startProgram>[] = []

  beforeAll(async () => {
    ;[service, client] = await Promise.all([npmStart(), installWheel(python as string)])
    turnpike = new Turnpike({ apiKey: service.api_key, baseUrl: service.base_url })
    rehearsing = new Turnpike({ apiKey: service.test_key, baseUrl: service.base_url })
  })

  afterAll(async () => {
    await Promise.all(running.map((program) => program.kill()))
    await Promise.all([service?.stop(), client?.remove()])
  })

  const environment = (own: Record<string, string>) => ({
    PATH: process.env.PATH,
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONUNBUFFERED: "1",
    ...own,
  })

  /** Starts an example that listens, and resolves when its port accepts connections. */
  async function serve(name: string, args: string[], port: number, own: Record<string, string>) {
    const program = startProgram(client.python, args, { cwd: resolve("examples", name), env: environment(own) })
    running.push(program)
    const answer = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    await expect.poll(answer).toBe(true)
    return program
  }

  test.skipIf(!withFastApi)(
    "The receiver with FastAPI stores each reply once, refuses forged messages, and catches up after an outage",
    async () => {
      const name = "python-fastapi-webhooks"
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const { webhook_id, secret } = await turnpike.webhooks.create({ url: `${url}/turnpike` })
      const own = { TURNPIKE_WEBHOOK_SECRET: secret, DATABASE: join(client.dir, "events.sqlite") }
      const args = ["-m", "uvicorn", "main:app", "--host", "127.0.0.1", "--port", String(port), "--log-level", "error"]
      const receiver = await serve(name, args, port, own)
      // The first ping may have been posted before the receiver listened.
      await turnpike.webhooks.test(webhook_id)
      const space = (await turnpike.spaces.create({ title: "FastAPI" })).space_id
      const turn = await turnpike.turns.run({ space, end_user_ref: "customer-42", text: "[reply It left.]" })
      const stored = async () => (await fetch(`${url}/replies/customer-42`)).json()
      const billed_usd = turn.billed_cost_usd.toFixed(7).replace(/0+$/, "")
      const row = { turn_id: turn.turn_id, state: "done", reply: "It left.", billed_usd }
      await expect.poll(stored).toEqual([row])

      const told = { turn: turn.turn_id, event_type: "turn.done", state: "delivered" } as const
      const delivered = async () => (await turnpike.webhooks.deliveries(webhook_id, told).toArray(1))[0]
      await expect.poll(delivered).toBeDefined()
      const { delivery_id } = (await delivered()) as { delivery_id: string }
      await turnpike.deliveries.redeliver(delivery_id)
      const attempts = async () => (await turnpike.deliveries.get(delivery_id)).attempt_count
      await expect.poll(attempts).toBe(2)
      expect(await stored()).toEqual([row])
      const forged = await fetch(`${url}/turnpike`, { method: "POST", body: "{}" })
      expect(forged.status).toBe(400)

      await receiver.kill()
      const missed = await turnpike.turns.run({ space, end_user_ref: "customer-43", text: "[fail OUT_OF_STOCK]" })
      await serve(name, args, port, own)
      await turnpike.webhooks.replay(webhook_id, { from: missed.created_at })
      const replies = async () => (await fetch(`${url}/replies/customer-43`)).json()
      await expect.poll(replies).toMatchObject([{ turn_id: missed.turn_id, state: "failed" }])
      await turnpike.webhooks.delete(webhook_id)
    },
  )

  test.skipIf(!withFastApi)(
    "The tool with FastAPI shows a customer's own order only, and refuses other callers",
    async () => {
      const port = await freePort()
      const origin = `http://127.0.0.1:${port}`
      const args = ["-m", "uvicorn", "main:app", "--host", "127.0.0.1", "--port", String(port), "--log-level", "error"]
      await serve("python-fastapi-tool", args, port, { TURNPIKE_BASE_URL: service.base_url, TOOL_ORIGIN: origin })
      expect((await fetch(`${origin}/orders/A-1`)).status).toBe(401)
      const input_schema = { type: "object", properties: { id: { type: "string" } } }
      const request = { method: "GET" as const, url: `${origin}/orders/{{input.id}}` }
      const tool = { name: "lookup_order", description: "Finds an order.", input_schema, request }
      const space = (await turnpike.spaces.create({ title: "Tool", tools: [tool] })).space_id
      const ask = async (end_user_ref: string) => {
        const text = '[call lookup_order {"id":"A-1"}]'
        return (await turnpike.turns.run({ space, end_user_ref, text })).result
      }
      expect(await ask("customer-42")).toContain("shipped")
      expect(await ask("customer-43")).toContain("no order A-1")
    },
  )

  test("The metering reports each turn to Stripe once, over crashes, refusals and repeated runs", async () => {
    const stripe = await fakeStripe()
    const database = join(client.dir, "metered.sqlite")
    const own = {
      STRIPE_URL: stripe.url,
      STRIPE_API_KEY: "sk_test_x",
      TURNPIKE_BASE_URL: service.base_url,
      TURNPIKE_API_KEY: service.api_key,
    }
    const run = (DATABASE = database) =>
      runProgram(client.python, ["meter.py"], {
        cwd: "examples/python-stripe-metering",
        env: environment({ ...own, DATABASE }),
      }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      )
    try {
      const space = (await turnpike.spaces.create({ title: "Metering" })).space_id
      const send = (end_user_ref: string) => turnpike.turns.run({ space, end_user_ref, text: "What do I cost?" })
      const turns = [await send("cus_1"), await send("cus_2"), await send("cus_1")]
      const failed = await turnpike.turns.run({ space, end_user_ref: "cus_2", text: "[fail OUT_OF_STOCK]" })
      const billed = [...turns, failed].filter(({ billed_cost_usd }) => billed_cost_usd > 0)

      // Stripe accepts the second event, but its answer is lost, and refuses the third for a while.
      stripe.plan = (event) =>
        event.identifier === turns[1]?.turn_id ? "lost" : event.identifier === turns[2]?.turn_id ? "busy" : "accept"
      expect((await run()).code).toBe(1)
      stripe.plan = () => "accept"
      expect((await run()).code).toBe(0)
      expect((await run()).stdout).toBe("0 turns reported, 0 failed\n")
      // A machine that lost its database reports again within a day.
      expect((await run(join(client.dir, "lost.sqlite"))).code).toBe(0)

      const own_events = stripe.events.filter(({ customer }) => customer.startsWith("cus_"))
      expect(own_events.map(({ identifier }) => identifier).sort()).toEqual(billed.map((one) => one.turn_id).sort())
      for (const customer of ["cus_1", "cus_2"]) {
        const units = own_events.filter((one) => one.customer === customer).reduce((sum, { value }) => sum + value, 0)
        const { billed_usd } = await turnpike.endUsers.get(customer)
        expect(units).toBe(Math.round(billed_usd * 1e7))
      }
    } finally {
      stripe.close()
    }
  })

  test("The MCP server shows a customer's own order only, and refuses other callers", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    await serve("python-mcp-server", ["server.py"], port, { PORT: String(port), TURNPIKE_BASE_URL: service.base_url })
    const { space_id } = await rehearsing.spaces.create({
      title: "MCP",
      mcp_servers: [{ name: "shop", url }],
    })
    const check = await rehearsing.spaces.mcpServers.check(space_id, "shop")
    expect(check).toMatchObject({ ok: true, tools: [{ name: "shop__find_order" }], left_out: [] })
    const ask = (id: string, end_user_ref = "customer-42") =>
      rehearsing.turns.run({
        space: space_id,
        end_user_ref,
        text: `[call shop__find_order {"id":${JSON.stringify(id)}}]`,
      })
    expect((await ask("A-1")).result).toContain("Order A-1 left this morning.")
    for (const turn of [await ask("B-7"), await ask("A-1", "customer-43")]) {
      expect(turn.state).toBe("done")
      expect(turn.result).toContain("There is no such order.")
    }
    for (const headers of [{}, { "turnpike-identity": "e30.e30.e30" }])
      expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401)
  })
})

interface MeterEvent {
  identifier: string
  customer: string
  value: number
}

/** Stripe's meter events: an identifier is accepted once, and its second event is refused with 400. */
async function fakeStripe() {
  const state = {
    url: "",
    events: [] as MeterEvent[],
    plan: (_event: MeterEvent): "accept" | "lost" | "busy" => "accept",
    close: () => {},
  }
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    const event = {
      identifier: form.get("identifier") ?? "",
      customer: form.get("payload[stripe_customer_id]") ?? "",
      value: Number(form.get("payload[value]")),
    }
    const isComplete =
      request.url === "/v1/billing/meter_events" && request.headers.authorization === "Bearer sk_test_x"
    const planned = state.plan(event)
    const refuse = (status: number, message: string) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }))
    if (!isComplete || !form.get("event_name") || !Number.isInteger(event.value)) return refuse(400, "Invalid request.")
    if (planned === "busy") return refuse(429, "Too many requests.")
    if (state.events.some(({ identifier }) => identifier === event.identifier))
      return refuse(400, `An event already exists with identifier ${event.identifier}.`)
    state.events.push(event)
    if (planned === "lost") return response.destroy()
    return response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  state.close = () => server.close()
  return state
}
