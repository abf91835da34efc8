import type { Context } from "../actor/context.ts"
import { sizeInWords } from "../base/in-words.ts"
import { openCallbacksWorker } from "../callbacks/internal-call.ts"
import { LOAD_URL_PATH, LOADED, notLoadedSchema } from "../callbacks/load-url.ts"
import { FILE_POLICY } from "./policies.ts"

/** A file at a URL, whose bytes arrive while they are read. */
interface OpenedUrl {
  name: string
  mediaType: string | null
  chunks: AsyncGenerator<Uint8Array>
}

/**
 * Opens the file at a URL through the callbacks worker. `refused`: makes the error for a URL that cannot be loaded; the
 * chunks throw it too. Throws UNAVAILABLE.
 */
export async function openUrl(ctx: Context, url: string, refused: (why: string) => Error): Promise<OpenedUrl> {
  const signal = AbortSignal.timeout(2 * FILE_POLICY.loadMs)
  const response = await openCallbacksWorker(ctx, LOAD_URL_PATH, { url }, signal)
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    throw refused(notLoadedSchema.parse(await response.json()).refused)
  }
  return {
    name: nameIn(url),
    mediaType: response.headers.get(LOADED.mediaType) || null,
    chunks: chunksOf(response, () => {
      const most = sizeInWords(FILE_POLICY.loadBytes)
      return refused(`its server did not send a whole file of at most ${most} within ${FILE_POLICY.loadMs / 1000} s.`)
    }),
  }
}

async function* chunksOf(response: Response, broken: () => Error): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw broken()
      })
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** The last part of a URL's path. */
function nameIn(url: string): string {
  const last = URL.canParse(url) ? new URL(url).pathname.split("/").at(-1) : undefined
  try {
    return decodeURIComponent(last ?? "") || "file"
  } catch {
    return last || "file"
  }
}
