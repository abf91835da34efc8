import { sizeInWords } from "../base/in-words.ts"
import { LOADED } from "../callbacks/load-url.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { FILE_POLICY } from "./policies.ts"

/** Answers with the file at a URL, or with the reason why it cannot be loaded. */
export async function fetchUrl({ outbound }: { outbound: Outbound }, { url }: { url: string }): Promise<Response> {
  const { loadMs: timeoutMs, loadBytes: maxBytes } = FILE_POLICY
  try {
    const headers = { accept: "*/*" }
    const response = await outbound.send({ url, method: "GET", headers, timeoutMs, maxBytes })
    const refuse = (why: string) => {
      response.body?.cancel().catch(() => {})
      return refusal(why)
    }
    if (!response.ok) return refuse(`its server answered with HTTP ${response.status}.`)
    const bytes = response.headers.get("content-length")
    if (Number(bytes) > maxBytes) return refuse(`it has more than ${sizeInWords(maxBytes)}.`)
    return new Response(response.body, {
      headers: {
        "content-type": "application/octet-stream",
        [LOADED.mediaType]: response.headers.get("content-type") ?? "",
      },
    })
  } catch (error) {
    if (error instanceof OutboundError) return refusal(error.message)
    throw error
  }
}

const refusal = (refused: string) => Response.json({ refused })
