import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FILE_POLICY } from "../../src/files/policies.ts"
import { isThorough } from "../harness/crash.ts"
import {
  breakBucket,
  byteStream,
  createFileClient,
  type FileAnswer,
  MiB,
  multipartForm,
  outliveUploads,
  sha256,
  sha256OfByteStream,
} from "../harness/files.ts"
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

const NOTHING = { rows: 0, objects: 0 }

describe("Uploads", () => {
  const SIZES = [0, 1, 5 * MiB, FILE_POLICY.partBytes, FILE_POLICY.partBytes + 1, 2 * FILE_POLICY.partBytes, 20 * MiB]

  test.each(SIZES.filter((_, at) => isThorough || at % 2 === 0))(
    "An upload of %i bytes is returned unchanged, raw and as a form",
    async (bytes) => {
      const { client, space } = await createFiles()
      const { headers, around } = multipartForm()
      const raw = await client.add(space, "?name=a.bin", bytes === 0 ? null : byteStream(bytes))
      const formed = await client.add(space, "", byteStream(bytes, { around }), headers)
      for (const file of [raw, formed]) {
        expect(file).toMatchObject({ name: "a.bin", space, turn: null, bytes, sha256: sha256OfByteStream(bytes) })
        const content = await client.download(file.file_id)
        expect(content.headers.get("content-length")).toBe(String(bytes))
        expect(sha256(new Uint8Array(await content.arrayBuffer()))).toBe(file.sha256)
      }
      expect((await client.listed(space)).length).toBe(2)
      expect(await client.remains()).toEqual({ rows: 2, objects: 2 })
    },
  )

  test("The answer contains the file and its location", async () => {
    const { client, space } = await createFiles()
    const response = await client.upload(space, "?name=a.txt", "hello", { "content-type": "text/plain" })
    expect(response.status).toBe(201)
    const file = (await response.json()) as FileAnswer
    expect(file).toEqual({
      file_id: expect.stringMatching(/^file_[0-9a-z]{26}$/),
      space,
      turn: null,
      name: "a.txt",
      media_type: "text/plain",
      bytes: 5,
      sha256: sha256("hello"),
      created_at: world.clock.now().toISOString(),
    })
    const path = response.headers.get("location") ?? ""
    expect(path).toBe(`/v1/files/${file.file_id}`)
    expect(await (await client.call("GET", path)).json()).toEqual(file)
    expect(response.headers.get("server-timing"), "two statements").toContain('desc="calls=2"')
  })

  test("A form in the format of fetch, with other fields around the file, is accepted", async () => {
    const { client, space } = await createFiles()
    const body = new FormData()
    body.set("note", "not a file")
    body.set("file", new File([new Uint8Array(9 * MiB)], 'Отчёт "2".csv', { type: "text/CSV;charset=UTF-8" }))
    body.set("after", "neither")
    expect(await client.add(space, "", body)).toMatchObject({
      name: 'Отчёт "2".csv',
      media_type: "text/csv; charset=utf-8",
      bytes: 9 * MiB,
      sha256: sha256(new Uint8Array(9 * MiB)),
    })
  })

  test("A file of exactly the maximum size is accepted, in both forms", async () => {
    const { client, space } = await createFiles()
    const { headers, around } = multipartForm()
    const whole = { bytes: FILE_POLICY.maxBytes, sha256: sha256OfByteStream(FILE_POLICY.maxBytes) }
    expect(await client.add(space, "?name=most", byteStream(FILE_POLICY.maxBytes))).toMatchObject(whole)
    expect(await client.add(space, "", byteStream(FILE_POLICY.maxBytes, { around }), headers)).toMatchObject(whole)
  })

  test("A file that is one byte too large is refused in both forms, and none of it is stored", async () => {
    const { client, space } = await createFiles()
    const { headers, around } = multipartForm()
    const more = FILE_POLICY.maxBytes + 1
    const raw = await client.upload(space, "?name=more", byteStream(more))
    const formed = await client.upload(space, "", byteStream(more, { around }), headers)
    for (const response of [raw, formed]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE", retryable: false } })
    }
    expect(await client.listed(space)).toEqual([])
    expect(await client.remains()).toEqual(NOTHING)
  })

  test("A Content-Length above the limit is refused before its body is read and anything is written", async () => {
    const { client, space } = await createFiles()
    const { headers } = multipartForm()
    for (const [query, over, more] of [
      ["?name=a", 1, {}],
      ["", 64 * 1024 + 1, headers],
    ] as const) {
      let isRead = false
      const body = new ReadableStream(
        {
          pull(controller) {
            isRead = true
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const length = { "content-length": String(FILE_POLICY.maxBytes + over) }
      const response = await client.upload(space, query, body, { ...more, ...length })
      expect(response.status).toBe(413)
      // Only the caller is looked up: without the right to the operation it would get 401 or 403.
      expect(response.headers.get("server-timing")).toMatch(/\bpg;dur=[\d.]+;desc="calls=1"/)
      expect(isRead).toBe(false)
    }
    expect(await world.sql("select 1 from files where user_id = $1", [client.userId])).toEqual([])
  })
})

describe("Broken uploads", () => {
  test.each([0, 3 * MiB, FILE_POLICY.partBytes, 20 * MiB])(
    "A body that breaks off after %i bytes leaves no data",
    async (breakAt) => {
      const { client, space } = await createFiles()
      const { headers, around } = multipartForm()
      const { mend, openUploads } = breakBucket(world, null)
      const raw = await client.upload(space, "?name=broken", byteStream(30 * MiB, { breakAt }))
      const formed = await client.upload(space, "", byteStream(30 * MiB, { breakAt, around }), headers)
      mend()
      expect(await openUploads(), "the upload was aborted").toBe(0)
      for (const response of [raw, formed]) {
        expect(response.status).toBe(422)
        expect(await response.json()).toMatchObject({ error: { code: "VALIDATION_FAILED", param: "body" } })
      }
      expect(await client.listed(space)).toEqual([])
      expect(await client.remains()).toEqual(NOTHING)
    },
  )

  test.each([
    ["put", "before", MiB],
    ["put", "after", MiB],
    ["createMultipartUpload", "before", 20 * MiB],
    ["createMultipartUpload", "after", 20 * MiB],
    ["uploadPart", "before", 20 * MiB],
    ["uploadPart", "after", 20 * MiB],
    ["complete", "before", 20 * MiB],
    ["complete", "after", 20 * MiB],
  ] as const)("A bucket that fails at %s, %s its effect, leaves no data", async (call, when, bytes) => {
    const { client, space } = await createFiles()
    const { mend, openUploads } = breakBucket(world, call, when)
    const response = await client.upload(space, "?name=a", byteStream(bytes))
    await world.settled()
    mend()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: "UNAVAILABLE", retryable: true } })
    expect(response.headers.get("retry-after")).toBe("1")
    // The id of an upload whose first answer was lost is unknown. R2 removes the upload by itself.
    expect(await openUploads()).toBe(call === "createMultipartUpload" && when === "after" ? 1 : 0)
    expect(await client.listed(space)).toEqual([])
    expect(await client.remains()).toEqual(NOTHING)
  })

  test.each(["before", "after"] as const)("A last statement that fails %s its effect leaves no data", async (when) => {
    const { client, space } = await createFiles()
    await world.plan([{ service: "pg", call: 2, action: "cut", when }])
    const response = await client.upload(space, "?name=a", byteStream(MiB))
    await world.clearFaults()
    expect(response.status).toBe(503)
    expect(await client.listed(space)).toEqual([])
    expect(await client.remains()).toEqual(NOTHING)
  })

  test("A failed cleanup leaves no file in the list, and the sweeper removes the rest", async () => {
    const { client, space } = await createFiles()
    await world.plan([{ service: "pg", call: 2, action: "cut", when: "before", times: 99 }])
    expect((await client.upload(space, "?name=a", byteStream(MiB))).status).toBe(503)
    await world.settled()
    await world.clearFaults()
    expect(await client.listed(space)).toEqual([])
    expect(await client.remains()).toEqual({ rows: 1, objects: 1 })
    await world.sweep()
    expect(await client.remains(), "the upload may still be in progress").toEqual({ rows: 1, objects: 1 })
    await outliveUploads(world)
    await world.sweep()
    expect(await client.remains()).toEqual(NOTHING)
  })

  test("An upload that the sweeper gave up in the meantime is refused, and its late object is removed", async () => {
    const { client, space } = await createFiles()
    const source = byteStream(MiB).getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await source.read()
        if (!done) return controller.enqueue(value)
        // Slow enough for the sweeper to act, but fast enough that the upload does not time out.
        await world.sql("update files set created_at = created_at - interval '1 day' where state = 'uploading'")
        await world.sweep()
        controller.close()
      },
    })
    const response = await client.upload(space, "?name=slow", body)
    expect([response.status, await response.json()]).toMatchObject([409, { error: { code: "CONFLICT" } }])
    expect(await client.remains()).toEqual(NOTHING)
  })
})
