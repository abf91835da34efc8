import { LLMock } from "@copilotkit/aimock"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { AssistantPart, Message, ModelCall, ObjectPart } from "../../src/agent/engine.ts"
import { textMessage } from "../harness/steps.ts"

const ENGINES = ["anthropic", "openai", "openai-compatible"] as const
type Engine = (typeof ENGINES)[number]

const mock = new LLMock({ port: 0, logLevel: "silent" })
beforeAll(async () => {
  mock.addFixture({ match: { model: "answers" }, response: { content: "Seen." } })
  await mock.start()
})
afterAll(() => mock.stop())

function callOf(engine: Engine, overrides: Partial<ModelCall>): ModelCall {
  return { engine, model: "answers", messages: [], tools: [], maxOutputTokens: 100, attempt: 0, ...overrides }
}

describe("Files and tools in each provider's format", () => {
  const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const PDF = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x34])
  const bytes: Record<string, Uint8Array<ArrayBuffer>> = { "a.png": PNG, "b.pdf": PDF }
  const object = (name: string, mediaType: string): ObjectPart => ({
    type: "object",
    objectKey: name,
    name,
    mediaType,
    bytes: 8,
  })
  const base64 = (data: Uint8Array) => Buffer.from(data).toString("base64")

  /** The body of the request, as text. */
  async function sent(engine: Engine, overrides: Partial<ModelCall>): Promise<string> {
    let body = ""
    const seen: typeof fetch = (input, init) => {
      body = String(init?.body)
      return fetch(input, init)
    }
    const account = { apiKey: "sk-test", baseUrl: `${mock.url}/v1` }
    const context = {
      accounts: { anthropic: account, openai: account, "openai-compatible": account },
      sleep: async () => {},
      signal: new AbortController().signal,
      onText: () => {},
    }
    const loadObject = async (key: string) => bytes[key] ?? null
    await callModel({ ...context, fetch: seen, loadObject }, callOf(engine, overrides))
    return body
  }

  const content = [
    object("a.png", "image/png"),
    object("b.pdf", "application/pdf"),
    object("c.zip", "application/zip"),
    object("gone.png", "image/png"),
  ]
  const messages: Message[] = [{ role: "user", content: [...content, { type: "text", text: "What is this?" }] }]

  test.each(ENGINES)("The engine %s sends an image and a PDF, and rejects other files", async (engine) => {
    const body = await sent(engine, { messages })
    expect(body).toContain(base64(PNG))
    if (engine === "openai-compatible")
      expect(body).toContain("The file b.pdf (application/pdf, 8 bytes) cannot be shown to this model.")
    else expect(body).toContain(base64(PDF))
    expect(body).toContain("The file c.zip (application/zip, 8 bytes) cannot be shown to this model.")
    expect(body).toContain("The file gone.png (image/png, 8 bytes) no longer exists.")
  })

  test.each(ENGINES)("The engine %s sends tools, calls, results and errors in its format", async (engine) => {
    const call = (id: string): AssistantPart => ({
      type: "tool-call",
      toolCallId: id,
      toolName: "lookup",
      input: { id },
    })
    const body = await sent(engine, {
      tools: [
        {
          name: "lookup",
          description: "Finds an order.",
          inputSchema: { type: "object", properties: { id: { type: "string" } } },
        },
      ],
      messages: [
        textMessage("user", "Where?"),
        { role: "assistant", content: [{ type: "text", text: "I look." }, call("c1"), call("c2"), call("c3")] },
        {
          role: "tool",
          content: [
            { toolCallId: "c1", toolName: "lookup", output: { type: "text", value: "shipped" } },
            { toolCallId: "c2", toolName: "lookup", output: { type: "error", value: "no such order" } },
            {
              toolCallId: "c3",
              toolName: "lookup",
              output: { type: "parts", value: [{ type: "text", text: "a picture" }, object("a.png", "image/png")] },
            },
          ],
        },
      ],
    })
    for (const expected of ["Finds an order.", "I look.", "shipped", "no such order", "a picture"])
      expect(body).toContain(expected)
    // Chat completions of other servers support only text in a tool's message.
    if (engine === "openai-compatible")
      expect(body).toContain("The file a.png (image/png, 8 bytes) cannot be shown to this model.")
    else expect(body).toContain(base64(PNG))
  })
})
