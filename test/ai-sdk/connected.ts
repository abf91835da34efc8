import { APICallError } from "@ai-sdk/provider"
import { afterAll, beforeAll, expect } from "vitest"
import { createTurnpike } from "../../ai-sdk/src/index.ts"
import { type Turn, Turnpike } from "../../client/src/index.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** A service as a developer starts it, and the provider for the unmodified AI SDK. */
export function connected() {
  let service: Started
  let client: Turnpike
  let space: string
  beforeAll(async () => {
    service = await npmStart()
    client = new Turnpike({ apiKey: service.api_key, baseUrl: service.base_url })
    space = (await client.spaces.create({ title: "Support" })).space_id
  })
  afterAll(() => service?.stop())
  const provider = (options: Parameters<typeof createTurnpike>[0] = {}) =>
    createTurnpike({ apiKey: service.api_key, baseURL: service.base_url, ...options })
  return {
    client: () => client,
    space: () => space,
    provider,
    modelOf: (endUser: string) => provider()(space, { endUser }),
    /** The turns of an end user, oldest first. */
    turnsOf: async (endUser: string): Promise<Turn[]> =>
      (await client.turns.list({ end_user_ref: endUser }).toArray()).toReversed(),
  }
}

/** The error that a call throws, or the last one of its retries. */
export async function errorOf(call: PromiseLike<unknown>): Promise<APICallError> {
  const error = await call.then(
    () => null,
    (thrown: Error & { lastError?: unknown }) => thrown.lastError ?? thrown,
  )
  expect(APICallError.isInstance(error), String(error)).toBe(true)
  return error as APICallError
}
