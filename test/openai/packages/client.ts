/** Each row of the matrix is made with it. A header names the end user, since not every package can. */
export interface Access {
  baseURL: string
  apiKey: string
  /** The space. */
  model: string
  headers: Record<string, string>
}

/** The function that each package offers to the model. */
export const LOOKUP = { name: "lookupOrder", description: "Finds an order by its id." } as const

export type Find = (input: { id: string }) => string

/** A published package, used as its documentation says. */
export interface PackageClient {
  reply(text: string, signal: AbortSignal): Promise<string>
  /** The pieces of the reply as they arrive. */
  stream(text: string, signal: AbortSignal): AsyncIterable<string>
  /** The reply after all rounds in which the model calls `lookupOrder`. */
  withTool(text: string, find: Find, isStreamed: boolean): Promise<string>
  /** The reply to one picture, which is a `data:` URL. */
  picture(text: string, url: string): Promise<string>
  /** A value with the form of `Place`. */
  place(text: string): Promise<unknown>
}

export type MakeClient = (access: Access) => PackageClient
