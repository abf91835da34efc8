import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  const { userId } = await world.createAccount()
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  space = await client.space()
})
afterAll(() => world.close())

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const utf16 = (text: string) => new Uint8Array(new Uint16Array([...`\ufeff${text}`].map((c) => c.charCodeAt(0))).buffer)

async function send(method: string, path: string, body: BodyInit, headers: Record<string, string> = {}) {
  const request = new Request(`https://api.test${path}`, {
    method,
    headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json", ...headers },
    body,
    duplex: "half",
  } as RequestInit)
  const response = await world.invoke(request)
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
  return [response.status, (await response.json()) as any] as const
}

/** A body that arrives in pieces, without a Content-Length. */
const inPieces = (bytes: Uint8Array) =>
  new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })

const turn = (ref: string, more = "") => `{"space": "${space}", "text": "Hello", "end_user_ref": "${ref}"${more}}`

describe("A body that is not UTF-8 is refused with the place of its first wrong byte", () => {
  test.each([
    ["Latin-1, at the end of a name", () => latin1(turn("Andr\xe9")), /0xE9/],
    ["Latin-1, within a name", () => latin1(turn("J\xfcrgen")), /0xFC/],
    ["Windows-1252 quotes", () => latin1(turn("\x93Ann\x94")), /0x93/],
    ["Shift-JIS", () => latin1(turn("\x93\xfa\x96{")), /0x93/],
    ["UTF-16 with a mark", () => utf16(turn("Ann")), /byte 1 is 0xFF/],
    ["a surrogate in UTF-8", () => latin1(turn("\xed\xa0\x80")), /0xED/],
    ["an overlong form", () => latin1(turn("\xc0\xaf")), /0xC0/],
    ["a cut character", () => latin1(turn("\xe2\x82")), /0xE2/],
  ])("The body is %s", async (_name, bytes, place) => {
    for (const body of [bytes(), inPieces(bytes())]) {
      const [status, { error }] = await send("POST", "/v1/turns", body, { "idempotency-key": crypto.randomUUID() })
      expect([status, error.code]).toEqual([400, "INVALID_JSON"])
      expect(error.message).toMatch(place)
    }
  })

  test("The place is counted from 1", async () => {
    const [, { error }] = await send("POST", "/v1/spaces", latin1('{"title": "\xe4"}'))
    expect(error.message).toMatch(/byte 12 is 0xE4/)
  })

  test("A secret and instructions are refused as well", async () => {
    expect((await send("PUT", `/v1/spaces/${space}/secrets/TOKEN`, latin1('{"value": "p\xe4ss"}')))[0]).toBe(400)
    expect((await send("PUT", `/v1/spaces/${space}/manifest`, latin1('{"instructions": "Gr\xfc\xdf dich"}')))[0]).toBe(
      400,
    )
  })

  test("UTF-8 is accepted with and without a byte order mark, whole and in pieces, and nothing is replaced", async () => {
    const bytes = new TextEncoder().encode(`\ufeff${turn("André 😀 \ufffd")}`)
    for (const body of [bytes, inPieces(bytes), bytes.slice(3)]) {
      const [status, answer] = await send("POST", "/v1/turns", body, { "idempotency-key": crypto.randomUUID() })
      expect([status, answer.end_user_ref]).toEqual([202, "André 😀 \ufffd"])
    }
  })
})

describe("A charset or a compression that is not read is 415 with its name", () => {
  test.each([
    ["application/json; charset=iso-8859-1", "iso-8859-1"],
    ['application/json;charset="windows-1252"', "windows-1252"],
    ["application/json; charset=utf-16", "utf-16"],
    ["application/json; charset=shift_jis; a=b", "shift_jis"],
  ])("The type is %s", async (type, name) => {
    const [status, { error }] = await send("POST", "/v1/spaces", '{"title": "A"}', { "content-type": type })
    expect([status, error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
    expect(error.message).toContain(name)
  })

  test.each([
    "application/json; charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json;charset=us-ascii",
  ])("Content-Type %s is accepted", async (type) =>
    expect((await send("POST", "/v1/spaces", '{"title": "A"}', { "content-type": type }))[0]).toBe(201),
  )

  test.each(["gzip", "br", "deflate", "zstd", "gzip, identity", "x-unknown"])(
    "The encoding is %s",
    async (encoding) => {
      const more = { "content-encoding": encoding }
      const [status, { error }] = await send("POST", "/v1/spaces", '{"title": "A"}', more)
      expect([status, error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
      expect(error.message).toContain(encoding)
      const [upload] = await send("POST", `/v1/spaces/${space}/files?name=a.txt`, "text", {
        ...more,
        "content-type": "text/plain",
      })
      expect(upload).toBe(415)
    },
  )

  test("Content-Encoding identity is accepted, and a wrong key is told before any word about the body", async () => {
    expect((await send("POST", "/v1/spaces", '{"title": "A"}', { "content-encoding": "identity" }))[0]).toBe(201)
    const headers = { "content-encoding": "gzip", authorization: "Bearer tp_live_unknown" }
    expect((await send("POST", "/v1/spaces", latin1("\xff"), headers))[0]).toBe(401)
  })
})

describe("A form's names are UTF-8", () => {
  const form = (head: string) =>
    latin1(`--b\r\nContent-Disposition: form-data; name="file"; ${head}\r\n\r\nbytes \xff\r\n--b--\r\n`)
  const upload = (body: Uint8Array, type = "multipart/form-data; boundary=b") =>
    send("POST", `/v1/spaces/${space}/files`, body, { "content-type": type, "idempotency-key": crypto.randomUUID() })

  test.each([
    ["Latin-1", 'filename="Stra\xdfe.txt"'],
    ["Windows-1252", 'filename="\x80.txt"'],
    ["an encoded name", "filename*=UTF-8''Stra%DFe.txt"],
  ])("A file name in %s is refused", async (_name, head) => {
    const [status, { error }] = await upload(form(head))
    expect([status, error.code]).toEqual([400, "INVALID_ENCODING"])
  })

  test.each([
    ['filename="Stra\xc3\x9fe.txt"', "Straße.txt"],
    ["filename*=UTF-8''Stra%C3%9Fe.txt", "Straße.txt"],
    ["filename*=iso-8859-1''Stra%DFe.txt", "Straße.txt"],
  ])("%s is accepted, and the file's bytes may be any", async (head, name) => {
    const [status, file] = await upload(form(head))
    expect([status, file.name]).toEqual([201, name])
  })

  test("A form in another charset is 415", async () => {
    expect((await upload(form('filename="a.txt"'), "multipart/form-data; charset=iso-8859-1; boundary=b"))[0]).toBe(415)
  })
})

describe("A field that would be lost is refused", () => {
  test.each([
    ["metadata", ', "metadata": {"__proto__": "px", "a": "b"}'],
    ["metadata, escaped", ', "metadata": {"\\u005f_proto__": "px"}'],
    ["metadata, half escaped", ', "metadata": {"__pr\\u006fto__": "px"}'],
    ["the body", ', "__proto__": {"model": "x"}'],
  ])("It is in %s", async (_name, more) => {
    const [status, { error }] = await send("POST", "/v1/turns", turn("one", more), {
      "idempotency-key": crypto.randomUUID(),
    })
    expect([status, error.code]).toEqual([422, "VALIDATION_FAILED"])
    expect(error.message).toContain("__proto__")
  })

  test("A usage key and a query of this name are refused, and names of other built-in fields are kept", async () => {
    expect((await send("PUT", "/v1/usage-keys", '{"keys": ["__proto__"]}'))[0]).toBe(422)
    expect((await client.call("GET", "/v1/spaces?__proto__=x")).status).toBe(422)
    const names = { constructor: "a", toString: "b", hasOwnProperty: "c", prototype: "d", "\\u0000": "e" }
    const kept = JSON.stringify(names).replace('"\\\\u0000"', '"__defineGetter__"')
    const more = `, "metadata": ${kept}`
    const [status, { metadata }] = await send("POST", "/v1/turns", turn("one", more), {
      "idempotency-key": crypto.randomUUID(),
    })
    expect([status, metadata]).toEqual([202, JSON.parse(kept)])
    expect((await send("PUT", "/v1/usage-keys", '{"keys": ["constructor", "toString"]}'))[0]).toBe(200)
    await world.drain()
    const usage = (await (await client.call("GET", "/v1/usage?group_by=metadata.constructor")).json()) as {
      data: object[]
    }
    expect(JSON.stringify(usage)).toContain('"a"')
  })
})

test("The end user in a header is text in UTF-8, or the request is refused", async () => {
  const ask = (ref: string) =>
    send("POST", "/v1/openai/responses", JSON.stringify({ model: space, input: "Hello", background: true }), {
      "turnpike-end-user": ref,
    })
  expect((await ask("Andr\ufffd"))[1].error.code).toBe("INVALID_ENCODING")
  expect((await ask("André"))[0]).toBe(200)
})
