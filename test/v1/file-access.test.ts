import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { breakBucket, createFileClient, type FileAnswer, outliveUploads } from "../harness/files.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function createFiles() {
  const client = createFileClient(world, await world.createAccount())
  return { client, space: await client.space() }
}

interface FilePage {
  data: FileAnswer[]
  has_more: boolean
  next_cursor: string | null
}

describe("Downloads", () => {
  test("A download contains nothing that a browser would execute", async () => {
    const { client, space } = await createFiles()
    const file = await client.add(space, "?name=page.html", "0123456789", { "content-type": "text/html" })
    for (const method of ["GET", "HEAD"]) {
      const response = await client.download(file.file_id, {}, method)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "accept-ranges": "bytes",
        "cache-control": "no-store",
        "content-disposition": "attachment; filename=\"page.html\"; filename*=UTF-8''page.html",
        "content-length": "10",
        "content-security-policy": "sandbox; default-src 'none'",
        "content-type": "text/html",
        "x-content-type-options": "nosniff",
        "x-request-id": expect.stringMatching(/^req_/),
        etag: `"${file.sha256}"`,
      })
      expect([response.status, await response.text()]).toEqual([200, method === "GET" ? "0123456789" : ""])
    }
  })

  test.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=0-99", 206, "0123456789", "bytes 0-9/10"],
    ["Bytes=9-9", 206, "9", "bytes 9-9/10"],
    ["bytes=4-2", 200, "0123456789", null],
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["lines=1-2", 200, "0123456789", null],
    ["nonsense", 200, "0123456789", null],
    ["bytes=10-", 416, null, "bytes */10"],
    ["bytes=99-100", 416, null, "bytes */10"],
    ["bytes=-0", 416, null, "bytes */10"],
  ])("The header Range: %s is honoured", async (range, status, text, contentRange) => {
    const { client, space } = await createFiles()
    const { file_id } = await client.add(space, "?name=a", "0123456789")
    const response = await client.download(file_id, { range })
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange])
    if (text === null) expect(await response.json()).toMatchObject({ error: { code: "RANGE_NOT_SATISFIABLE" } })
    else {
      expect(response.headers.get("content-length")).toBe(String(text.length))
      expect(await response.text()).toBe(text)
    }
  })

  test("An empty file has no ranges", async () => {
    const { client, space } = await createFiles()
    const { file_id } = await client.add(space, "?name=a", null)
    const response = await client.download(file_id, { range: "bytes=0-" })
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */0"])
  })

  test("The headers If-None-Match and If-Range are honoured", async () => {
    const { client, space } = await createFiles()
    const { file_id, sha256 } = await client.add(space, "?name=a", "0123456789")
    const etag = `"${sha256}"`
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await client.download(file_id, { "if-none-match": tags })
      expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([304, etag, ""])
    }
    for (const tags of ['"other"', sha256]) {
      expect((await client.download(file_id, { "if-none-match": tags })).status).toBe(200)
    }
    const range = "bytes=0-1"
    expect((await client.download(file_id, { range, "if-range": etag })).status).toBe(206)
    for (const old of ['"other"', `W/${etag}`, "Wed, 21 Oct 2026 07:28:00 GMT"]) {
      expect((await client.download(file_id, { range, "if-range": old })).status).toBe(200)
    }
  })

  test("A failing bucket gives a 503", async () => {
    const { client, space } = await createFiles()
    const { file_id } = await client.add(space)
    const { mend } = breakBucket(world, "get")
    const response = await client.download(file_id)
    mend()
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "UNAVAILABLE" } }])
  })
})

describe("Access to a file", () => {
  test("Another tenant, a narrower scope, another space's key and a test key always get 404", async () => {
    const { client, space } = await createFiles()
    const elsewhere = await client.space()
    const { file_id } = await client.add(space)
    const byKey = async (key: Parameters<World["makeKey"]>[1]) =>
      world.createClient(client.userId, (await world.makeKey(client.userId, key)).value)
    const spaceId = async (slug: string) => {
      const rows = await world.sql<{ id: number }>("select space_id::integer as id from spaces where slug = $1", [slug])
      return rows[0]?.id ?? null
    }
    const blind: TestClient[] = [
      await world.createAccount(),
      await byKey({}),
      await byKey({ scope: "space", spaceId: await spaceId(elsewhere) }),
      await byKey({ scope: "all", test: true }),
    ]
    for (const other of blind) {
      const answers = [
        await other.call("GET", `/v1/files/${file_id}`),
        await other.call("GET", `/v1/files/${file_id}/content`),
        await other.call("GET", `/v1/spaces/${space}/files`),
        await other.call("DELETE", `/v1/files/${file_id}`),
        await createFileClient(world, other).upload(space, "?name=b", "x"),
      ]
      expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404])
      const [theirs, absent] = [answers[0], await other.call("GET", "/v1/files/file_none")]
      const shape = async (answer: Response | undefined) =>
        JSON.stringify(await answer?.json()).replace(/file_\w+|req_\w+/g, "…")
      expect(await shape(theirs)).toBe(await shape(absent))
    }
    const seeing = [await byKey({ scope: "space", spaceId: await spaceId(space) }), await byKey({ scope: "all" })]
    for (const other of seeing) expect((await other.call("GET", `/v1/files/${file_id}/content`)).status).toBe(200)
    expect(await client.listed(space), "no file was deleted or added").toMatchObject([{ file_id }])
    expect(await world.sql("select 1 from files where user_id = $1", [client.userId])).toHaveLength(1)
  })

  test("A file that is not ready is invisible", async () => {
    const { client, space } = await createFiles()
    for (const state of ["uploading", "pending", "deleted"]) {
      const { file_id } = await client.add(space)
      await world.sql("update files set state = $2, object_removed_at = now() where file_id = $1", [file_id, state])
      for (const path of [`/v1/files/${file_id}`, `/v1/files/${file_id}/content`]) {
        expect((await client.call("GET", path)).status, state).toBe(404)
      }
      expect((await client.call("DELETE", `/v1/files/${file_id}`)).status).toBe(404)
      expect(await client.listed(space)).toEqual([])
    }
  })
})

test("The list has pages, newest first, and filters by time", async () => {
  const { client, space } = await createFiles()
  const times: string[] = []
  for (const name of ["1", "2", "3"]) {
    times.push((await client.add(space, `?name=${name}`)).created_at)
    await world.advance(1)
  }
  await client.add(await client.space(), "?name=elsewhere")
  const list = async (query: string, of = space) =>
    (await (await client.call("GET", `/v1/spaces/${of}/files?${query}`)).json()) as FilePage
  const names = ({ data }: FilePage) => data.map(({ name }) => name)
  const first = await list("limit=2")
  expect([names(first), first.has_more]).toEqual([["3", "2"], true])
  const next = await list(`limit=2&cursor=${first.next_cursor}`)
  expect(next).toMatchObject({ data: [{ name: "1" }], has_more: false, next_cursor: null })
  expect(names(await list(`created_after=${times[1]}`))).toEqual(["3", "2"])
  expect(names(await list(`created_before=${times[1]}`))).toEqual(["1"])
  expect(await list(`cursor=${first.next_cursor}`, await client.space())).toMatchObject({ error: { param: "cursor" } })
  for (const [query, param] of [
    ["limit=0", "limit"],
    ["x=1", "x"],
    ["created_after=y", "created_after"],
  ] as const) {
    expect(await list(query)).toMatchObject({ error: { code: "VALIDATION_FAILED", param } })
  }
})

describe("Deletion", () => {
  test("A deletion returns the file, whose bytes are deleted too", async () => {
    const { client, space } = await createFiles()
    const file = await client.add(space)
    const response = await client.call("DELETE", `/v1/files/${file.file_id}`)
    expect([response.status, await response.json()]).toEqual([200, { ...file, deleted: true }])
    expect(await client.remains()).toEqual({ rows: 0, objects: 0 })
    expect(await client.listed(space)).toEqual([])
    for (const method of ["GET", "DELETE"]) {
      expect((await client.call(method, `/v1/files/${file.file_id}`)).status).toBe(404)
    }
    expect((await client.download(file.file_id)).status).toBe(404)
  })

  test("The sweeper removes the bytes that the bucket kept, however often the bucket fails", async () => {
    const { client, space } = await createFiles()
    const [kept, gone] = [await client.add(space), await client.add(space)]
    const { mend } = breakBucket(world, "delete")
    expect((await client.call("DELETE", `/v1/files/${gone.file_id}`)).status).toBe(200)
    await world.settled()
    await world.sweep()
    expect(await client.remains()).toEqual({ rows: 1, objects: 2 })
    mend()
    await world.sweep()
    expect(await client.remains()).toEqual({ rows: 1, objects: 1 })
    expect(await client.listed(space)).toEqual([kept])
    const open = await world.sql("select 1 from files where state = 'deleted' and object_removed_at is null")
    expect(open, "no object is swept twice").toEqual([])
  })

  test("One run of the sweeper removes more than one batch", async () => {
    const { client, space } = await createFiles()
    const { file_id } = await client.add(space)
    await world.sql(
      `insert into files (file_id, user_id, space_id, test, name, media_type, object_key, state, created_at, updated_at)
       select 'file_' || g, user_id, space_id, test, name, media_type, 'files/none-' || g,
         case when g % 2 = 0 then 'uploading' else 'deleted' end, created_at, updated_at
       from files, generate_series(1, 150) g where file_id = $1`,
      [file_id],
    )
    await outliveUploads(world)
    await world.sweep()
    const [left] = await world.sql<{ n: number }>(
      "select count(*)::integer as n from files where user_id = $1 and object_removed_at is null",
      [client.userId],
    )
    expect(left?.n).toBe(1)
    expect(await client.listed(space)).toMatchObject([{ file_id }])
  })
})

test("The OpenAPI document describes the upload and the download", async () => {
  const response = await staticFile("/v1/openapi.json")
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Record<string, never>>> }
  const { post } = paths["/v1/spaces/{space_id}/files"] ?? {}
  expect(post).toMatchObject({
    requestBody: {
      required: true,
      content: {
        "multipart/form-data": { schema: { type: "object", required: ["file"] } },
        "application/octet-stream": { schema: { type: "string", format: "binary" } },
      },
    },
    responses: { 201: { content: { "application/json": { schema: { $ref: "#/components/schemas/File" } } } }, 413: {} },
  })
  expect(JSON.stringify(post)).not.toContain("INVALID_JSON")
  expect(paths["/v1/files/{file_id}/content"]?.get).toMatchObject({
    responses: { 200: { content: { "*/*": {} } }, 206: { content: { "*/*": {} } }, 304: {}, 404: {}, 416: {} },
  })
})
