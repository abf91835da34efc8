import { vi } from "vitest"
import { addModel } from "./models.ts"
import { accountOfProviderKey } from "./provider-accounts.ts"
import { PROVIDED_PIN, type ProviderScript, scriptProvider } from "./scripted-provider.ts"
import { passTime } from "./time.ts"
import { createWorld, type TestClient, turnOf } from "./world.ts"

/**
 * A service whose provider identifies accounts by their keys. `answers` gives each account's next
 * answer by its own call count. A call begins at the first account by name, unless `random` says
 * otherwise. It records the log.
 */
export async function createRoutedWorld(random: () => number = () => 0) {
  const logged: string[] = []
  const heard: { line: (line: string) => void } = { line: () => {} }
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      const line = parts.map(String).join(" ")
      logged.push(line)
      heard.line(line)
    })
  }
  // The environment names no provider server, so accounts at any server can serve.
  const world = await createWorld({ isBounded: false, env: { LOG_LEVEL: "info", OPENAI_BASE_URL: undefined }, random })
  await addModel(world)
  let answers: (account: string, nth: number) => ProviderScript = () => ({ words: ["Fine."] })
  const counts = new Map<string, number>()
  const called: { account: string; at: number }[] = []
  const provider = scriptProvider(world, (_asked, _n, key) => {
    const account = accountOfProviderKey(key)
    const nth = counts.get(account) ?? 0
    counts.set(account, nth + 1)
    called.push({ account, at: world.clock.ms() })
    return answers(account, nth)
  })
  world.serve("model.test", (request) => provider.serve(request))

  async function begin(client: TestClient, body: { space: string } & Record<string, unknown>): Promise<string> {
    const { turn_id } = await turnOf(await client.sendTurn({ model: PROVIDED_PIN, ...body }))
    await world.settled()
    return turn_id
  }

  return {
    ...world,
    provider,
    logged,
    /** Called with each line of the log when it is written. */
    heard,
    /** Sets the accounts' answers and resets their call counts. Returns the list of the calls that follow. */
    script(next: typeof answers) {
      answers = next
      counts.clear()
      called.length = 0
      return called
    },
    begin,
    /** Runs one turn and delivers everything that is due at once. `stepMs` lets time pass during the run. */
    async runTurn(client: TestClient, body: { space: string } & Record<string, unknown>, stepMs = 0) {
      const turnId = await begin(client, body)
      await (stepMs > 0 ? passTime(world, world.drain(), stepMs) : world.drain())
      return client.getTurn(turnId)
    },
    /** The failures that were recorded for a turn, as "name code"; those of one moment by name. */
    async failuresOf(turnId: string) {
      await world.settled()
      const rows = await world.sql<{ failure: string }>(
        `select name || ' ' || code as failure from infrastructure_errors where turn_id = $1 and kind = 'model_call' order by created_at, 1`,
        [turnId],
      )
      return rows.map(({ failure }) => failure)
    },
    /** The log lines of an event for a turn. */
    linesOf: (event: string, turnId: string) =>
      logged.flatMap((line) => {
        if (!line.startsWith("{")) return []
        const fields = JSON.parse(line) as Record<string, unknown>
        return fields.event === event && fields.turn_id === turnId ? [fields] : []
      }),
  }
}

export type RoutedWorld = Awaited<ReturnType<typeof createRoutedWorld>>
