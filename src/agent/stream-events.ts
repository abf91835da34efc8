/** One event of a stream: the name of its event, or an empty text, and its data. */
export interface StreamEvent {
  name: string
  data: string
}

const FIELD = /^(data|event|id|retry)(?::|$)/

/**
 * Splits a stream into events (HTML Standard, section 9.2.6). It also reads a body that is one JSON text, and data
 * lines without an empty line between them, since some servers send these.
 */
export class StreamEvents {
  private readonly decoder = new TextDecoder()
  private rest = ""
  private name = ""
  private data: string[] = []
  /** The lines of a body that is no stream; null: it is one, or nothing has arrived. */
  private body: string[] | null = null
  private hasBegun = false

  /** True if the body was one JSON text. */
  get isOneText(): boolean {
    return this.body !== null
  }

  take(piece: Uint8Array): StreamEvent[] {
    // The last line may continue in the next piece. A CR may be the first half of a CRLF.
    const lines = (this.rest + this.decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?=[^\n])/)
    this.rest = lines.pop() ?? ""
    return lines.flatMap((line) => this.line(line))
  }

  /** The events at the end of the stream. A last event without its empty line counts too. */
  end(): StreamEvent[] {
    const last = (this.rest + this.decoder.decode()).replace(/\r$/, "")
    const events = this.line(last)
    return this.body ? [{ name: "", data: this.body.join("\n") }] : [...events, ...this.line("")]
  }

  private line(line: string): StreamEvent[] {
    if (this.body) this.body.push(line)
    else if (!this.hasBegun && line.trimStart().startsWith("{")) this.body = [line]
    if (this.body) return []
    this.hasBegun ||= line.trim() !== ""
    if (line === "") return this.dispatch()
    const field = FIELD.exec(line)?.[1]
    if (field === undefined) return []
    const value = line.slice(field.length + 1).replace(/^ /, "")
    if (field === "event") this.name = value.trim()
    if (field === "data") this.data.push(value)
    return []
  }

  private dispatch(): StreamEvent[] {
    const { name, data } = this
    this.name = ""
    this.data = []
    if (data.length === 0) return []
    const whole = data.join("\n")
    if (data.length === 1 || isJson(whole)) return [{ name, data: whole }]
    return data.map((one) => ({ name, data: one }))
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
