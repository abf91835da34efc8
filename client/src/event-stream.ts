/** One server-sent event (WHATWG HTML, section 9.2.6). */
export interface StreamMessage {
  event: string
  data: string
  id: string | undefined
}

/** Splits chunks into lines. A line ends with CR, LF or CRLF. A byte order mark at the start is removed. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    // A CR at the end can be the first half of a CRLF.
    const end = rest.endsWith("\r") ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? "") + rest.slice(end)
    yield* lines
  }
}

/**
 * The events of a stream. An incomplete event at the end of the stream is dropped, as the standard requires.
 * `onRetry` is called with the number of milliseconds that the server asks clients to wait before they reconnect.
 */
export async function* readEventStream(
  chunks: AsyncIterable<Uint8Array>,
  onRetry: (ms: number) => void = () => {},
): AsyncGenerator<StreamMessage> {
  let event = ""
  let data: string[] = []
  let id: string | undefined
  for await (const line of linesOf(chunks)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id }
      event = ""
      data = []
      continue
    }
    const colon = line.indexOf(":")
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "event") event = value
    else if (field === "data") data.push(value)
    else if (field === "id" && !value.includes("\0")) id = value
    else if (field === "retry" && /^\d+$/.test(value)) onRetry(Number(value))
  }
}

/** The chunks of a body. Ending the iteration cancels the body. */
export async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
