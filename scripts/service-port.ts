import { PORT_OFFSETS } from "../src/local/options.ts"
import { FREE_PORTS, isFree } from "../src/local/postgres.ts"

/** No other server of the tests gets these ports: they are above those of `freePort`. */
const PORTS = { from: FREE_PORTS.to, slots: 750, size: 8, pools: 16 }

const USED = [0, ...Object.values(PORT_OFFSETS)]

const given = new Set<number>()

/**
 * A port for `npm start` or the published package, whose other ports are free too. A service listens only after some
 * seconds, so the processes of a test run have different ports, and none is given twice.
 */
export async function servicePort(): Promise<number> {
  const pool = Number(process.env.VITEST_POOL_ID ?? 0) % PORTS.pools
  for (let tries = 0; tries < 1000; tries++) {
    const slot = Math.floor(Math.random() * PORTS.slots)
    if (slot % PORTS.pools !== pool || given.has(slot)) continue
    const port = PORTS.from + slot * PORTS.size
    const free = await Promise.all(USED.map((offset) => isFree(port + offset)))
    if (!free.every(Boolean)) continue
    given.add(slot)
    return port
  }
  throw new Error("There is no free port for a service.")
}
