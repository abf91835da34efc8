/** One HTTP request to a stand-in. `path` is below the stand-in's mount and starts with "/". */
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
}

export type Service = (call: Call) => Promise<Answer>

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) }
}
