import { globSync, readFileSync } from "node:fs"
import { cp, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { freePort } from "../../src/local/postgres.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { servePackages } from "../harness/package-registry.ts"
import { blocksOf, commandsOf } from "../harness/readme-commands.ts"
import { startProgram } from "../harness/running-program.ts"

const EXAMPLES = globSync("examples/*/package.json")
  .map((path) => dirname(path))
  .sort()
let service: Started
let registry: Awaited<ReturnType<typeof servePackages>>
let dir: string
let turnpike: Turnpike
let space: string

beforeAll(async () => {
  dir = await makeDataDirectory("examples")
  ;[service, registry] = await Promise.all([npmStart(), servePackages(join(dir, "registry"))])
  turnpike = new Turnpike({ apiKey: service.test_key, baseUrl: service.base_url })
  space = (await turnpike.spaces.create({ title: "Examples" })).space_id
})

afterAll(async () => {
  registry?.stop()
  await service?.stop()
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

/**
 * A new folder with an example, installed by the command of its README. `start` runs another command of the README,
 * with the variables that it names. `change` replaces a port or a day.
 */
async function open(example: string, own: NodeJS.ProcessEnv = {}) {
  const cwd = join(dir, example)
  await cp(join("examples", example), cwd, { recursive: true })
  const commands = blocksOf(await readFile(join(cwd, "README.md"), "utf8")).flatMap(commandsOf)
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    TURNPIKE_API_KEY: service.test_key,
    TURNPIKE_BASE_URL: service.base_url,
    TURNPIKE_SPACE: space,
    TURNPIKE_CONFIG: join(dir, "config.json"),
    npm_config_registry: registry.url,
    npm_config_cache: join(dir, "cache"),
    npm_config_audit: "false",
    ...own,
  }
  const start = (pattern: RegExp, change = (command: string) => command, more: NodeJS.ProcessEnv = {}) => {
    const command = commands.find((one) => pattern.test(one))
    if (!command) throw new Error(`The README of ${example} has no command ${pattern}.`)
    return startProgram("bash", ["-c", change(command)], { cwd, env: { ...env, ...more } })
  }
  const installed = start(/^npm install/)
  expect(await installed.ended, installed.err).toBe(0)
  return { cwd, start }
}
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

test("The Express server answers a question by a verified webhook, and a repeated question makes no second turn", async () => {
  const port = String(await freePort())
  const { start } = await open("express-webhook", { PORT: port })
  const listen = start(/ listen /, (command) => command.replace("localhost:3000", `localhost:${port}`))
  const [, secret = ""] = await listen.says(/TURNPIKE_WEBHOOK_SECRET=(whsec_\S+)/)
  const server = start(/^npm start/, undefined, { TURNPIKE_WEBHOOK_SECRET: secret })
  await server.says(/Listening/)
  const url = `http://localhost:${port}`
  const question = { id: "1001", customer: "customer-42", question: "Where is my order?" }
  const [first, second] = await Promise.all([1, 2].map(async () => (await post(`${url}/questions`, question)).json()))
  expect(second).toEqual(first)
  const { turn } = first as { turn: string }
  await listen.says(new RegExp(`204 {2}turn\\.done.*${turn}`))
  expect(await (await fetch(`${url}/answers/${turn}`)).json()).toMatchObject({
    customer: "customer-42",
    state: "done",
    text: expect.stringContaining("Where is my order?"),
  })
  expect((await post(`${url}/webhooks`, { type: "turn.done" })).status).toBe(400)
  await Promise.all([server.interrupt(), listen.interrupt()])
})

test("The Worker streams the answer, refuses strangers, and shows an error of the service", async () => {
  const { cwd } = await open("worker")
  const { outputFiles } = await build({
    entryPoints: [join(cwd, "worker.ts")],
    bundle: true,
    format: "esm",
    write: false,
  })
  const bindings = { TURNPIKE_API_KEY: service.test_key, TURNPIKE_BASE_URL: service.base_url, TURNPIKE_SPACE: space }
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: outputFiles[0]?.text ?? "",
      compatibilityDate: "2026-10-20",
      compatibilityFlags: ["enable_request_signal"],
      bindings,
    }),
  )
  try {
    const chat = (text: string, headers: Record<string, string> = { "x-customer": "customer-7" }) =>
      worker.dispatchFetch("http://chat.test/chat", { method: "POST", body: text, headers })
    const answer = await chat("[stream 1 ms]\n[reply It left this morning.]")
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe("It left this morning.")
    expect((await turnpike.turns.get(answer.headers.get("x-turn") ?? "")).end_user_ref).toBe("customer-7")
    expect((await chat("Hi", {})).status).toBe(401)
    const refused = await chat("")
    expect([refused.status, await refused.json()]).toMatchObject([422, { error: "VALIDATION_FAILED" }])
  } finally {
    await worker.dispose()
  }
})

test("The cron job writes one digest for each customer of the day, also if it runs twice", async () => {
  const dayOf = async (end_user_ref: string) => {
    const { finished_at } = await turnpike.turns.run({ space, end_user_ref, text: "Hello." })
    return finished_at?.slice(0, 10) ?? ""
  }
  const daysOf = () => Promise.all(["customer-a", "customer-b"].map(dayOf))
  let [day = "", other] = await daysOf()
  // The turns ended on both sides of midnight.
  if (day !== other) [day = "", other] = await daysOf()
  expect(other).toBe(day)
  const digests = async () =>
    (await turnpike.turns.list({ end_user_ref: "customer-a" }).toArray()).filter(({ text }) => text.includes("digest"))
  const { start } = await open("cron")
  for (const _run of [1, 2]) {
    const job = start(/^npm start -- /, (command) => command.replace(/\d{4}-\d\d-\d\d/, day))
    expect(await job.ended, job.err).toBe(0)
    expect(job.out).toMatch(/customer-a\t.*Write a digest/)
    expect(job.out).toMatch(/customer-b\t.*Write a digest/)
    expect(await digests()).toHaveLength(1)
  }
})

test("An agent calls the tool of the MCP server, which refuses other callers and other customers", async () => {
  const port = String(await freePort())
  const { cwd, start } = await open("mcp-server", { PORT: port })
  const server = start(/^npm start/)
  await server.says(/Listening/)
  expect((await post(`http://127.0.0.1:${port}/mcp`, {})).status).toBe(401)
  const file = join(cwd, "turnpike.yaml")
  await writeFile(file, (await readFile(file, "utf8")).replace(":3001/", `:${port}/`))
  const apply = start(/ apply/)
  expect(await apply.ended, apply.err).toBe(0)
  const text = '[call orders__lookup_order {"id":"A-1"}]\nWhere is order A-1?'
  const send = start(/ turns send /, (command) => command.replace(/"[^"]*"$/, `'${text}'`))
  expect(await send.ended, send.err).toBe(0)
  expect(send.out).toContain("shipped")
  const other = start(/ turns send /, (command) =>
    command.replace(/"[^"]*"$/, `'${text}'`).replace("customer-42", "customer-43"),
  )
  expect(await other.ended, other.err).toBe(0)
  expect(other.out).not.toContain("shipped")
  await server.interrupt()
})

describe.each(EXAMPLES)("The example %s", (folder) => {
  // The chat's test installs them (nextjs.system.test.ts).
  test.skipIf(folder === "examples/nextjs-chat")("Its packages have the versions with which the test runs", () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>
    }
    for (const [name, version] of Object.entries(dependencies)) {
      const path = join("node_modules", name, "package.json")
      expect(JSON.parse(readFileSync(path, "utf8")).version, name).toBe(version)
    }
  })
})
