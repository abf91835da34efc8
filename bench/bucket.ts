import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** A request of the runtime to a bucket. It is JSON, in a header or before the bytes of a body. */
interface Request {
  method: "get" | "put" | "delete" | "createMultipartUpload" | "uploadPart" | "completeMultipartUpload"
  object: string
  objects?: string[]
  uploadId: string
  partNumber: number
}

/**
 * Starts an R2 bucket in the memory of this process, which does not count as memory of the measured worker. It supports
 * no ranges, conditions or lists.
 */
export async function startBucket() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Buffer[]>()
  const describe = (name: string) => ({
    name,
    version: "1",
    size: objects.get(name)?.length ?? 0,
    etag: "00000000000000000000000000000000",
    uploaded: Date.now(),
    checksums: {},
  })

  async function answer(request: Request, body: Buffer): Promise<{ json: object; bytes?: Buffer }> {
    const { method, object, uploadId } = request
    if (method === "createMultipartUpload") {
      uploads.set(object, [])
      return { json: { uploadId: object } }
    }
    if (method === "uploadPart") {
      uploads.get(uploadId)?.push(body)
      return { json: { etag: String(request.partNumber) } }
    }
    if (method === "completeMultipartUpload") {
      objects.set(object, Buffer.concat(uploads.get(uploadId) ?? []))
      uploads.delete(uploadId)
    }
    if (method === "put") objects.set(object, body)
    if (method === "delete") for (const key of request.objects ?? [object]) objects.delete(key)
    const bytes = method === "get" ? objects.get(object) : undefined
    return { json: describe(object), ...(bytes && { bytes }) }
  }

  const server = createServer(async (incoming, response) => {
    const found = await read(incoming).catch(() => null)
    // The worker has aborted the upload.
    if (!found) return
    const { request, body } = found
    const { json, bytes = Buffer.alloc(0) } = await answer(request, body)
    const text = Buffer.from(JSON.stringify(json))
    response.writeHead(200, { "cf-r2-metadata-size": text.length, "content-length": text.length + bytes.length })
    response.write(text)
    response.end(bytes)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function read(incoming: IncomingMessage): Promise<{ request: Request; body: Buffer }> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const all = Buffer.concat(chunks)
  const header = incoming.headers["cf-r2-request"]
  const size = header ? 0 : Number(incoming.headers["cf-r2-metadata-size"])
  return { request: JSON.parse(header ? String(header) : all.subarray(0, size).toString()), body: all.subarray(size) }
}
