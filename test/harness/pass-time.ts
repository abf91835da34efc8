import type { World } from "./world.ts"

/** How long a step waits for a call under way, which on a busy machine takes its time. */
const PATIENCE_MS = 250

/** Lets time pass, `stepMs` at a time, while `work` goes on: never before a statement is answered, unless that hangs. */
export async function passTime<T>(world: Pick<World, "isCalm" | "advance">, work: Promise<T>, stepMs = 50): Promise<T> {
  let done = false
  const ended = () => {
    done = true
  }
  void work.then(ended, ended)
  let patience = PATIENCE_MS
  while (!done) {
    const calm = world.isCalm(patience)
    await Promise.race([work.catch(() => {}), calm])
    if (done) break
    patience = (await calm) ? PATIENCE_MS : 0
    await world.advance(stepMs)
  }
  return work
}

/** Lets the queue deliver everything while a fault plan fails every commit: workers repeat commits for some seconds, and give up. */
export function drainInVain(world: Pick<World, "isCalm" | "advance" | "drain">): Promise<number> {
  return passTime(world, world.drain(), 500)
}
