import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

interface Turn {
  turn_id: string
  state: string
  created_at: string
  finished_at: string | null
}

const WARM_UP_MS = 1000

/** Measures the turns of the first client of a new service. */
export async function measureLatency(world: BenchWorld, options: Options) {
  return followTurns(await createSite(world, "latency", { runs: true }), options)
}

/**
 * Measures one client from the POST until a GET returns done, alternately by polling without pauses and with
 * `?wait=30`, and the duration by the turn's own timestamps.
 */
export async function followTurns({ runtime, accounts }: Site, { seconds }: Options) {
  const { key, space } = accounts[0] ?? { key: "", space: "" }
  const polled: number[] = []
  const waited: number[] = []
  const own: number[] = []
  const accepts: number[] = []
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const began = performance.now()
  for (let n = 0; performance.now() - began < WARM_UP_MS + seconds * 2000; n++) {
    const isWarm = performance.now() - began > WARM_UP_MS
    const query = n % 2 === 0 ? "" : "?wait=30"
    const body = JSON.stringify({ space, end_user_ref: `one-${n}`, text: "Where is my order?" })
    const started = performance.now()
    const answer = await fetch(`${runtime.url}/v1/turns`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": `one-${n}` },
      body,
    })
    let turn = (await answer.json()) as Turn
    const accepted = performance.now() - started
    while (turn.state !== "done") {
      if (turn.state !== "queued" && turn.state !== "running") throw new Error(JSON.stringify(turn))
      turn = (await (await fetch(`${runtime.url}/v1/turns/${turn.turn_id}${query}`, { headers })).json()) as Turn
    }
    const ms = performance.now() - started
    if (!isWarm) continue
    accepts.push(accepted)
    ;(query === "" ? polled : waited).push(ms)
    own.push(Date.parse(turn.finished_at ?? "") - Date.parse(turn.created_at))
  }
  return {
    turns: polled.length + waited.length,
    accept: timesOf(accepts),
    post_to_done_polled: timesOf(polled),
    post_to_done_waited: timesOf(waited),
    created_to_finished: timesOf(own),
  }
}
