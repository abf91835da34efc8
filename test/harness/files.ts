import { createHash } from "node:crypto"
import { FILE_POLICY } from "../../src/files/policies.ts"
import type { TestClient, World } from "./world.ts"

export interface FileAnswer {
  file_id: string
  space: string
  turn: string | null
  name: string
  media_type: string
  bytes: number
  sha256: string
  created_at: string
}

export const MiB = 1024 * 1024

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")

const piece = Uint8Array.from({ length: MiB }, (_, index) => (index * 31 + (index >> 8)) & 255)

/**
 * A stream of this many bytes, generated on read. `breakAt` is the offset at which it fails;
 * `around` is the text before and after the bytes.
 */
export function byteStream(
  total: number,
  { breakAt, around = ["", ""] }: { breakAt?: number; around?: [string, string] } = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const bytes = (function* () {
    yield encoder.encode(around[0])
    for (let sent = 0; sent < total; sent += MiB) yield piece.subarray(0, Math.min(MiB, total - sent))
    yield encoder.encode(around[1])
  })()
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (breakAt !== undefined && sent >= breakAt) return controller.error(new Error("the client went away"))
      const { done, value } = bytes.next()
      if (done) return controller.close()
      sent += value.length
      controller.enqueue(value)
    },
  })
}

/** The SHA-256 of the content of `byteStream`. */
export function sha256OfByteStream(total: number): string {
  const hash = createHash("sha256")
  for (let sent = 0; sent < total; sent += MiB) hash.update(piece.subarray(0, Math.min(MiB, total - sent)))
  return hash.digest("hex")
}

/** The text before and after a file in a form with one file, and the Content-Type of the form. */
export const multipartForm = (disposition = 'name="file"; filename="a.bin"', type = "application/octet-stream") => ({
  headers: { "content-type": "multipart/form-data; boundary=edge" },
  around: [
    `--edge\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`,
    "\r\n--edge--\r\n",
  ] as [string, string],
})

export function createFileClient(world: World, client: TestClient) {
  const upload = (space: string, query: string, body: BodyInit | null, headers: Record<string, string> = {}) =>
    world.invoke(
      new Request(`https://api.test/v1/spaces/${space}/files${query}`, {
        method: "POST",
        headers: { authorization: `Bearer ${client.key}`, ...headers },
        body,
      }),
    )
  return {
    ...client,
    upload,
    /** Uploads a file and returns it. */
    async add(space: string, query = "?name=a", body: BodyInit | null = "x", headers: Record<string, string> = {}) {
      const response = await upload(space, query, body, headers)
      if (response.status !== 201) throw new Error(await response.text())
      return (await response.json()) as FileAnswer
    },
    download: (fileId: string, headers: Record<string, string> = {}, method = "GET") =>
      client.call(method, `/v1/files/${fileId}/content`, undefined, headers),
    listed: async (space: string) =>
      ((await (await client.call("GET", `/v1/spaces/${space}/files`)).json()) as { data: FileAnswer[] }).data,
    /** Counts what is left of the account's uploads: rows that are not deleted, and objects. */
    async remains(): Promise<{ rows: number; objects: number }> {
      await world.settled()
      const rows = await world.sql<{ state: string; object_key: string }>(
        "select state, object_key from files where user_id = $1",
        [client.userId],
      )
      const objects = await Promise.all(rows.map(({ object_key }) => world.bucket.head(object_key)))
      return { rows: rows.filter(({ state }) => state !== "deleted").length, objects: objects.filter(Boolean).length }
    },
  }
}

/** Moves the clock past the timeout of uploads. */
export const outliveUploads = (world: World) => world.advance(FILE_POLICY.uploadLimitMs)

type BucketCall = "get" | "put" | "delete" | "createMultipartUpload" | "uploadPart" | "complete" | "abort"

/**
 * Makes the bucket fail at one of its calls (or the named one), before or after its effect as
 * `when` says. Returns a function that repairs it, and one that reports whether a multipart upload
 * is open.
 */
export function breakBucket(world: World, call: BucketCall | null, when: "before" | "after" = "before") {
  const begun: R2MultipartUpload[] = []
  const real = world.bucket
  const at = <Args extends unknown[], Answer>(name: BucketCall, work: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      if (name === call && when === "before") throw new Error("R2 is down")
      const answer = await work(...args)
      if (name === call) throw new Error("R2's answer was lost")
      return answer
    }
  }
  world.rebind({
    FILES: {
      get: at("get", (key: string, options: R2GetOptions) => real.get(key, options)),
      put: at("put", (key: string, bytes: Uint8Array) => real.put(key, bytes)),
      delete: at("delete", (keys: string[]) => real.delete(keys)),
      createMultipartUpload: at("createMultipartUpload", async (key: string) => {
        const upload = await real.createMultipartUpload(key)
        begun.push(upload)
        return {
          uploadPart: at("uploadPart", (place: number, part: Uint8Array) => upload.uploadPart(place, part)),
          complete: at("complete", (parts: R2UploadedPart[]) => upload.complete(parts)),
          abort: at("abort", () => upload.abort()),
        }
      }),
    },
  })
  return {
    mend: () => world.rebind({ FILES: real }),
    async openUploads(): Promise<number> {
      const tries = begun.map((upload) =>
        upload.uploadPart(1, "x").then(
          () => true,
          () => false,
        ),
      )
      return (await Promise.all(tries)).filter(Boolean).length
    },
  }
}
