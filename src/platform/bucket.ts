import { TurnpikeError } from "../base/errors.ts"
import { TIME_LIMITS, within } from "./time-limits.ts"

type Part = { range?: { offset: number; length: number } }

/** The store of files' bytes. Errors of R2, and no response within `objectMs`, become UNAVAILABLE. */
export interface Bucket {
  /** Returns an object with an unread body, which a client may read as slowly as it likes. */
  get(key: string, part?: Part): Promise<R2ObjectBody | null>
  /** Returns the bytes of an object that fits into memory. */
  read(key: string, part?: Part): Promise<Uint8Array<ArrayBuffer> | null>
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Deletes at most 1,000 keys. Unknown keys are ignored. */
  delete(keys: string | string[]): Promise<void>
  /** Lists a page of the keys that start with `prefix`. `cursor` is undefined after the last page. */
  list(page: { prefix: string; cursor?: string }): Promise<{ keys: string[]; cursor: string | undefined }>
  createMultipartUpload(key: string): Promise<Pick<R2MultipartUpload, "uploadPart" | "complete" | "abort">>
}

export function createBucket(r2: R2Bucket): Bucket {
  return {
    get: (key, part = {}) => bounded(r2.get(key, part)),
    read: (key, part = {}) => bounded(read(r2, key, part)),
    put: async (key, bytes) => void (await bounded(r2.put(key, bytes))),
    delete: (keys) => bounded(r2.delete(keys)),
    async list(page) {
      const listed = await bounded(r2.list(page))
      return { keys: listed.objects.map(({ key }) => key), cursor: listed.truncated ? listed.cursor : undefined }
    },
    async createMultipartUpload(key) {
      const upload = await bounded(r2.createMultipartUpload(key))
      return {
        uploadPart: (number, bytes) => bounded(upload.uploadPart(number, bytes)),
        complete: (parts) => bounded(upload.complete(parts)),
        abort: () => bounded(upload.abort()),
      }
    },
  }
}

async function read(r2: R2Bucket, key: string, part: Part): Promise<Uint8Array<ArrayBuffer> | null> {
  const object = await r2.get(key, part)
  return object && new Uint8Array(await object.arrayBuffer())
}

const tooSlow = () => new Error("the bucket took too long")

function bounded<T>(work: Promise<T>): Promise<T> {
  return within(TIME_LIMITS.objectMs, work, tooSlow).catch(rethrow)
}

function rethrow(cause: unknown): never {
  throw new TurnpikeError("UNAVAILABLE", "The file store does not answer. Try again.", { retryAfter: 1, cause })
}

/** The keys of all objects below a prefix. */
export async function keysBelow(files: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await files.list({ prefix, ...(cursor && { cursor }) })
    keys.push(...page.keys)
    if (page.cursor === undefined) return keys
    cursor = page.cursor
  }
}

/** Deletes any number of objects. */
export async function deleteKeys(files: Bucket, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 1000) await files.delete(keys.slice(at, at + 1000))
}
