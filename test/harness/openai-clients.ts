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

interface AnsweredTurn {
  turn_id: string
  billed_cost_usd: number
  conversation: string
  files: string[]
}

/** The turn in an answer, which is no field of OpenAI. */
export const turnIn = (answer: object) => (answer as { turn: AnsweredTurn }).turn

/** How many turns an account has. */
export async function turnCount(world: World, { userId }: Pick<TestClient, "userId">): Promise<number> {
  const rows = await world.sql<{ n: string }>("select count(*) as n from turns where user_id = $1", [userId])
  return Number(rows[0]?.n)
}

/** Sends requests to the service, for `openAiOf`. The first `count` answers are lost on their way back. */
export function losing(world: World, count: number) {
  const seen: Request[] = []
  return {
    seen,
    async through(request: Request): Promise<Response> {
      seen.push(request)
      const response = await world.untilAnswered(world.invoke(request))
      if (seen.length <= count) throw new TypeError("the connection was lost")
      return response
    },
  }
}
