import { cp } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { json, text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { installPackedClient, runProgram } from "../harness/packed-client.ts"

let service: Started
let client: Awaited<ReturnType<typeof installPackedClient>>
let turnpike: Turnpike

beforeAll(async () => {
  ;[service, client] = await Promise.all([npmStart(), installPackedClient()])
  for (const name of ["metering", "verify-receipts"])
    await cp(join("examples", name), join(client.project, name), { recursive: true })
  turnpike = new Turnpike({ apiKey: service.api_key, baseUrl: service.base_url })
})

afterAll(async () => {
  await client?.remove()
  await service?.stop()
})

interface Taken {
  id: string
  customer: string
  amount: number
}

type Fate = "accept" | "lost" | "busy"

/** How each meter reads an event, and how it answers to a known id. */
const KINDS = {
  stripe: {
    path: "/v1/billing/meter_events",
    read: (form: URLSearchParams): Taken => ({
      id: form.get("identifier") ?? "",
      customer: form.get("payload[stripe_customer_id]") ?? "",
      amount: Number(form.get("payload[value]")),
    }),
    again: (id: string) => [400, { error: { message: `An event already exists with identifier ${id}.` } }] as const,
  },
  lago: {
    path: "/api/v1/events",
    read: ({
      event,
    }: {
      event: { transaction_id: string; external_subscription_id: string; properties: { amount: string } }
    }) => ({
      id: event.transaction_id,
      customer: event.external_subscription_id,
      amount: Number(event.properties.amount),
    }),
    again: () =>
      [
        422,
        { status: 422, code: "validation_errors", error_details: { transaction_id: ["value_already_exist"] } },
      ] as const,
  },
  openmeter: {
    path: "/api/v1/events",
    read: ({
      source,
      id,
      subject,
      data,
    }: {
      source: string
      id: string
      subject: string
      data: { amount: string }
    }) => ({
      id: `${source} ${id}`,
      customer: subject,
      amount: Number(data.amount),
    }),
    // It answers as if the event were new, and ignores it.
    again: () => [204, null] as const,
  },
}

async function fakeMeter(kind: keyof typeof KINDS) {
  const { path, read, again } = KINDS[kind]
  const state = { url: "", taken: [] as Taken[], requests: 0, fate: (_taken: Taken): Fate => "accept", close: () => {} }
  const server = createServer(async (request, response) => {
    state.requests++
    const body = kind === "stripe" ? new URLSearchParams(await text(request)) : await json(request)
    const event = read(body as never)
    const fate = state.fate(event)
    const answer = (status: number, content: unknown) =>
      response.writeHead(status).end(content && JSON.stringify(content))
    if (request.url !== path || request.headers.authorization !== "Bearer meter-key") return answer(401, {})
    if (!event.id || !event.customer || !Number.isSafeInteger(event.amount)) return answer(400, { error: "invalid" })
    if (fate === "busy") return answer(429, {})
    if (state.taken.some(({ id }) => id === event.id)) return answer(again(event.id)[0], again(event.id)[1])
    state.taken.push(event)
    return fate === "lost"
      ? response.destroy()
      : answer(kind === "openmeter" ? 204 : 200, kind === "openmeter" ? null : {})
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  state.close = () => server.close()
  return state
}

test("Each of the three meters gets each charge once over lost answers, refusals and repeated runs, and a loss is found", async () => {
  await turnpike.usage.putExport({ enabled: true })
  const space = (await turnpike.spaces.create({ title: "Metering" })).space_id
  const turns = []
  for (const end_user_ref of ["cus_1", "cus_2", "cus_1"]) {
    turns.push(await turnpike.turns.run({ space, end_user_ref, text: "What do I cost?" }))
  }
  // Stopping exports all rows and closes the hour at once.
  await turnpike.usage.putExport({ enabled: false })
  const billed = turns.reduce((sum, turn) => sum + Math.round(turn.billed_cost_usd * 10_000_000), 0)

  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    const meter = await fakeMeter(kind)
    const DATABASE = join(client.project, `${kind}.sqlite`)
    const run = () =>
      runProgram(process.execPath, ["meter.ts", kind], {
        cwd: join(client.project, "metering"),
        env: {
          PATH: process.env.PATH,
          NODE_NO_WARNINGS: "1",
          TURNPIKE_BASE_URL: service.base_url,
          TURNPIKE_API_KEY: service.api_key,
          METER_URL: meter.url,
          METER_KEY: "meter-key",
          DATABASE,
        },
      }).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
        ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
      )
    try {
      // The meter takes the second event, but its answer is lost, and it refuses the third for a while.
      meter.fate = () => (["accept", "lost", "busy"] as const)[Math.min(meter.requests, 3) - 1] ?? "accept"
      expect(await run()).toMatchObject({ code: 1 })
      meter.fate = () => "accept"
      const second = await run()
      expect(second, second.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 1 hours proven") })
      expect((await run()).stdout).toContain("0 rows sent, 0 failed; 1 of 1 hours proven")
      expect(meter.taken).toHaveLength(3)
      expect(meter.taken.reduce((sum, { amount }) => sum + amount, 0)).toBe(billed)
      expect(meter.taken.map(({ customer }) => customer).sort()).toEqual(["cus_1", "cus_1", "cus_2"])

      const database = new DatabaseSync(DATABASE)
      database.exec(
        "update metered set ledger_id = ledger_id + 1000000 where ledger_id = (select max(ledger_id) from metered)",
      )
      database.close()
      const wrong = await run()
      expect([wrong.code, wrong.stderr]).toMatchObject([1, expect.stringContaining("WRONG: the hour")])
    } finally {
      meter.close()
      await turnpike.usage.putExport({ enabled: false })
    }
  }
})

test("The verification proves the receipts of a month, and finds an amount that was changed on the way", async () => {
  const space = (await turnpike.spaces.create({ title: "Receipts" })).space_id
  const { turn_id, finished_at } = await turnpike.turns.run({ space, end_user_ref: "cus_9", text: "Prove it." })
  const month = (finished_at as string).slice(0, 7)
  const changing = createServer(async (request, response) => {
    const headers = { authorization: request.headers.authorization ?? "" }
    const answer = await fetch(`${service.base_url}${request.url}`, { headers })
    const body = (await answer.text()).replace(
      /("quantity":)(\d+)/,
      (_match, name, count) => name + (Number(count) + 1000),
    )
    response.writeHead(answer.status, { "content-type": "application/json" }).end(body)
  })
  await new Promise<void>((listening) => changing.listen(0, "127.0.0.1", listening))
  const run = (url: string) =>
    runProgram(process.execPath, ["verify.ts", month], {
      cwd: join(client.project, "verify-receipts"),
      env: { PATH: process.env.PATH, TURNPIKE_BASE_URL: url, TURNPIKE_API_KEY: service.api_key },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    )
  try {
    const proven = await run(service.base_url)
    expect(proven, proven.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/: [1-9]\d* receipts/) })
    const wrong = await run(`http://127.0.0.1:${(changing.address() as AddressInfo).port}`)
    expect(wrong.code, turn_id).toBe(1)
    expect(wrong.stderr).toMatch(/the signature of its receipt/)
    expect(wrong.stderr).toMatch(/: a call/)
  } finally {
    changing.close()
  }
})
