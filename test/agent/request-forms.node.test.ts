import { describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { Message, ModelCall, ObjectPart } from "../../src/agent/engine.ts"
import { imageSize } from "../../src/agent/image-size.ts"
import { chunk, counts, ends, messageStart, said, toolCall, usage } from "../harness/recorded.ts"
import { bytesOfFrames, replayedCall } from "../harness/replay.ts"
import { textMessage } from "../harness/steps.ts"

type Engine = "anthropic" | "openai-compatible"
const FRAMES = {
  anthropic: [messageStart({ input_tokens: 9 }), ...said(0, "Seen."), ...ends("end_turn", { output_tokens: 2 })],
  "openai-compatible": [chunk({ content: "Seen." }), chunk({}, "stop"), counts(usage(9, 2)), "[DONE]"],
}

/** A PNG of this size, with `bytes` bytes. */
function pngOf(width: number, height: number, bytes = 64) {
  const png = new Uint8Array(bytes)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  new DataView(png.buffer).setUint32(16, width)
  new DataView(png.buffer).setUint32(20, height)
  return png
}

/** Makes calls at a server that refuses with a status and message while `refuses` says so. Returns the bodies. */
async function ask(
  engine: Engine,
  {
    refuses = () => null,
    objects = {},
    model = "m",
    calls = 1,
    messages,
  }: {
    refuses?: (body: string) => { status: number; message: string } | null
    objects?: Record<string, Uint8Array<ArrayBuffer>>
    model?: string
    calls?: number
    messages?: Message[]
  },
) {
  const bodies: string[] = []
  const content = Object.entries(objects).map(([objectKey, data]): ObjectPart => {
    return { type: "object", objectKey, name: objectKey, mediaType: "image/png", bytes: data.length }
  })
  const refused = new Set<string>()
  const call: Partial<ModelCall> = {
    model,
    messages: messages ?? [{ role: "user", content: [...content, { type: "text", text: "What?" }] }],
  }
  const answers = []
  for (let n = 0; n < calls; n++) {
    const answer = await callModel(
      {
        fetch: async (_url, init) => {
          bodies.push(String(init?.body))
          const no = refuses(String(init?.body))
          if (no)
            return Response.json(
              { error: { message: no.message, type: "invalid_request_error" } },
              { status: no.status },
            )
          return new Response(bytesOfFrames({ engine, frames: FRAMES[engine] }))
        },
        accounts: { [engine]: { apiKey: "k", baseUrl: "https://forms.test/v1" } },
        sleep: async () => {},
        signal: new AbortController().signal,
        loadObject: async (key) => objects[key] ?? null,
        refused,
        onText: () => {},
      },
      replayedCall(engine, call),
    ).catch((error: unknown) => error)
    answers.push(answer)
  }
  return { bodies, answers }
}

describe("A picture at Anthropic", () => {
  test.each<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    ["more than 5 MB", pngOf(100, 100, 5_600_000), /has more than 5242880 bytes/],
    ["a side of 8,001 pixels", pngOf(8001, 10), /has 8001 x 10 pixels, more than 8000/],
  ])("A picture with %s is named before it is sent", async (_what, png, note) => {
    const { bodies, answers } = await ask("anthropic", { objects: { "a.png": png } })
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatch(note)
    expect(bodies[0]).not.toContain('"base64"')
    expect(answers).toMatchObject([{ text: "Seen." }])
  })

  test("A picture within the limits is sent, and one of 2,001 pixels only among few others", async () => {
    const few = await ask("anthropic", { objects: { "a.png": pngOf(8000, 2001) } })
    expect(few.bodies[0]).toContain('"base64"')
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.png`, pngOf(2001, 10)]))
    expect((await ask("anthropic", { objects: many })).bodies[0]).not.toContain('"base64"')
  })

  test("Other engines have no such limits", async () => {
    const { bodies } = await ask("openai-compatible", { objects: { "a.png": pngOf(9000, 9000) } })
    expect(bodies[0]).toContain("data:image/png;base64")
  })
})

describe("A picture that the provider refuses", () => {
  const refuses = (body: string) => (/base64/.test(body) ? { status: 400, message: "Could not process image" } : null)

  test("It is replaced by a note once, and is not shown again", async () => {
    const { bodies, answers } = await ask("anthropic", { refuses, objects: { "a.png": pngOf(9, 9) }, calls: 2 })
    expect(bodies).toHaveLength(3)
    expect(bodies[1]).toContain("was refused by the model's provider")
    expect(bodies[2]).toBe(bodies[1])
    expect(answers).toMatchObject([{ text: "Seen." }, { text: "Seen." }])
  })

  test("If the request is refused without it too, the first refusal counts", async () => {
    const no = () => ({ status: 400, message: "Could not process the request" })
    const { bodies, answers } = await ask("anthropic", { refuses: no, objects: { "a.png": pngOf(9, 9) } })
    expect(bodies).toHaveLength(2)
    expect(answers).toMatchObject([{ kind: "rejected", status: 400 }])
  })

  test.each([
    ["the prompt is too long", "prompt is too long: 9 tokens > 8 maximum"],
    ["the key is wrong", "API key not valid. Please pass a valid API key."],
    ["a parameter is refused", "Unsupported parameter: 'top_p' is not supported with this model."],
  ])("A refusal that says that %s leaves the picture in the request", async (_what, message) => {
    const { bodies } = await ask("anthropic", {
      refuses: () => ({ status: 400, message }),
      objects: { "a.png": pngOf(9, 9) },
    })
    expect(bodies).toHaveLength(1)
  })
})

test("A server that wants max_completion_tokens gets it, after one refusal", async () => {
  const message =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  const refuses = (body: string) => (body.includes('"max_tokens"') ? { status: 400, message } : null)
  const { bodies, answers } = await ask("openai-compatible", { refuses, model: "wants-completion", calls: 3 })
  expect(answers).toMatchObject([{ text: "Seen." }, { text: "Seen." }, { text: "Seen." }])
  expect(bodies.map((body) => body.includes('"max_completion_tokens":100'))).toEqual([false, true, true, true])
  expect((await ask("openai-compatible", { model: "other" })).bodies[0]).toContain('"max_tokens":100')
})

describe("The size of an image", () => {
  const bytes = (...parts: (string | number[])[]) =>
    new Uint8Array(
      parts.flatMap((part) => (typeof part === "string" ? [...part].map((char) => char.charCodeAt(0)) : part)),
    )
  const zeros = (count: number) => Array.from({ length: count }, () => 0)

  test.each<[string, string, Uint8Array, object | null]>([
    ["PNG", "image/png", pngOf(300, 200), { width: 300, height: 200 }],
    ["GIF", "image/gif", bytes("GIF89a", [0x2c, 0x01, 0xc8, 0x00]), { width: 300, height: 200 }],
    [
      "WebP, extended",
      "image/webp",
      bytes("RIFF", zeros(4), "WEBPVP8X", zeros(8), [0x2b, 1, 0, 0xc7, 0, 0]),
      { width: 300, height: 200 },
    ],
    [
      "WebP, lossy",
      "image/webp",
      bytes("RIFF", zeros(4), "WEBPVP8 ", zeros(10), [0x2c, 1, 0xc8, 0]),
      { width: 300, height: 200 },
    ],
    [
      "WebP, lossless",
      "image/webp",
      bytes("RIFF", zeros(4), "WEBPVP8L", zeros(4), [0x2f, 0x2b, 0xc1, 0x31, 0x00]),
      { width: 300, height: 200 },
    ],
    [
      "JPEG",
      "image/jpeg",
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 44]),
      { width: 300, height: 200 },
    ],
    ["a head that ends too early", "image/png", pngOf(1, 1).slice(0, 12), null],
    ["no JPEG after the marker", "image/jpeg", bytes([0xff, 0xd8, 0xff]), null],
  ])("It is read from its head: %s", (_what, type, data, size) => {
    expect(imageSize(data, type)).toEqual(size)
  })
})

describe("Members that a provider needs back", () => {
  /** The assistant's message of the second request, after an answer with these frames. */
  async function returned(frames: (object | string)[]) {
    const answer = await callModel(
      {
        fetch: async () => new Response(bytesOfFrames({ engine: "openai-compatible", frames })),
        accounts: { "openai-compatible": { baseUrl: "https://back.test/v1" } },
        sleep: async () => {},
        signal: new AbortController().signal,
        loadObject: async () => null,
        onText: () => {},
      },
      replayedCall("openai-compatible"),
    )
    // The transcript is stored as JSON.
    const content = JSON.parse(JSON.stringify(answer.content))
    const results = answer.content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ toolCallId: part.toolCallId, toolName: part.toolName, output: { type: "text" as const, value: "ok" } }]
        : [],
    )
    const messages: Message[] = [
      textMessage("user", "hi"),
      { role: "assistant", content },
      { role: "tool", content: results },
    ]
    const { bodies } = await ask("openai-compatible", { messages: [...messages, ...messages] })
    return (JSON.parse(bodies[0] ?? "") as { messages: Record<string, unknown>[] }).messages
  }
  const look = (more: object) => toolCall("look", '{"id":"7"}', { index: 0, id: "act:0", ...more })

  test("Signatures of every vendor, reasoning details and thinking blocks go back unread", async () => {
    const details = [
      { type: "reasoning.text", text: "Let me ", format: "f", index: 0 },
      { type: "reasoning.text", text: "look.", format: "f", index: 0 },
      { type: "reasoning.text", signature: "Et8B", format: "f", index: 0 },
      { type: "reasoning.encrypted", data: "EoED", id: "act:0", index: 1 },
    ]
    const extra_content = { vertex: { thought_signature: "AY89" }, google: { thought_signature: "EjQK" } }
    const [, assistant] = await returned([
      ...details.map((detail) => chunk({ reasoning: "", reasoning_details: [detail] })),
      chunk({ thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }] }),
      chunk({ content: "I look.", tool_calls: [look({ extra_content })] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ])
    expect(assistant).toMatchObject({
      content: "I look.",
      reasoning_details: [
        { type: "reasoning.text", text: "Let me look.", signature: "Et8B", format: "f", index: 0 },
        { type: "reasoning.encrypted", data: "EoED", id: "act:0", index: 1 },
      ],
      thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }],
      tool_calls: [{ id: "act:0", extra_content }],
    })
  })

  test("Each call of a transcript has an id of its own, and its result has the same", async () => {
    const sent = await returned([
      chunk({ tool_calls: [look({}), toolCall("look", '{"id":"8"}', { index: 1, id: "act:0" })] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ])
    const calls = sent
      .flatMap(({ tool_calls }) => (tool_calls as { id: string }[] | undefined) ?? [])
      .map(({ id }) => id)
    const results = sent.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id)
    expect(new Set(calls).size).toBe(4)
    expect(results).toEqual(calls)
  })
})
