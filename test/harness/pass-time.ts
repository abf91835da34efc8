import type { World } from "./world.ts"

/** Lets time pass, `stepMs` at a time, while `work` goes on. */
export async function passTime<T>(world: Pick<World, "sql" | "advance">, work: Promise<T>, stepMs = 50): Promise<T> {
  let done = false
  const ended = () => {
    done = true
  }
  void work.then(ended, ended)
  while (!done) {
    await Promise.race([work.catch(() => {}), world.sql("select pg_sleep(0.005)").catch(() => {})])
    if (!done) await world.advance(stepMs)
  }
  return work
}

/** Lets the queue deliver everything while a fault plan fails every commit: workers repeat commits for some seconds, and give up. */
export function drainInVain(world: Pick<World, "sql" | "advance" | "drain">): Promise<number> {
  return passTime(world, world.drain(), 500)
}
