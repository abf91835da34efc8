import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FILE_POLICY } from "../../src/files/policies.ts"
import { type FileAnswer, listed, remains, sha256, streamOf, upload } from "../harness/files.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("uploads", () => {
  const MiB = 1024 * 1024
  test.each([0, 1, 5 * MiB, FILE_POLICY.partBytes, FILE_POLICY.partBytes + 1, 20 * MiB])(
    "%i bytes come back as they were",
    async (bytes) => {
      const client = await world.createAccount()
      const space = await client.space()
      const body = streamOf(bytes)
      const response = await upload(world, client, space, "?name=a.bin", bytes === 0 ? null : body)
      expect(response.status, await response.clone().text()).toBe(201)
      const file = (await response.json()) as FileAnswer
      const whole = new Uint8Array(bytes).fill(97)
      expect(file).toMatchObject({ name: "a.bin", bytes, sha256: sha256(whole) })
      expect(response.headers.get("location")).toBe(`/v1/files/${file.file_id}`)
      const content = await client.call("GET", `/v1/files/${file.file_id}/content`)
      expect(content.headers.get("content-length")).toBe(String(bytes))
      expect(sha256(new Uint8Array(await content.arrayBuffer()))).toBe(file.sha256)
      expect(await listed(client, space)).toMatchObject([{ file_id: file.file_id }])
    },
  )

  test("as a form's part, with the part's name and type", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const form = new FormData()
    form.set("note", "not a file")
    form.set("file", new File([new Uint8Array(9 * MiB).fill(98)], "rapport é.csv", { type: "text/CSV;charset=UTF-8" }))
    const response = await upload(world, client, space, "", form)
    expect(response.status, await response.clone().text()).toBe(201)
    expect(await response.json()).toMatchObject({
      name: "rapport é.csv",
      media_type: "text/csv; charset=utf-8",
      bytes: 9 * MiB,
      sha256: sha256(new Uint8Array(9 * MiB).fill(98)),
    })
  })

  test("100 MB are taken, and one byte more is refused before it is stored", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const most = await upload(world, client, space, "?name=most", streamOf(FILE_POLICY.maxBytes))
    expect(most.status).toBe(201)
    const { file_id } = (await most.json()) as FileAnswer
    await client.call("DELETE", `/v1/files/${file_id}`)
    const said = await upload(world, client, space, "?name=more", "x", {
      "content-length": String(FILE_POLICY.maxBytes + 1),
    })
    expect(said.status).toBe(413)
    const counted = await upload(world, client, space, "?name=more", streamOf(FILE_POLICY.maxBytes + 1))
    expect(counted.status).toBe(413)
    expect(await counted.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } })
    expect(await listed(client, space)).toEqual([])
    expect(await remains(world, client)).toEqual({ rows: 0, objects: 0 })
  })

  test.each([0, 3 * MiB, 20 * MiB])("one that breaks off after %i bytes leaves nothing", async (breakAt) => {
    const client = await world.createAccount()
    const space = await client.space()
    const response = await upload(world, client, space, "?name=broken", streamOf(30 * MiB, { breakAt }))
    expect(response.status).toBe(422)
    expect(await listed(client, space)).toEqual([])
    expect(await remains(world, client)).toEqual({ rows: 0, objects: 0 })
  })

  test("the store failing at any of its calls leaves nothing", async () => {
    const real = world.env.FILES as R2Bucket
    for (const [broken, bytes] of [
      ["put", MiB],
      ["createMultipartUpload", 20 * MiB],
      ["uploadPart", 20 * MiB],
      ["complete", 20 * MiB],
    ] as const) {
      const client = await world.createAccount()
      const space = await client.space()
      const fail = () => Promise.reject(new Error("R2 is down"))
      const createMultipartUpload = async (key: string) => {
        const begun = await real.createMultipartUpload(key)
        return {
          uploadPart: (n: number, part: Uint8Array) => (broken === "uploadPart" ? fail() : begun.uploadPart(n, part)),
          complete: (parts: R2UploadedPart[]) => (broken === "complete" ? fail() : begun.complete(parts)),
          abort: () => begun.abort(),
        }
      }
      const methods = {
        get: real.get.bind(real),
        head: real.head.bind(real),
        delete: real.delete.bind(real),
        put: broken === "put" ? fail : real.put.bind(real),
        createMultipartUpload: broken === "createMultipartUpload" ? fail : createMultipartUpload,
      }
      world.rebind({ FILES: methods })
      const response = await upload(world, client, space, "?name=a", streamOf(bytes))
      world.rebind({ FILES: real })
      expect(response.status, broken).toBe(503)
      expect(await listed(client, space)).toEqual([])
      expect(await remains(world, client)).toEqual({ rows: 0, objects: 0 })
    }
  })

  test.each([
    ["no name", "", "x", {}, "name"],
    [
      "a form without a file",
      "",
      "--b\r\ncontent-disposition: form-data; name=a\r\n\r\nx\r\n--b--",
      { "content-type": "multipart/form-data; boundary=b" },
      "file",
    ],
    ["a form without a boundary", "", "x", { "content-type": "multipart/form-data" }, "body"],
    [
      "a form that is cut off",
      "",
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
      { "content-type": "multipart/form-data; boundary=b" },
      "body",
    ],
    [
      "two files",
      "",
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="b"\r\n\r\ny\r\n--b--\r\n',
      { "content-type": "multipart/form-data; boundary=b" },
      "file",
    ],
    ["an unknown parameter", "?name=a&nme=b", "x", {}, "nme"],
  ])("%s is refused, and nothing is kept", async (_what, query, body, headers: Record<string, string>, param) => {
    const client = await world.createAccount()
    const space = await client.space()
    const response = await upload(world, client, space, query, body, headers)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ error: { code: "VALIDATION_FAILED", param } })
    expect(await listed(client, space)).toEqual([])
    expect(await remains(world, client)).toEqual({ rows: 0, objects: 0 })
  })
})
