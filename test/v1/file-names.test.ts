import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type FileAnswer, remains, upload } from "../harness/files.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("names and types", () => {
  const scripts = [
    "résumé.pdf",
    "Отчёт.txt",
    "تقرير.txt",
    "דוח.txt",
    "报告.txt",
    "レポート.txt",
    "보고서.txt",
    "รายงาน.txt",
    "रिपोर्ट.txt",
    "ἀναφορά.txt",
    "հաշվետվություն.txt",
    "ანგარიში.txt",
    "அறிக்கை.txt",
    "ሪፖርት.txt",
    "👩‍👩‍👧‍👦.txt",
  ]
  test.each(scripts)("%s stays as it is, and comes back in Content-Disposition", async (name) => {
    const client = await world.createAccount()
    const space = await client.space()
    const file = (await (
      await upload(world, client, space, `?name=${encodeURIComponent(name)}`, "x")
    ).json()) as FileAnswer
    expect(file.name).toBe(name.normalize("NFC"))
    const content = await client.call("GET", `/v1/files/${file.file_id}/content`)
    const disposition = content.headers.get("content-disposition") ?? ""
    expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1] ?? "")).toBe(file.name)
  })

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\plan.doc", "plan.doc"],
    ["a\u0007b\u001b[31m.txt", "ab[31m.txt"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["..", "file"],
    ["/", "file"],
    ["\u200b", "file"],
    [`${"x".repeat(296)}.txt`, `${"x".repeat(196)}.txt`],
    [`${"語".repeat(300)}.txt`, `${"語".repeat(83)}.txt`],
    [`${"👍".repeat(300)}.png`, `${"👍".repeat(62)}.png`],
  ])("%j becomes %j", async (given, safe) => {
    const client = await world.createAccount()
    const space = await client.space()
    const response = await upload(world, client, space, `?name=${encodeURIComponent(given)}`, "x")
    expect(response.status, await response.clone().text()).toBe(201)
    expect(await response.json()).toMatchObject({ name: safe })
  })

  test.each([
    ["a.pdf", "application/pdf", "application/pdf"],
    ["a.pdf", "application/x-www-form-urlencoded", "application/pdf"],
    ["a.bin", "nonsense", "application/octet-stream"],
    ["a.txt", "Text/Plain; Charset=UTF-8; x=y", "text/plain; charset=utf-8"],
    ["a.bin", "a/b\u00e4", "application/octet-stream"],
  ])("%s sent as %j is %s", async (name, sent, media_type) => {
    const client = await world.createAccount()
    const space = await client.space()
    const response = await upload(world, client, space, `?name=${name}`, "x", { "content-type": sent })
    expect(await response.json()).toMatchObject({ media_type })
  })
})

describe("downloads", () => {
  test("ranges, conditions, and nothing that a browser would run", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await upload(world, client, space, "?name=page.html", "0123456789", { "content-type": "text/html" })
    const { file_id, sha256: hash } = (await sent.json()) as FileAnswer
    const get = (headers: Record<string, string>) =>
      client.call("GET", `/v1/files/${file_id}/content`, undefined, headers)
    const whole = await get({})
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "text/html",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      etag: `"${hash}"`,
    })
    expect(whole.headers.get("content-disposition")).toMatch(/^attachment; filename="page.html"/)
    expect(await whole.text()).toBe("0123456789")
    for (const [range, text, content] of [
      ["bytes=2-4", "234", "bytes 2-4/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-3", "789", "bytes 7-9/10"],
      ["bytes=0-99", "0123456789", "bytes 0-9/10"],
    ] as const) {
      const part = await get({ range })
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, content, text])
    }
    expect((await get({ range: "bytes=10-" })).status).toBe(416)
    expect((await get({ range: "bytes=4-2" })).status).toBe(200)
    expect((await get({ "if-none-match": `"${hash}"` })).status).toBe(304)
  })

  test("another tenant, a narrower scope, a test key and a deleted file: 404, every time", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const { file_id } = (await (await upload(world, client, space, "?name=a", "x")).json()) as FileAnswer
    const stranger = await world.createAccount()
    const narrow = world.createClient(client.userId, (await world.makeKey(client.userId)).value)
    const tester = world.createClient(
      client.userId,
      (await world.makeKey(client.userId, { test: true, scope: "all" })).value,
    )
    const paths = [`/v1/files/${file_id}`, `/v1/files/${file_id}/content`, `/v1/spaces/${space}/files`]
    for (const other of [stranger, narrow, tester]) {
      for (const path of paths) expect((await other.call("GET", path)).status).toBe(404)
      expect((await other.call("DELETE", `/v1/files/${file_id}`)).status).toBe(404)
      expect((await upload(world, other, space, "?name=b", "x")).status).toBe(404)
    }
    const deleted = await client.call("DELETE", `/v1/files/${file_id}`)
    expect(await deleted.json()).toEqual({ file_id, deleted: true })
    expect((await client.call("DELETE", `/v1/files/${file_id}`)).status).toBe(404)
    for (const path of paths.slice(0, 2)) expect((await client.call("GET", path)).status).toBe(404)
    expect(await remains(world, client)).toEqual({ rows: 0, objects: 0 })
  })

  test("lists are paged, newest first", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    for (const name of ["1", "2", "3"]) {
      await upload(world, client, space, `?name=${name}`, "x")
      await world.advance(1)
    }
    const first = (await (await client.call("GET", `/v1/spaces/${space}/files?limit=2`)).json()) as {
      data: FileAnswer[]
      next_cursor: string
    }
    expect(first.data.map(({ name }) => name)).toEqual(["3", "2"])
    const next = await client.call("GET", `/v1/spaces/${space}/files?limit=2&cursor=${first.next_cursor}`)
    expect(await next.json()).toMatchObject({ data: [{ name: "1" }], has_more: false, next_cursor: null })
  })
})
