import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk"
import type { TestClient, World } from "./world.ts"

/** Anthropic's client, unmodified, with a key of a world. Time passes and turns run while it waits for an answer. */
export const anthropicOf = (
  world: World,
  client: Pick<TestClient, "key">,
  {
    through = (request) => world.untilAnswered(world.invoke(request)),
    ...options
  }: { through?: (request: Request) => Promise<Response> } & ClientOptions = {},
): Anthropic =>
  new Anthropic({
    apiKey: client.key,
    authToken: null,
    baseURL: "https://api.test/v1/anthropic",
    fetch: (url, init) => through(new Request(url as string, init as RequestInit)),
    ...options,
  })
