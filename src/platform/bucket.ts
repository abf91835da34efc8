import { TurnpikeError } from "../base/errors.ts"

/** The store of files' bytes. Errors of R2 become UNAVAILABLE. */
export interface Bucket {
  get(key: string, options?: { range?: { offset: number; length: number } }): Promise<R2ObjectBody | null>
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Ignores keys that do not exist. At most 1,000 of them. */
  delete(keys: string | string[]): Promise<void>
  /** A page of the keys that begin with `prefix`; `cursor` is undefined after the last page. */
  list(page: { prefix: string; cursor?: string }): Promise<{ keys: string[]; cursor: string | undefined }>
  createMultipartUpload(key: string): Promise<Pick<R2MultipartUpload, "uploadPart" | "complete" | "abort">>
}

export function createBucket(r2: R2Bucket): Bucket {
  return {
    get: (key, options = {}) => r2.get(key, options).catch(rethrow),
    put: async (key, bytes) => void (await r2.put(key, bytes).catch(rethrow)),
    delete: (keys) => r2.delete(keys).catch(rethrow),
    async list(page) {
      const listed = await r2.list(page).catch(rethrow)
      return { keys: listed.objects.map(({ key }) => key), cursor: listed.truncated ? listed.cursor : undefined }
    },
    async createMultipartUpload(key) {
      const upload = await r2.createMultipartUpload(key).catch(rethrow)
      return {
        uploadPart: (number, bytes) => upload.uploadPart(number, bytes).catch(rethrow),
        complete: (parts) => upload.complete(parts).catch(rethrow),
        abort: () => upload.abort().catch(rethrow),
      }
    },
  }
}

function rethrow(cause: unknown): never {
  throw new TurnpikeError("UNAVAILABLE", "The file store does not answer. Try again.", { retryAfter: 1, cause })
}
