import { readFile } from "node:fs/promises"
import pg from "pg"
import { quotaHeaders } from "../src/local/provider-models.ts"
import { sayNews, windowsOf } from "../src/providers/windows.ts"
import type { Size } from "./options.ts"
import type { Site } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES, type Verbs } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const BATCH = 50
/** `warm`: batches until connections use generic plans and each provider account has its first windows. */
const SIZES = { full: { batches: 40, warm: 6 }, smoke: { batches: 1, warm: 1 } }
const ENGINE = "openai-compatible"
/** The used quota of the account in each response, in percent. */
export const USED_PCT = 10

/**
 * Measures the CPU ms of one connection for each procedure of a plain turn. The two sites alternate, so other load
 * affects both. The results are the median of all batches, and the minimum, which is almost free of other load.
 */
export async function measureRouter(
  world: BenchWorld,
  sites: { routed: Site; environment: Site },
  pin: string,
  size: Size,
) {
  const { batches, warm } = SIZES[size]
  const verbs = await readVerbs(world.version)
  const lanes = await Promise.all(
    Object.entries(sites).map(async ([way, site]) => {
      const pool = new pg.Pool({ connectionString: site.env.DATABASE_URL ?? "", max: 1, types: TYPES })
      pool.on("error", () => {})
      const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid")
      const costs: number[][] = [[], [], []]
      return { way, site, pool, ctx: contextOver(verbs, pool), pid: rows[0]?.pid ?? 0, costs }
    }),
  )
  for (let nth = -warm; nth < batches; nth++) {
    for (const { way, site, ctx, pid, costs } of nth % 2 === 0 ? lanes : lanes.toReversed()) {
      const marks = await runBatch(verbs, { site, ctx, pin, prefix: `${way}-${nth}`, mark: () => computedMs(pid) })
      if (nth >= 0) for (const [at, all] of costs.entries()) all.push(((marks[at + 1] ?? 0) - (marks[at] ?? 0)) / BATCH)
    }
  }
  await Promise.all(lanes.map(({ pool }) => pool.end()))
  return lanes.map(({ way, costs }) => {
    const [accept, claim, settle] = costs.map((all) => [timesOf(all).p50, round(Math.min(...all))])
    return { way, accept, claim, settle }
  })
}

interface Batch {
  site: Site
  ctx: ReturnType<typeof contextOver>
  pin: string
  prefix: string
  mark: () => Promise<number>
}

/** Accepts, then claims, then settles the turns of a batch. Returns the CPU time at each step. */
async function runBatch(verbs: Verbs, { site, ctx, pin, prefix, mark }: Batch): Promise<number[]> {
  const marks = [await mark()]
  const ids: string[] = []
  for (let n = 0; n < BATCH; n++) {
    const account = site.accounts[n % site.accounts.length]
    const credential = verbs.parseApiKey(account?.key ?? "", BRAND)
    if (!account || !credential) throw new Error("A turn needs an account.")
    const id = `${prefix}-${n}`
    const body = verbs.createTurnSchema.parse({ space: account.space, end_user_ref: id, text: "Where is my order?" })
    ids.push((await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })).made.turn_id)
  }
  marks.push(await mark())
  const claims: NonNullable<Awaited<ReturnType<Verbs["claimTurn"]>>>[] = []
  for (const id of ids) {
    const claim = await verbs.claimTurn(ctx, id)
    if (!claim) throw new Error(`${id} was not claimed.`)
    claims.push(claim)
  }
  marks.push(await mark())
  for (const { turn, accounts } of claims) {
    const picked = accounts[ENGINE]
    const windows = windowsOf(new Headers(quotaHeaders("completions", USED_PCT)), new Date())
    const served =
      picked && "provider_id" in picked
        ? {
            account: picked.provider_id,
            bind: true,
            probe: false,
            windows: sayNews(windows, picked.windows) ? windows : null,
          }
        : null
    const step = { ...verbs.finishedStep(0), provider: ENGINE, pin, served } as const
    await verbs.settleTurn(ctx, turn, { state: "done", result: "x" }, { step, files: false })
  }
  return [...marks, await mark()]
}

/** The CPU time of a process until now, in ms. */
async function computedMs(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ")
  return Number(nanoseconds) / 1e6
}
