import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createFileClient, multipartForm } from "../harness/files.ts"
import { addModel } from "../harness/models.ts"
import { PICTURES } from "../harness/pictures.ts"
import { PROVIDED_PIN, PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let provider: ReturnType<typeof scriptProvider>
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  provider = scriptProvider(world, () => ({ words: ["Seen."] }))
  world.serve("model.test", (request) => provider.serve(request))
})
afterAll(() => world.close())

const bytesOf = (latin: string) => Uint8Array.from(latin, (character) => character.charCodeAt(0))
const PDF = bytesOf("%PDF-1.4\n%%EOF")
const utf16 = (text: string, { bigEndian = false } = {}) =>
  Uint8Array.from(
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).flatMap((unit) =>
      bigEndian ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8],
    ),
  )

/** One part of a form in the format of a browser or a library. */
function sendPart(
  client: TestClient,
  space: string,
  { name, type, bytes }: { name: string; type: string; bytes: Uint8Array },
) {
  const { headers, around } = multipartForm(`name="file"; filename="${name}"`, type)
  const body = new Blob([around[0], bytes as Uint8Array<ArrayBuffer>, around[1]])
  return createFileClient(world, client).add(space, "", body, headers)
}

/** The content that the model gets for an attached file. */
async function shown(file: { name: string; type: string; bytes: Uint8Array }): Promise<string> {
  const client = await world.createAccount()
  const space = await client.space()
  const { file_id } = await sendPart(client, space, file)
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, files: [file_id] })
  expect(turn).toMatchObject({ state: "done", result: "Seen.", usage: { model_calls: 1 } })
  return JSON.stringify(provider.asks.at(-1)?.messages.at(-1)?.content)
}

describe("The type of an upload", () => {
  test.each<[string, string, Uint8Array, string]>([
    ["notes.txt", "application/octet-stream", bytesOf("hello"), "text/plain"],
    ["data.CSV", "Application/Octet-Stream", bytesOf("a,b"), "text/csv"],
    ["photo.jpg", "binary/octet-stream", bytesOf("\xff\xd8\xff\xe0"), "image/jpeg"],
    ["scan", "application/octet-stream", PDF, "application/pdf"],
    ["picture", "application/octet-stream; charset=binary", PICTURES.png, "image/png"],
    ["picture.bin", "*/*", PICTURES.png, "image/png"],
    ["stuff.bin", "application/octet-stream", bytesOf("hello"), "application/octet-stream"],
    ["empty", "application/octet-stream", new Uint8Array(), "application/octet-stream"],
    ["photo.jpg", "image/jpg", bytesOf("\xff\xd8\xff\xe0"), "image/jpeg"],
    ["photo.png", "IMAGE/X-PNG; name=photo", PICTURES.png, "image/png"],
    ["notes.md", "text/plain; charset=ISO-8859-1", bytesOf("caf\xe9"), "text/plain; charset=iso-8859-1"],
  ])("The service detects the type for %s: %s", async (name, type, bytes, expected) => {
    const client = await world.createAccount()
    const file = await sendPart(client, await client.space(), { name, type, bytes })
    expect(file).toMatchObject({ media_type: expected, bytes: bytes.length })
  })
})

describe("A file whose bytes do not match its type", () => {
  test.each<[string, string, Uint8Array, string]>([
    ["an HTML page as a picture", "image/png", bytesOf("<html>"), "has bytes that are not image/png"],
    ["nothing as a picture", "image/webp", new Uint8Array(), "has bytes that are not image/webp"],
    ["half a signature of a picture", "image/png", PICTURES.png.subarray(0, 4), "has bytes that are not image/png"],
    ["a PDF as a picture", "image/jpeg", PDF, "is application/pdf, which cannot be shown to this model"],
  ])("A %s is described to the model as unusable, and the turn continues", async (_what, type, bytes, why) => {
    expect(await shown({ name: "photo.png", type, bytes })).toContain(why)
  })

  test("A PNG uploaded as JPEG is shown as a PNG", async () => {
    const content = await shown({ name: "photo.jpg", type: "image/jpg", bytes: PICTURES.png })
    expect(content).toContain("data:image/png;base64,")
  })
})

describe("A text's charset", () => {
  const TEXTS: [string, string, Uint8Array, string][] = [
    ["iso-8859-1", "text/plain; charset=iso-8859-1", bytesOf("caf\xe9"), "café"],
    ["windows-1252", 'text/csv; charset="Windows-1252"', bytesOf("5 \x80"), "5 €"],
    ["utf-16le", "text/plain; charset=utf-16le", utf16("café €"), "café €"],
    ["utf-16be", "text/plain; charset=utf-16be", utf16("café €", { bigEndian: true }), "café €"],
    ["utf-16 by its mark", "text/plain", utf16("\ufeffcafé €"), "café €"],
    ["utf-8 with a mark", "text/plain; charset=iso-8859-1", bytesOf("\xef\xbb\xbfcaf\xc3\xa9"), "café"],
    ["shift_jis", "text/plain; charset=shift_jis", bytesOf("\x93\xfa\x96\x7b"), "日本"],
    ["one that is not known", "text/plain; charset=x-nothing", bytesOf("caf\xc3\xa9"), "café"],
  ]

  test.each(TEXTS)("An attached file in the charset %s is decoded", async (_charset, type, bytes, text) => {
    const content = await shown({ name: "notes.txt", type, bytes })
    // In UTF-8, at most as many bytes are shown as the file has.
    const fits = new TextEncoder().encode(text).length <= bytes.length
    expect(content).toContain(fits ? `:\\n${text}\\n` : "its first")
  })

  test.each(TEXTS)("The tool read_file decodes the charset %s", async (_charset, type, bytes, text) => {
    const client = await world.createAccount()
    const space = await client.space()
    const { file_id } = await sendPart(client, space, { name: "notes.txt", type, bytes })
    const turn = await client.runTurn({ space, files: [file_id], text: '[call read_file {"file":"notes.txt"}]' })
    expect(turn.result).toMatch(new RegExp(`read_file answered: ${text}$`))
  })

  test.each<[string, string, Uint8Array]>([
    ["iso-8859-1", "é".repeat(70_000), bytesOf("\xe9".repeat(70_000))],
    ["windows-1252", "€".repeat(50_000), bytesOf("\x80".repeat(50_000))],
    ["utf-16le", `a${"語я👍".repeat(9000)}`, utf16(`a${"語я👍".repeat(9000)}`)],
    ["shift_jis", "a日本".repeat(20_000), bytesOf("a\x93\xfa\x96\x7b".repeat(20_000))],
  ])("A long text in %s is shown in consecutive windows without a gap", async (charset, whole, bytes) => {
    const client = await world.createAccount()
    const space = await client.space()
    const type = `text/plain; charset=${charset}`
    const { file_id } = await sendPart(client, space, { name: "w.txt", type, bytes })
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
})
