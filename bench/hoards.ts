import {
  type Attack,
  type Attacker,
  attackTurn,
  callSite,
  stallDownload,
  stallJson,
  stallUpload,
  useMcp,
} from "./attacks.ts"

const MiB = 1024 * 1024
/** How long stalled requests stay open. */
const STALLED_MS = 3_000

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const callsOf = (name: string, count: number) => times(count, () => `[call ${name} {}]`).join("\n")

/** Attacks that use memory of a worker. */
export const HOARDS: Record<string, Attack> = {
  "60 uploads that stall after 7 MiB": (attacker) => stall(times(60, () => stallUpload(attacker, 7 * MiB))),
  "100 JSON bodies that stall": (attacker) => stall(times(100, () => stallJson(attacker))),
  "100 downloads of 20 MiB that are not read": async (attacker) => {
    const sent = await callSite(
      attacker,
      "POST",
      `/v1/spaces/${attacker.space}/files?name=large.bin`,
      "x".repeat(20 * MiB),
    )
    const { file_id } = (await sent.json()) as { file_id: string }
    await stall(times(100, () => stallDownload(attacker, file_id)))
  },
  "an MCP text of 6 MiB": (attacker) => useTool(attacker, "text", 1, 1),
  "an MCP image of 6 MiB": (attacker) => useTool(attacker, "image", 1, 1),
  "an MCP object of 6 MiB": (attacker) => useTool(attacker, "structured", 1, 1),
  "six of each at once": async (attacker) => {
    const kinds = ["text", "image", "structured"]
    for (const kind of kinds) await useMcp(attacker, kind)
    await attackTurn(attacker, kinds.map((kind) => callsOf(`m${kind}__attack`, 6)).join("\n"))
  },
  "eight turns with such an image": (attacker) => useTool(attacker, "image", 1, 8),
  "eight turns with such an image, during uploads": async (attacker) => {
    const ends = times(20, () => stallUpload(attacker, 7 * MiB))
    await useTool(attacker, "image", 1, 8)
    for (const end of ends) end()
  },
  "endless answers of REST tools": async (attacker) => {
    const tool = {
      description: "Attacks.",
      input_schema: { type: "object" },
      request: { method: "POST", url: `${attacker.server}/endless` },
    }
    await put(attacker, "tools/attack", tool)
    await Promise.all(times(8, () => attackTurn(attacker, callsOf("attack", 6))))
  },
  "histories of 1.2 MiB, eight at once": async (attacker) => {
    const text = "x".repeat(99_000)
    for (let n = 0; n < 12; n++) await Promise.all(times(8, (c) => attackTurn(attacker, text, `history-${c}`)))
  },
}

async function stall(ends: (() => void)[]): Promise<void> {
  await new Promise((done) => setTimeout(done, STALLED_MS))
  for (const end of ends) end()
}

async function useTool(attacker: Attacker, kind: string, calls: number, turns: number): Promise<void> {
  await useMcp(attacker, kind)
  await Promise.all(times(turns, () => attackTurn(attacker, callsOf(`m${kind}__attack`, calls))))
}

async function put(attacker: Attacker, path: string, body: object): Promise<void> {
  const response = await callSite(attacker, "PUT", `/v1/spaces/${attacker.space}/${path}`, JSON.stringify(body))
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}
