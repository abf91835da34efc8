import OpenAI from "openai"
import type { TestClient, World } from "./world.ts"

/** OpenAI's client, unmodified, with a key of a world. Time passes and turns run while it waits for an answer. */
export function openAiOf(
  world: World,
  client: TestClient,
  {
    through = (request) => world.untilAnswered(world.invoke(request)),
    ...options
  }: { through?: (request: Request) => Promise<Response> } & ConstructorParameters<typeof OpenAI>[0] = {},
): OpenAI {
  return new OpenAI({
    apiKey: client.key,
    baseURL: "https://api.test/v1/openai",
    fetch: (url, init) => through(new Request(url as string, init as RequestInit)),
    ...options,
  })
}
