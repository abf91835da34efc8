import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createFileClient, type FileAnswer, multipartForm } from "../harness/files.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function createFiles() {
  const client = createFileClient(world, await world.createAccount())
  return { client, space: await client.space() }
}

const FORM = { "content-type": "multipart/form-data; boundary=b" }
const part = (disposition: string, content = "x") =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const FILE = part('name="file"; filename="a"')

const WRONG: [string, string, string | null, Record<string, string>, string][] = [
  ["no name", "", "x", {}, "name"],
  ["an empty name", "?name=", "x", {}, "name"],
  ["a name of 1,025 characters", `?name=${"x".repeat(1025)}`, "x", {}, "name"],
  ["a NUL in the name", "?name=a%00b", "x", {}, "name"],
  ["an unknown parameter", "?name=a&nme=b", "x", {}, "nme"],
  ["a form without a body", "", null, FORM, "body"],
  ["a malformed form", "", "x", FORM, "body"],
  ["an empty form", "", "--b--", FORM, "file"],
  ["a form without a file", "", `${part("name=a")}--b--`, FORM, "file"],
  ["a form without a boundary", "", FILE, { "content-type": "multipart/form-data" }, "body"],
  ["an empty boundary", "", FILE, { "content-type": 'multipart/form-data; boundary=""' }, "body"],
  [
    "a boundary that is too long",
    "",
    FILE,
    { "content-type": `multipart/form-data; boundary=${"b".repeat(71)}` },
    "body",
  ],
  [
    "a boundary other than the declared one",
    "",
    `${FILE}--b--`,
    { "content-type": "multipart/form-data; boundary=c" },
    "body",
  ],
  ["a file without its end", "", FILE.slice(0, -2), FORM, "body"],
  ["a form without its end", "", FILE, FORM, "body"],
  ["half of the end", "", `${FILE}--b-`, FORM, "body"],
  ["headers without an end", "", "--b\r\nContent-Disposition: form-data; name=file", FORM, "body"],
  ["headers that are too long", "", part(`name=file; filename="${"x".repeat(17_000)}"`), FORM, "body"],
  ["a part without a disposition", "", "--b\r\n\r\nx\r\n--b--", FORM, "body"],
  ["a part without a name", "", `${part('filename="a"')}--b--`, FORM, "body"],
  ["a malformed header", "", "--b\r\nnonsense\r\n\r\nx\r\n--b--", FORM, "body"],
  ["two files", "", `${FILE}${FILE}--b--`, FORM, "file"],
  ["a second file of another name", "", `${FILE}${part('name="other"; filename="b"')}--b--`, FORM, "file"],
  ["a file of another name", "", `${part('name="upload"; filename="a"')}--b--`, FORM, "file"],
  ["a file without a filename", "", `${part("name=file")}--b--`, FORM, "file"],
  ["too many parts", "", `${FILE}${part("name=a").repeat(10)}--b--`, FORM, "body"],
  ["too much before the file", "", `${part("name=a", "x".repeat(70_000))}${FILE}--b--`, FORM, "body"],
  ["too much after the file", "", `${FILE}${part("name=a", "x".repeat(70_000))}--b--`, FORM, "body"],
  ["too much before the form", "", `${"x".repeat(70_000)}\r\n${FILE}--b--`, FORM, "body"],
  ["too much after the form", "", `${FILE}--b--${"x".repeat(70_000)}`, FORM, "body"],
]

describe("Refused uploads", () => {
  test.each(WRONG)("The upload is refused: %s", async (_what, query, body, headers, param) => {
    const { client, space } = await createFiles()
    const response = await client.upload(space, query, body, headers)
    const answer = await response.json()
    expect([response.status, answer]).toMatchObject([422, { error: { code: "VALIDATION_FAILED", param } }])
    expect(await client.listed(space)).toEqual([])
    expect(await client.remains()).toEqual({ rows: 0, objects: 0 })
  })

  test("An archived space refuses new files and keeps its old ones", async () => {
    const { client, space } = await createFiles()
    const { file_id } = await client.add(space)
    await world.sql("update spaces set archived_at = now() where slug = $1", [space])
    const response = await client.upload(space, "?name=b", "x")
    expect([response.status, await response.json()]).toMatchObject([409, { error: { code: "SPACE_ARCHIVED" } }])
    expect(await client.listed(space)).toMatchObject([{ file_id }])
  })

  test("Other operations still accept JSON only", async () => {
    const { client, space } = await createFiles()
    const put = await client.call("POST", "/v1/spaces", "x", { "content-type": "application/octet-stream" })
    expect(put.status).toBe(415)
    expect((await client.call("PUT", `/v1/spaces/${space}/files`, {})).status).toBe(405)
  })
})

describe("Names", () => {
  const SCRIPTS = [
    "résumé.pdf",
    "Отчёт.txt",
    "ἀναφορά.txt",
    "تقرير.txt",
    "می‌خواهم.txt",
    "דוח.txt",
    "报告.txt",
    "レポート.txt",
    "보고서.txt",
    "รายงาน.txt",
    "रिपोर्ट.txt",
    "ශ්‍රී.txt",
    "հաշվետվություն.txt",
    "ანგარიში.txt",
    "அறிக்கை.txt",
    "ሪፖርት.txt",
    "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️.txt",
    "100% (final) 'a'*;,.txt",
  ]

  test.each(SCRIPTS)(
    "The name %s stays unchanged, in every form, and is returned in Content-Disposition",
    async (name) => {
      const { client, space } = await createFiles()
      const named = async (disposition: string) => {
        const { headers, around } = multipartForm(`name="file"; ${disposition}`)
        return client.add(space, "", around.join("x"), headers)
      }
      const files = [
        await client.add(space, `?name=${encodeURIComponent(name)}`),
        await named(`filename="${name}"`),
        await named(`filename="wrong.txt"; filename*=UTF-8''${encodeURIComponent(name)}`),
        await named(`filename*=utf-8'en'${encodeURIComponent(name)}`),
      ]
      expect(files.map((file) => file.name)).toEqual(files.map(() => name.normalize("NFC")))
      const content = await client.download(files[0]?.file_id ?? "")
      const disposition = content.headers.get("content-disposition") ?? ""
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w%.!~-]+$/)
      expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1] ?? "")).toBe(name.normalize("NFC"))
    },
  )

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\plan.doc", "plan.doc"],
    ["a\u0007b\u001b[31m\u007f\u0085.txt", "ab[31m.txt"],
    ["a\r\nSet-Cookie: x=y.txt", "aSet-Cookie: x=y.txt"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["\u2066a\u2069\u200e\u200f\u061c.txt", "a.txt"],
    ["a\u200bb\u2060c\ufeff\u00ad.txt", "abc.txt"],
    ["pay\u200dpal\u200c.txt", "paypal.txt"],
    ["e\u200b\u0301.txt", "\u00e9.txt"],
    ["cafe\u0301.txt", "caf\u00e9.txt"],
    ["  a.txt  ", "a.txt"],
    [".", "file"],
    ["..", "file"],
    ["a/..", "file"],
    ["/", "file"],
    [" ", "file"],
    ["\u200b", "file"],
    [".gitignore", ".gitignore"],
    ["x".repeat(300), "x".repeat(200)],
    [`${"x".repeat(296)}.txt`, `${"x".repeat(196)}.txt`],
    [`${"語".repeat(300)}.txt`, `${"語".repeat(83)}.txt`],
    [`${"👍".repeat(300)}.png`, `${"👍".repeat(62)}.png`],
    [`${"👩‍👩‍👧‍👦".repeat(30)}.png`, `${"👩‍👩‍👧‍👦".repeat(10)}.png`],
    [`${"e\u0323\u0302".repeat(300)}.txt`, `${"\u1ec7".repeat(83)}.txt`],
    [`a.${"x".repeat(300)}`, `a.${"x".repeat(198)}`],
  ])("The name %j becomes %j", async (given, safe) => {
    const { client, space } = await createFiles()
    expect(await client.add(space, `?name=${encodeURIComponent(given)}`)).toMatchObject({ name: safe })
  })

  test.each([
    ['filename="a\\"b.txt"', 'a"b.txt'],
    ['filename="a%22b.txt"', 'a"b.txt'],
    ['filename="C:\\dir\\a.txt"', "a.txt"],
    ['filename="a;b=c.txt"', "a;b=c.txt"],
    ["filename=plain.txt", "plain.txt"],
    ["filename=\"a.txt\"; filename*=UTF-8''%ZZ%", "%ZZ%"],
    ["filename=\"a.txt\"; filename*=UTF-8''%ff%fe", "a.txt"],
    ["filename=\"a.txt\"; filename*=no-such'en'b", "a.txt"],
    ["filename=\"a.txt\"; filename*=iso-8859-1''%e9.txt", "é.txt"],
  ])("A form with %s names the file %j", async (disposition, name) => {
    const { client, space } = await createFiles()
    const { headers, around } = multipartForm(`name="file"; ${disposition}`)
    expect(await client.add(space, "", around.join("x"), headers)).toMatchObject({ name })
  })

  test("The name in the query takes precedence over the form's name", async () => {
    const { client, space } = await createFiles()
    const { headers, around } = multipartForm()
    expect(await client.add(space, "?name=b.txt", around.join("x"), headers)).toMatchObject({ name: "b.txt" })
  })
})

describe("Media types", () => {
  const OCTETS = "application/octet-stream"
  test.each([
    ["application/pdf", "application/pdf"],
    ["IMAGE/SVG+XML", "image/svg+xml"],
    ["Text/Plain; Charset=UTF-8; x=y", "text/plain; charset=utf-8"],
    ['text/plain; format=flowed; charset="us-ascii"', "text/plain; charset=us-ascii"],
    ["text/plain; charset=a b", "text/plain"],
    ["multipart/related; boundary=b", "multipart/related"],
    ["nonsense", OCTETS],
    ["text/html\u00e4", OCTETS],
    ["text/html, text/plain", OCTETS],
    ["", OCTETS],
    [`text/${"x".repeat(200)}`, OCTETS],
  ])("The media type %j is stored as %j", async (sent, media_type) => {
    const { client, space } = await createFiles()
    const raw = await client.add(space, "?name=a", new TextEncoder().encode("x"), { "content-type": sent })
    const { headers, around } = multipartForm('name="file"; filename="a"', sent)
    const formed = await client.add(space, "", around.join("x"), headers)
    expect([raw.media_type, formed.media_type]).toEqual([media_type, media_type])
    const content = await client.download(raw.file_id)
    expect(content.headers.get("content-type")).toBe(media_type)
  })

  test("The type that curl sends by default is ignored", async () => {
    const { client, space } = await createFiles()
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const file: FileAnswer = await client.add(space, "?name=a", "x", headers)
    expect(file.media_type).toBe(OCTETS)
  })
})
