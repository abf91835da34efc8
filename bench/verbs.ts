import { join } from "node:path"
import { pathToFileURL } from "node:url"
import pg from "pg"
import type { KeyCredential } from "../src/actor/actor.ts"
import type { Context } from "../src/actor/context.ts"
import { systemClock } from "../src/platform/clock.ts"
import { Turnstile } from "../src/platform/turnstile.ts"
import { forgetful, noQueue, uncounted } from "../test/harness/context.ts"
import type { Version } from "./version.ts"

export const BRAND = "turnpike"
const INT8 = 20
/** Parses values in the same way as src/platform/db.ts. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text")),
}

export type Verbs = Awaited<ReturnType<typeof readVerbs>>

/** Imports the verbs of a version, which call the procedures of that version. */
export async function readVerbs({ dir }: Version) {
  const read = <Module>(file: string) => import(pathToFileURL(join(dir, file)).href) as Promise<Module>
  const { acceptTurn } = await read<typeof import("../src/turns/accept-turn.ts")>("src/turns/accept-turn.ts")
  // In earlier versions the runs of turns had no room of their own.
  const ofRuns = <Module>(...names: string[]) =>
    names
      .flatMap((name) => [`src/runs/${name}.ts`, `src/turns/${name}.ts`])
      .reduce((found, file) => found.catch(() => read<Module>(file)), Promise.reject<Module>(new Error("no names")))
  // Earlier versions claimed one turn at a time.
  const { claimTurn } = await read<typeof import("../test/harness/claim.ts")>("test/harness/claim.ts").catch(() =>
    ofRuns<typeof import("../test/harness/claim.ts")>("claim-turn"),
  )
  const { settleTurn } = await ofRuns<typeof import("../src/runs/settle-turns.ts")>("settle-turns", "settle-turn")
  const { commitAnswer } = await ofRuns<typeof import("../src/runs/commit-step.ts")>("commit-step")
  const { createSpace } = await read<typeof import("../src/spaces/create-space.ts")>("src/spaces/create-space.ts")
  const { createTurnSchema } = await read<typeof import("../src/turns/schemas.ts")>("src/turns/schemas.ts")
  // Earlier versions have a parameter for the brand.
  const { parseApiKey } = await read<{ parseApiKey(key: string, brand: string): KeyCredential | null }>(
    "src/keys/api-key.ts",
  )
  const { databaseOver, DatabaseError } = await read<typeof import("../src/platform/db.ts")>("src/platform/db.ts")
  const { finishedStep } = await read<typeof import("../test/harness/steps.ts")>("test/harness/steps.ts")
  const ofTurns = { acceptTurn, claimTurn, commitAnswer, settleTurn, finishedStep }
  return { ...ofTurns, createSpace, createTurnSchema, parseApiKey, databaseOver, DatabaseError }
}

/**
 * Runs each statement that creates a function only once. The harness sends its claim of one turn again each time; made
 * again, all plans would be, and connections that make it at the same moment fail. Null for other statements.
 */
export function createdOnce(run: (text: string) => Promise<unknown>): (text: string) => Promise<unknown> | null {
  const made = new Map<string, Promise<unknown>>()
  return (text) => {
    if (!text.startsWith("create or replace")) return null
    const making = made.get(text) ?? run(text)
    made.set(text, making)
    return making
  }
}

/** A context for these verbs, with connections instead of Neon's endpoint and without a queue. */
export function contextOver({ databaseOver, DatabaseError }: Verbs, pool: pg.Pool): Context {
  const names = new Map<string, string>()
  const created = createdOnce((text) => pool.query(text))
  const db = databaseOver(async ({ sql: text, parameters }) => {
    const creating = created(text)
    if (creating) return creating.then(() => ({ rows: [] }))
    const name = names.get(text) ?? `bench_${names.size}`
    names.set(text, name)
    const { rows, rowCount } = await pool.query({ name, text, values: [...parameters] }).catch((error) => {
      // The verbs retry some database errors, which they recognise by this class.
      throw new DatabaseError(error as pg.DatabaseError)
    })
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  })
  const log = () => {}
  const background = (work: Promise<unknown>) => void work.catch(() => {})
  const context: Partial<Context> = {
    brand: BRAND,
    requestId: "bench",
    db,
    random: Math.random,
    config: { seen: null, expected: null },
    posting: new Map(),
    cooling: new Map(),
    clock: systemClock,
    queue: noQueue,
    slots: { runners: 1, live: 1_000_000, test: 1_000_000, endUser: 1_000_000 },
    log,
    logged: {},
    statements: new Turnstile({ atOnce: Number.POSITIVE_INFINITY, waiting: 0 }),
    background,
    refusals: forgetful({ clock: systemClock, log, background }),
    windows: uncounted({ clock: systemClock, log, background }),
  }
  return context as Context
}
