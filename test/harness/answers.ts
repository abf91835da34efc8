/** The status and parsed body of a response. */
export async function readJson(response: Promise<Response>): Promise<[number, Record<string, unknown>]> {
  const answer = await response
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
export type JsonBody = any

export interface ReadAnswer {
  status: number
  body: JsonBody
  retryAfter: number | null
}

/** Like `readJson`, plus Retry-After in seconds. */
export async function readAnswer(response: Promise<Response> | Response): Promise<ReadAnswer> {
  const { status, headers } = await response
  const [, body] = await readJson(Promise.resolve(await response))
  const retryAfter = headers.get("retry-after")
  return { status, body, retryAfter: retryAfter === null ? null : Number(retryAfter) }
}

/** The error that `work` rejects with; null if it succeeds. */
export const failureOf = (work: Promise<unknown>): Promise<Error | null> =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )
