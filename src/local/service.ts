/** One HTTP request to a stand-in. `path` is relative to the stand-in's address and starts with "/". */
export interface Call {
  method: string
  path: string
  search: string
  headers: Record<string, string | undefined>
  body: Buffer
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** Sends the body in parts until the caller leaves. Returns the function that is called then. */
  stream?: (send: (part: string) => void) => () => void
}

export type Service = (call: Call) => Promise<Answer>

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) }
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/** False for requests from pages of other sites, sent to our address or to a name that the site resolves to it. */
export function isOfThisMachine({ headers }: { headers: Record<string, string | string[] | undefined> }): boolean {
  const { host, origin } = headers
  return LOOPBACK.test(String(host)) && (origin === undefined || LOOPBACK.test(URL.parse(String(origin))?.host ?? ""))
}
