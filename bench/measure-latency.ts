import type { Options } from "./options.ts"
import { timesOf } from "./statistics.ts"
import type { World } from "./world.ts"

interface Turn {
  turn_id: string
  state: string
  created_at: string
  finished_at: string | null
}

/** One client: from sending the POST until a GET, asked without a pause, says done; and as the turn's own times say. */
export async function measureLatency(world: World, { seconds }: Options) {
  const site = await world.site("latency", { runs: true })
  const { key, space } = site.accounts[0] ?? { key: "", space: "" }
  const seen: number[] = []
  const own: number[] = []
  const accepts: number[] = []
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const began = performance.now()
  for (let n = 0; performance.now() - began < (seconds + 1) * 1000; n++) {
    const body = JSON.stringify({ space, end_user_ref: `one-${n}`, text: "Where is my order?" })
    const started = performance.now()
    const answer = await fetch(`${site.runtime.url}/v1/turns`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": `one-${n}` },
      body,
    })
    let turn = (await answer.json()) as Turn
    const accepted = performance.now() - started
    while (turn.state !== "done") {
      if (turn.state !== "queued" && turn.state !== "running") throw new Error(JSON.stringify(turn))
      turn = (await (await fetch(`${site.runtime.url}/v1/turns/${turn.turn_id}`, { headers })).json()) as Turn
    }
    const ms = performance.now() - started
    // The first second warms up.
    if (performance.now() - began < 1000) continue
    accepts.push(accepted)
    seen.push(ms)
    own.push(Date.parse(turn.finished_at ?? "") - Date.parse(turn.created_at))
  }
  return {
    turns: seen.length,
    accept: timesOf(accepts),
    post_to_done: timesOf(seen),
    created_to_finished: timesOf(own),
  }
}
