/**
 * Returns the same response. `inspect` is called with each piece of its body; an error that it throws breaks the body.
 */
export function inspected(
  response: Response,
  inspect: (piece: Uint8Array) => void,
  broken: (error: unknown) => void = () => {},
): Response {
  const reader = response.body?.getReader()
  if (!reader) return response
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        inspect(value)
        controller.enqueue(value)
      } catch (error) {
        broken(error)
        controller.error(error)
        reader.cancel(error).catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a]

/**
 * Counts the values of JSON texts, one per line, piece by piece. It counts before anything is
 * parsed, since an object of a hundred thousand values takes twenty times the memory of its text.
 */
export function valueCounter(): (piece: Uint8Array) => number {
  let [values, quoted, escaped] = [0, false, false]
  return (piece) => {
    for (const byte of piece) {
      if (escaped) escaped = false
      else if (byte === NEWLINE) quoted = false
      else if (quoted && byte === BACKSLASH) escaped = true
      else if (byte === QUOTE) quoted = !quoted
      else if (byte === COMMA && !quoted) values++
    }
    return values
  }
}

/** Counts bytes: all of them, and those in the current line. */
export function byteCounter(): (piece: Uint8Array) => { all: number; line: number } {
  let [all, line] = [0, 0]
  return (piece) => {
    all += piece.length
    const end = piece.lastIndexOf(NEWLINE)
    line = end < 0 ? line + piece.length : piece.length - end - 1
    return { all, line }
  }
}
