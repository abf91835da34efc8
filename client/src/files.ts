import type { List } from "./list.ts"
import type { DeletedFile, FileInfo } from "./operations.ts"
import type { CreateOptions, RequestOptions } from "./options.ts"
import type { Query, Transport } from "./transport.ts"

/** A file to upload. */
export interface Upload {
  name: string
  /** The bytes. A stream can be sent only once, so its upload is never retried. */
  data: Blob | Uint8Array | ReadableStream<Uint8Array> | string
  /** Default: the type of the Blob, or the type of the name's extension. */
  mediaType?: string | undefined
}

/** Options of `content`. */
export interface ContentOptions extends RequestOptions {
  /** Only the bytes from `start` to `end`, both inclusive, counted from 0. */
  range?: { start: number; end?: number | undefined } | undefined
}

/** Files that you attach to turns, and files that agents create. */
export class Files {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Uploads a file of at most 100 MB to a space. Attach it to a turn with `files: [file_id]`.
   *
   * @example
   * const { file_id } = await turnpike.files.upload("spc_…", { name: "order.txt", data: "Order A-1, paid." })
   */
  upload(spaceId: string, { name, data, mediaType }: Upload, options?: CreateOptions): Promise<FileInfo> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data
    const type = mediaType ?? (bytes instanceof Blob && bytes.type !== "" ? bytes.type : undefined)
    const input = { params: { space_id: spaceId }, query: { name } }
    return this.#transport.call("uploadFile", input, options, { raw: { data: bytes, type } })
  }

  /**
   * Lists a space's files, uploads and outputs, newest first.
   *
   * @example
   * for await (const file of turnpike.files.list("spc_…")) console.log(file.name, file.bytes)
   */
  list(spaceId: string, query: Query<"listFiles"> = {}, options?: RequestOptions): List<FileInfo> {
    return this.#transport.list("listFiles", { params: { space_id: spaceId }, query }, options)
  }

  /**
   * Reads a file's name, type and size.
   *
   * @example
   * const { name, media_type, sha256 } = await turnpike.files.get("file_…")
   */
  get(fileId: string, options?: RequestOptions): Promise<FileInfo> {
    return this.#transport.call("getFile", { params: { file_id: fileId } }, options)
  }

  /**
   * Downloads a file. Returns the Response with its unread body.
   *
   * @example
   * const text = await (await turnpike.files.content("file_…")).text()
   */
  content(fileId: string, { range, ...options }: ContentOptions = {}): Promise<Response> {
    const headers = { accept: "*/*", ...(range && { range: `bytes=${range.start}-${range.end ?? ""}` }) }
    return this.#transport.open("getFileContent", { params: { file_id: fileId } }, options, { headers })
  }

  /**
   * Deletes a file.
   *
   * @example
   * await turnpike.files.delete("file_…")
   */
  delete(fileId: string, options?: RequestOptions): Promise<DeletedFile> {
    return this.#transport.call("deleteFile", { params: { file_id: fileId } }, options)
  }
}
