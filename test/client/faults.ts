import { type Runtime, systemRuntime } from "../../client/src/runtime.ts"

type Send = (url: string, init: RequestInit) => Promise<Response>

const really: Send = (url, init) => fetch(url, init)

/** Loses the first `times` requests: before they arrive, with their answers, or with a 503 from a proxy. */
export function failRequests(lost: "request" | "answer" | "unavailable", times: number) {
  const seen: { idempotencyKey: string | undefined }[] = []
  const send: Send = async (url, init) => {
    const headers = init.headers as Record<string, string>
    seen.push({ idempotencyKey: headers["idempotency-key"] })
    if (seen.length > times) return really(url, init)
    if (lost === "request") throw new TypeError("fetch failed")
    if (lost === "unavailable") return new Response("<h1>Bad gateway</h1>", { status: 502 })
    await (await really(url, init)).text()
    throw new TypeError("fetch failed")
  }
  return { fetch: send, seen }
}

/** Breaks every event stream after this many bytes. */
export function cutStreams(bytes: number) {
  let streams = 0
  const send: Send = async (url, init) => {
    const response = await really(url, init)
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response
    streams++
    let left = bytes
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.slice(0, left))
        left -= chunk.length
        if (left <= 0) controller.error(new TypeError("terminated"))
      },
    })
    return new Response(response.body?.pipeThrough(cut) ?? null, response)
  }
  return { fetch: send, streams: () => streams }
}

/** Waits a twentieth of the requested time. */
export const hurried: Runtime = { ...systemRuntime, after: (ms, done) => systemRuntime.after(ms / 20, done) }
