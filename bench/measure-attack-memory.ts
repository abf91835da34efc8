import { type Attacker, runTurn, stallJson, stallUpload, useMcp } from "./attacks.ts"
import { startHostileServer } from "./hostile-server.ts"
import { memoryMb } from "./processes.ts"
import { createSite } from "./site.ts"
import type { BenchWorld } from "./world.ts"

const MiB = 1024 * 1024
const SAMPLE_MS = 20
const SETTLE_MS = 1_000

type MemoryAttack = (attacker: Attacker) => Promise<(() => void)[] | undefined>

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const callsOf = (name: string, count: number) => times(count, () => `[call ${name} {}]`).join("\n")

const ATTACKS: Record<string, MemoryAttack> = {
  "60 uploads that stall after 7 MiB": async (attacker) => times(60, () => stallUpload(attacker, 7 * MiB)),
  "100 JSON bodies that stall": async (attacker) => times(100, () => stallJson(attacker)),
  "an MCP text of 8 MiB": (attacker) => useTool(attacker, "text", 1, 1),
  "an MCP image of 8 MiB": (attacker) => useTool(attacker, "image", 1, 1),
  "an MCP object of 8 MiB": (attacker) => useTool(attacker, "structured", 1, 1),
  "six of each at once": async (attacker) => {
    for (const kind of ["text", "image", "structured"]) await useMcp(attacker, kind)
    await runTurn(attacker, ["text", "image", "structured"].map((kind) => callsOf(`m${kind}__attack`, 6)).join("\n"))
    return undefined
  },
  "eight turns with such an image": (attacker) => useTool(attacker, "image", 1, 8),
  "endless answers of REST tools": async (attacker) => {
    const body = {
      description: "Attacks.",
      input_schema: { type: "object" },
      request: { method: "POST", url: `${attacker.server}/endless` },
    }
    await attacker.site.sql("select 1")
    await put(attacker, "tools/attack", body)
    await Promise.all(times(8, () => runTurn(attacker, callsOf("attack", 6))))
    return undefined
  },
  "histories of 2 MiB, eight at once": async (attacker) => {
    const { key, space, site } = attacker
    const send = async (text: string, conversation: string) => {
      const response = await fetch(`${site.runtime.url}/v1/turns`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": crypto.randomUUID(),
        },
        body: JSON.stringify({ space, end_user_ref: conversation, text }),
      })
      return response.arrayBuffer()
    }
    for (let n = 0; n < 12; n++) await Promise.all(times(8, (c) => send("x".repeat(99_000), `history-${c}`)))
    await runTurn(attacker, "hello")
    return undefined
  },
}

async function useTool(attacker: Attacker, kind: string, calls: number, turns: number): Promise<undefined> {
  await useMcp(attacker, kind)
  await Promise.all(times(turns, () => runTurn(attacker, callsOf(`m${kind}__attack`, calls))))
  return undefined
}

async function put({ site, key, space }: Attacker, path: string, body: object): Promise<void> {
  const response = await fetch(`${site.runtime.url}/v1/spaces/${space}/${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** What each attack adds to the memory of a worker that has served some requests: the most while it runs, each on a worker of its own. */
export async function measureAttackMemory(world: BenchWorld) {
  const hostile = await startHostileServer()
  world.keep(hostile.stop)
  const above: Record<string, number> = {}
  let nothing = 0
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const site = await createSite(world, "memory", {
      runs: true,
      bindings: { ALLOW_PRIVATE_TARGETS: "1", LOG_LEVEL: "silent" },
    })
    const { key, space } = site.accounts[0] ?? { key: "", space: "" }
    const attacker = { site, key, space, server: hostile.url }
    // The code of a turn is compiled, and the young generation has its size.
    for (let n = 0; n < 20; n++) await runTurn(attacker, "hello")
    await new Promise((done) => setTimeout(done, SETTLE_MS))
    nothing = await memoryMb(site.runtime.pid)
    const most = await watch(site.runtime.pid, async () => {
      const ends = await attack(attacker)
      if (ends) await new Promise((done) => setTimeout(done, 3 * SETTLE_MS))
      for (const end of ends ?? []) end()
    })
    above[name] = most - nothing
  }
  return { nothing, ...above }
}

/** The most memory that a process had while `work` ran, in MiB. */
async function watch(pid: number, work: () => Promise<void>): Promise<number> {
  let [isOver, most] = [false, 0]
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await memoryMb(pid))
      await new Promise((done) => setTimeout(done, SAMPLE_MS))
    }
  })()
  try {
    await work()
    return most
  } finally {
    isOver = true
    await watching
  }
}
