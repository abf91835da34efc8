import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createParser } from "eventsource-parser"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import { freePort } from "../../src/local/postgres.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { installPackedClient, runProgram } from "../harness/packed-client.ts"
import { startProgram } from "../harness/running-program.ts"

/** True if the npm registry answers: the example's own packages come from it. Only CI needs it. */
async function findRegistry(): Promise<boolean> {
  const answers = await runProgram("npm", ["view", "next", "version", "--fetch-retries=0"]).then(
    () => true,
    () => false,
  )
  if (!answers && process.env.CI)
    throw new Error("CI needs the npm registry, for the packages of examples/nextjs-chat.")
  if (!answers) console.log("Skipped: the npm registry does not answer.")
  return answers
}

let service: Started
let client: Awaited<ReturnType<typeof installPackedClient>>
let turnpike: Turnpike
let chat: ReturnType<typeof startProgram>
let url: string

/** Sends a message as `useChat` does, and returns the parts of the answer. */
async function ask(id: string, message: string, text: string): Promise<{ type: string; delta?: string }[]> {
  const response = await fetch(`${url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, messages: [{ id: message, role: "user", parts: [{ type: "text", text }] }] }),
  })
  expect(response.status).toBe(200)
  const parts: { type: string; delta?: string }[] = []
  const parser = createParser({ onEvent: ({ data }) => data !== "[DONE]" && parts.push(JSON.parse(data)) })
  parser.feed(await response.text())
  return parts
}

const textOf = (parts: { delta?: string }[]) => parts.map(({ delta }) => delta ?? "").join("")

describe.skipIf(!(await findRegistry()))("The chat with Next.js", () => {
  /** Installs the example with its own packages from the npm registry, builds it without a key, and starts it. */
  beforeAll(async () => {
    ;[service, client] = await Promise.all([npmStart(), installPackedClient()])
    turnpike = new Turnpike({ apiKey: service.test_key, baseUrl: service.base_url })
    const { space_id } = await turnpike.spaces.create({ title: "Chat" })
    const cwd = join(client.project, "nextjs-chat")
    await cp("examples/nextjs-chat", cwd, { recursive: true })
    const manifest = JSON.parse(await readFile(join(cwd, "package.json"), "utf8"))
    manifest.dependencies[CLIENT_PACKAGE] = `file:${join(client.project, "..", client.tarball.filename)}`
    await writeFile(join(cwd, "package.json"), JSON.stringify(manifest))
    await runProgram("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd })
    const own = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NEXT_TELEMETRY_DISABLED: "1",
      NODE_ENV: "production" as const,
    }
    await runProgram("npx", ["next", "build"], { cwd, env: own })
    const port = await freePort()
    const access = { TURNPIKE_API_KEY: service.test_key, TURNPIKE_BASE_URL: service.base_url, TURNPIKE_SPACE: space_id }
    const args = ["next", "start", "--port", String(port), "--hostname", "127.0.0.1"]
    chat = startProgram("npx", args, { cwd, env: { ...own, ...access } })
    await chat.says(/Ready/)
    url = `http://127.0.0.1:${port}`
  })

  afterAll(async () => {
    await chat?.interrupt()
    await client?.remove()
    await service?.stop()
  })

  test("The chat streams the agent's text, and a message that is sent again makes no second turn", async () => {
    // So long that the text is still being written when the chat begins to read, also on a slow machine.
    const text = "Where is my order? It was number one, and I would like to know on which day it comes."
    const first = await ask("chat-1", "message-1", `[stream 300 ms]\n${text}`)
    expect(textOf(first)).toBe(`You said: ${text}`)
    expect(first.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(1)
    expect(textOf(await ask("chat-1", "message-1", `[stream 300 ms]\n${text}`))).toBe(textOf(first))
    expect(textOf(await ask("chat-1", "message-2", "And now?"))).toBe("You said: And now? (after 2 earlier messages)")
    const turns = []
    for await (const turn of turnpike.turns.list()) turns.push(turn)
    expect(turns).toHaveLength(2)
    expect(new Set(turns.map(({ conversation }) => conversation)).size).toBe(1)
  })

  test("A failed turn is an error with its code", async () => {
    expect(await ask("chat-2", "message-3", "[fail OUT_OF_STOCK]")).toContainEqual({
      type: "error",
      errorText: "OUT_OF_STOCK",
    })
  })

  test("The page is served", async () => {
    expect(await (await fetch(url)).text()).toContain("Support")
  })
})
