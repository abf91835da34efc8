import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createParser } from "eventsource-parser"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Turn, Turnpike } from "../../client/src/index.ts"
import { AI_SDK_PATH, CLIENT_PATH } from "../../src/reference/served-packages.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { runProgram } from "../harness/packed-client.ts"
import { FRAMEWORKS, readSamples } from "../harness/samples.ts"

const samples = (await readSamples(["typescript", "sh"])).filter(({ page }) => page === FRAMEWORKS)
const codeOf = (heading: string) => {
  const sample = samples.find((one) => one.heading === heading && one.lang === "typescript")
  if (!sample) throw new Error(`The guide has no sample below #${heading}.`)
  return sample.code
}

let service: Started
let client: Turnpike
let space: string
let folder: string

/** A project with the packages that the guide names, and the two that the service itself serves. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-frameworks-"))
  await cp(join(import.meta.dirname, "frameworks"), folder, { recursive: true })
  ;[service] = await Promise.all([npmStart(), runProgram("npm", ["ci"], { cwd: folder })])
  const served = [CLIENT_PATH, AI_SDK_PATH].map((path) => service.base_url + path)
  await runProgram("npm", ["install", "--no-save", ...served], { cwd: folder })
  client = new Turnpike({ apiKey: service.api_key, baseUrl: service.base_url })
})
afterAll(async () => {
  await service?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Runs a program in this project, in a space of its own, with the text of the end user. Returns its output. */
async function runSample(code: string, text: string): Promise<string> {
  space = (await client.spaces.create({ title: "Support" })).space_id
  return runAgain(code, text)
}

async function runAgain(code: string, text: string): Promise<string> {
  await writeFile(join(folder, "sample.ts"), code)
  const { stdout, stderr } = await runProgram("node", ["sample.ts", text], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_NO_WARNINGS: "1",
      TURNPIKE_BASE_URL: service.base_url,
      TURNPIKE_API_KEY: service.api_key,
      TURNPIKE_SPACE: space,
    },
  })
  expect(stderr).toBe("")
  return stdout
}

/** The turns of the sample's space, oldest first. Each is done and has its bill. */
async function turnsOfSpace(): Promise<Turn[]> {
  const turns = (await client.turns.list({ space }).toArray()).toReversed()
  for (const { state, end_user_ref, billed_cost_usd } of turns)
    expect([state, end_user_ref, billed_cost_usd > 0]).toEqual(["done", "customer-42", true])
  return turns
}

test("Every sample has at most 40 lines, and the guide names the versions of the packages that run it", async () => {
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  for (const { code } of samples) expect(code.split("\n").length).toBeLessThanOrEqual(41)
  const guide = await readFile("src/reference/guides/frameworks.md", "utf8")
  const named = [...guide.matchAll(/ (@?[\w/-]+)@(\d[\d.]+\d)/g)].map(([, name = "", version]) => [name, version])
  expect(Object.fromEntries(named)).toEqual(dependencies)
})

const find = (id: string) => `call find_order {"id":"${id}"}`
const ROUNDS = `[${find("A-1001")}]\n[and ${find("A-1002")}]\n[${find("A-1003")}]\n[and ${find("A-1004")}]\n[reply All left.]`

/** Calls the route's handler as Next.js does, with the message of `useChat`, and prints the parts of the answer. */
const CALL_ROUTE = `
const parts = [{ type: "text", text: process.argv[2] }]
const body = JSON.stringify({ id: "chat-1", messages: [{ id: "message-1", role: "user", parts }] })
const response = await POST(new Request("http://localhost/api/chat", { method: "POST", body }))
console.log(response.status + "\\n" + (await response.text()))
`

test("The route of a Next.js chat streams an answer with tools, and bills a message that is sent again once", async () => {
  const code = codeOf("the-ai-sdk-in-nextjs") + CALL_ROUTE
  const partsOf = (printed: string) => {
    const parts: { type: string; output?: string; delta?: string }[] = []
    const parser = createParser({ onEvent: ({ data }) => data !== "[DONE]" && parts.push(JSON.parse(data)) })
    parser.feed(printed.slice(printed.indexOf("data: ")))
    return parts
  }
  const printed = await runSample(code, ROUNDS)
  expect(printed).toContain("200\n")
  const parts = partsOf(printed)
  const outputs = parts.filter(({ type }) => type === "tool-output-available").map(({ output }) => output)
  const ids = ["A-1001", "A-1002", "A-1003", "A-1004"]
  expect(outputs.toSorted()).toEqual(ids.map((id) => `The order ${id} left this morning.`))
  expect(parts.map(({ delta }) => delta ?? "").join("")).toBe("All left.")
  const turns = await turnsOfSpace()
  expect(turns.map(({ finish, calls }) => [finish, calls.length])).toEqual([
    ["tool_calls", 2],
    ["tool_calls", 2],
    ["stop", 0],
  ])
  for (const { billed_cost_usd } of turns) expect(printed).toContain(`${billed_cost_usd}\n`)
  expect(partsOf(await runAgain(code, ROUNDS)).map(({ type }) => type)).toEqual(parts.map(({ type }) => type))
  expect(await turnsOfSpace()).toHaveLength(3)
})

test("The agents of OpenAI's SDK hand a question over, and the second one calls its tool", async () => {
  const text = '[call transfer_to_Billing {}]\n[call find_invoice {"id":"A-7"}]\n[reply It is paid.]'
  expect(await runSample(codeOf("the-openai-agents-sdk"), text)).toBe("Billing It is paid.\n")
  const turns = await turnsOfSpace()
  expect(turns.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
    ["transfer_to_Billing"],
    ["find_invoice"],
    [],
  ])
})

test.each([
  ["LangChain", "langchain"],
  ["LangGraph", "langgraph"],
])("An agent of %s makes two calls in each of two rounds and answers", async (_name, heading) => {
  expect(await runSample(codeOf(heading), ROUNDS)).toBe("All left.\n")
  const turns = await turnsOfSpace()
  expect(turns.map(({ finish, calls }) => [finish, calls.length])).toEqual([
    ["tool_calls", 2],
    ["tool_calls", 2],
    ["stop", 0],
  ])
})
