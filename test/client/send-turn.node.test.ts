import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import type { Terminal } from "../../client/cli/terminal.ts"
import { COMMAND_ACCESS, openTerminal } from "../harness/terminal.ts"

const SPACE = "spc_00000000000000000000000001"
const TURN = {
  ...{ turn_id: "turn_1", state: "done", finish: "stop", result: "It left.", calls: [], billed_cost_usd: 0.01 },
  ...{ model: "m", error: null },
}
const TOOL = { name: "find", input_schema: { type: "object" } }
const SHIP = { ...TOOL, name: "ship" }

/** A terminal in whose folder these files are, and the turns that it has sent. */
async function openSender({
  files = {},
  turn = TURN,
  ...more
}: { files?: Record<string, unknown>; turn?: object } & Partial<Terminal> = {}) {
  const sent: object[] = []
  const fetch = async (_url: string, { method, body }: RequestInit) => {
    if (method === "POST") sent.push(JSON.parse(String(body)))
    return Response.json(turn, { status: method === "POST" ? 202 : 200 })
  }
  const { cwd, run } = await openTerminal({ env: COMMAND_ACCESS, fetch, ...more })
  for (const [path, content] of Object.entries(files)) {
    await writeFile(join(cwd, path), typeof content === "string" ? content : JSON.stringify(content))
  }
  const send = (...args: string[]) => run("turns", "send", "--space", SPACE, "--user", "c", ...args)
  return { sent, send }
}

const WHO = { space: SPACE, end_user_ref: "c" }

test("A turn brings tools of several files and a choice, and its calls are printed with the way to answer them", async () => {
  const calls = [{ id: "call_1_0_0", name: "find", input: { id: "A\u001b[0m" } }]
  const turn = { ...TURN, finish: "tool_calls", result: "", calls }
  const { send, sent } = await openSender({ turn, files: { "one.json": TOOL, "more.json": [SHIP] } })
  const tools = ["--tools", "one.json", "--tools", "more.json"]
  const { code, out, err } = await send("Where?", "--wait", ...tools, "--tool-choice", "required", "--no-store")
  expect(code).toBe(0)
  expect(out).toBe('call_1_0_0  find {"id":"A\\u001b[0m"}\n')
  expect(err).toContain("--result ID=TEXT")
  const fields = { text: "Where?", tools: [TOOL, SHIP], store: false }
  expect(sent).toEqual([{ ...WHO, ...fields, tool_choice: "required" }])
  await send("Where?", ...tools, "--tool-choice", "find")
  expect(sent[1]).toMatchObject({ tool_choice: { name: "find" } })
})

test("Results are texts, files or errors, with or without a text, and the standard input is not read", async () => {
  const { send, sent } = await openSender({
    files: { "found.txt": "a=b\n" },
    isTerminal: { in: false, out: false, err: false },
    readInput: () => Promise.reject(new Error("It was read.")),
  })
  const results = ["--result", "call_1=x=y", "--result", "call_2=@found.txt", "--result-error", "call_3=It is lost."]
  expect(await send("--wait", ...results)).toMatchObject({ code: 0, out: "It left.\n" })
  await send("Hurry.", "--result", "call_1=")
  expect(sent).toEqual([
    {
      ...WHO,
      results: [
        { id: "call_1", output: "x=y" },
        { id: "call_2", output: "a=b\n" },
        { id: "call_3", error: "It is lost." },
      ],
    },
    { ...WHO, text: "Hurry.", results: [{ id: "call_1", output: "" }] },
  ])
})

test("Messages come from a file or the standard input, in place of a text", async () => {
  const messages = [{ role: "user", content: "Hi" }]
  const { send, sent } = await openSender({
    files: { "chat.json": messages },
    readInput: async () => JSON.stringify(messages),
  })
  await send("--messages", "chat.json")
  await send("--messages", "-")
  expect(sent).toEqual([
    { ...WHO, messages },
    { ...WHO, messages },
  ])
})

test.each([
  [["Hi", "--tools", "none.json"], /There is no file none\.json/],
  [["Hi", "--tools", "bad.json"], /bad\.json: /],
  [["--result", "call_1"], /id=text/],
  [["--result", "call_1=@none.txt"], /There is no file none\.txt/],
  [[], /text of the turn is missing/],
])("A turn with %j is refused before any request", async (args, message) => {
  const { send, sent } = await openSender({ files: { "bad.json": "{" } })
  const { code, err } = await send(...args)
  expect(code).toBe(EXIT_CODES.usage.code)
  expect(err).toMatch(message)
  expect(sent).toEqual([])
})
