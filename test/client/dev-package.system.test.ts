import { existsSync } from "node:fs"
import { readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { publint } from "publint"
import { afterAll, beforeAll, expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import { CLIENT_PACKAGE, DEV_PACKAGE } from "../../client/src/names.ts"
import { servicePort } from "../../scripts/service-port.ts"
import { freePort } from "../../src/local/postgres.ts"
import { processes } from "../../src/local/processes.ts"
import { startBreakableProxy } from "../harness/breakable-proxy.ts"
import { openCustomerFolder } from "../harness/customer-folder.ts"

/** A customer's server: it verifies each webhook with the published client, and prints its type and turn. */
const RECEIVER = `import { createServer } from "node:http"
import { verifyWebhook } from "${CLIENT_PACKAGE}"
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, process.env.TURNPIKE_WEBHOOK_SECRET)
    console.log(event.id + " " + event.type + " " + event.data.turn?.turn_id)
    response.writeHead(204).end()
  } catch (error) {
    console.log("refused: " + error.message)
    response.writeHead(400).end(error.message)
  }
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"))
`

const SECRET = "a-secret-of-the-orders-api"
const spaceFile = (url: string, instructions: string) => `name: support
title: Support
metadata: { team: help }
manifest:
  instructions: |
    ${instructions}
    Answer in one sentence.
tools:
  - name: lookup_order
    description: Finds an order by its id.
    input_schema: { type: object, properties: { id: { type: string } }, required: [id] }
    request:
      method: GET
      url: ${url}/orders/{{input.id}}
      headers: { Authorization: "Bearer {{secrets.ORDERS_TOKEN}}" }
secrets:
  ORDERS_TOKEN: { env: ORDERS_TOKEN }
`

let customer: Awaited<ReturnType<typeof openCustomerFolder>>
let port: number
let dev: ReturnType<typeof customer.turnpike> | undefined
const timings: string[] = []
const orders = createServer((_request, response) => response.end("{}"))

beforeAll(async () => {
  customer = await openCustomerFolder()
  timings.push(`npm install of the two tarballs: ${customer.installSeconds.toFixed(1)} s`)
  await writeFile(join(customer.project, "receiver.js"), RECEIVER)
  await new Promise<void>((listening) => orders.listen(0, "127.0.0.1", listening))
  port = await servicePort()
  const started = performance.now()
  dev = customer.turnpike("dev", "--port", String(port))
  await dev.says(/\] ready\.\n[\s\S]*Ctrl-C/)
  timings.push(`turnpike dev: ${((performance.now() - started) / 1000).toFixed(1)} s`)
})

afterAll(async () => {
  orders.close()
  await dev?.interrupt()
  console.log(timings.join("\n"))
  // Nothing that the command started is left.
  expect((await processes()).filter(({ command }) => command.includes(customer.project))).toEqual([])
})

/** Runs a command, and notes its seconds. */
async function timed(args: string[], env: NodeJS.ProcessEnv = {}) {
  const finished = await customer.run(args, env)
  timings.push(`turnpike ${args.join(" ")}: ${finished.seconds.toFixed(1)} s`)
  return finished
}

test("From an empty folder with the tarballs: a space from YAML, a turn, and a webhook that the receiver verifies", async () => {
  const init = await timed(["init", "--local"])
  expect(init).toMatchObject({ code: 0 })
  expect((await stat(customer.env.TURNPIKE_CONFIG as string)).mode & 0o777).toBe(0o600)
  expect(await readFile(join(customer.project, "turnpike.yaml"), "utf8")).toContain("name: support")
  expect(await timed(["apply"])).toMatchObject({ code: 0 })

  const receiverPort = await freePort()
  // Without npx, which ends by the signal itself, so the exit code is that of the command.
  const program = join(customer.project, "node_modules/.bin/turnpike")
  const listen = customer.start(program, ["listen", "--forward-to", `localhost:${receiverPort}/webhooks`])
  const [, secret = ""] = await listen.says(/TURNPIKE_WEBHOOK_SECRET=(whsec_\S+)/)
  const receiver = customer.start("node", ["receiver.js"], {
    PORT: String(receiverPort),
    TURNPIKE_WEBHOOK_SECRET: secret,
  })
  await receiver.says(/listening/)

  const began = performance.now()
  const sent = await timed([
    "turns",
    "send",
    "--space",
    "support",
    "--user",
    "customer-1",
    "--wait",
    "Where is my order?",
  ])
  expect(sent).toMatchObject({ code: 0 })
  expect(sent.out).toMatch(/Where is my order\?/)
  const [, id = ""] = /(turn_\w+)/.exec(sent.err) ?? []
  await receiver.says(new RegExp(`turn\\.done ${id}`))
  timings.push(`send, reply and verified webhook: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  const types = [...receiver.out.matchAll(new RegExp(`(turn\\.\\w+) ${id}`, "g"))].map(([, type]) => type)
  expect(types).toEqual(["turn.queued", "turn.running", "turn.done"])
  expect(receiver.out).not.toContain("refused")

  const list = await timed(["turns", "list", "--json"])
  expect(JSON.parse(list.out)).toContainEqual(expect.objectContaining({ turn_id: id, state: "done" }))
  const tail = await timed(["turns", "tail", id])
  expect(tail.out).toMatch(/turn\.queued[\s\S]*turn\.done/)
  const usage = await timed(["usage", "--by", "end_user_ref", "--json"])
  expect(JSON.parse(usage.out).data).toContainEqual(expect.objectContaining({ group: "customer-1", turns: 1 }))
  expect((await timed(["keys"])).out).toContain("balance")
  expect(await listen.interrupt()).toBe(EXIT_CODES.interrupted.code)
  await receiver.interrupt()
})

test("A file is applied once, its changes are shown, and no output has the value of a secret", async () => {
  const url = `http://127.0.0.1:${(orders.address() as AddressInfo).port}`
  const file = join(customer.project, "orders.yaml")
  const text = (instructions: string) => spaceFile(url, instructions).replace("name: support", "name: orders")
  const secret = { ORDERS_TOKEN: SECRET }
  const outputs: string[] = []
  const run = async (args: string[], env: NodeJS.ProcessEnv = secret) => {
    const finished = await customer.run(args, env)
    outputs.push(finished.out, finished.err)
    return finished
  }
  await writeFile(file, text("You answer questions about orders."))
  expect(await run(["diff", "orders.yaml"])).toMatchObject({ code: EXIT_CODES.differs.code })
  // Two commands at the same time create one space.
  const both = await Promise.all([run(["apply", "orders.yaml", "--json"]), run(["apply", "orders.yaml", "--json"])])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  const [first, second] = both.map(({ out }) => JSON.parse(out) as { space_id: string })
  expect(second?.space_id).toBe(first?.space_id)
  expect(await run(["diff", "orders.yaml"])).toMatchObject({ code: 0, out: "" })
  const again = await run(["apply", "orders.yaml", "--json"], {})
  expect(JSON.parse(again.out)).toMatchObject({ space_id: first?.space_id, changes: [] })
  const version = async () => JSON.parse((await run(["spaces", "get", "orders"])).out).config_version
  expect(await version()).toBe(1)

  // Instructions, a tool and a secret change; the secret of before is removed.
  await writeFile(file, text("You answer questions about refunds.").replaceAll("ORDERS_TOKEN", "REFUNDS_TOKEN"))
  const dry = await run(["apply", "orders.yaml", "--dry-run"])
  expect(dry.out).toContain("+ secrets.REFUNDS_TOKEN")
  expect(dry.out).toContain("- secrets.ORDERS_TOKEN")
  expect(dry.out).toMatch(/- You answer questions about orders\.\n.*\+ You answer questions about refunds\./)
  expect(await version()).toBe(1)
  expect(await run(["apply", "orders.yaml"], {})).toMatchObject({ code: EXIT_CODES.usage.code })
  expect(await run(["apply", "orders.yaml"], { REFUNDS_TOKEN: `${SECRET}-2` })).toMatchObject({ code: 0 })
  expect(await run(["diff", "orders.yaml"])).toMatchObject({ code: 0 })

  // An exported file describes the space as it is.
  const exported = await run(["spaces", "export", first?.space_id ?? ""])
  await writeFile(join(customer.project, "exported.yaml"), exported.out)
  expect(await run(["diff", "exported.yaml"])).toMatchObject({ code: 0 })
  expect(outputs.join("\n")).not.toContain(SECRET)
})

test("Forwarding continues after a lost connection, and the receiver gets each event once", async () => {
  const proxy = await startBreakableProxy(port)
  const { api_key } = JSON.parse(await readFile(join(customer.project, ".local/demo.json"), "utf8"))
  const through = { TURNPIKE_API_KEY: api_key, TURNPIKE_BASE_URL: proxy.url }
  const receiverPort = await freePort()
  const listen = customer.start(
    "npx",
    ["--offline", "turnpike", "listen", "--forward-to", String(receiverPort)],
    through,
  )
  const [, secret = ""] = await listen.says(/TURNPIKE_WEBHOOK_SECRET=(whsec_\S+)/)
  const receiver = customer.start("node", ["receiver.js"], {
    PORT: String(receiverPort),
    TURNPIKE_WEBHOOK_SECRET: secret,
  })
  await receiver.says(/listening/)
  const send = async (text: string) => {
    const { out } = await customer.run(["turns", "send", "--space", "support", "--user", "c", "--wait", "--json", text])
    return (JSON.parse(out) as { turn_id: string }).turn_id
  }
  const ids = [await send("Before.")]
  await receiver.says(new RegExp(`turn\\.done ${ids[0]}`))
  proxy.cut()
  await listen.says(/Trying again; no event is lost/)
  ids.push(await send("During the outage."), await send("Still."))
  proxy.mend()
  await listen.says(/Connected again/)
  ids.push(await send("After."))
  await receiver.says(new RegExp(`turn\\.done ${ids.at(-1)}`))
  const got = [...receiver.out.matchAll(/^(evt_\w+) (turn\.\w+) (turn_\w+)$/gm)].map(([, event, type, turn]) => ({
    event,
    type,
    turn,
  }))
  expect(new Set(got.map(({ event }) => event)).size).toBe(got.length)
  for (const id of ids)
    expect(got.filter(({ turn }) => turn === id).map(({ type }) => type)).toEqual([
      "turn.queued",
      "turn.running",
      "turn.done",
    ])
  await listen.interrupt()
  await receiver.interrupt()
  proxy.stop()
})

test("The package of the local service has a clean manifest, and every program that it needs", async () => {
  const folder = join(customer.project, "node_modules", DEV_PACKAGE)
  expect((await publint({ pkgDir: folder, strict: true })).messages).toEqual([])
  for (const file of ["worker.js", "wrangler.toml", "migrations", "LICENSES.md", "dist/docs/all/index.html"])
    expect(existsSync(join(folder, file)), file).toBe(true)
})
