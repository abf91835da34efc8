import { needPackages } from "../scripts/own-packages.ts"
import { startChild } from "./child.ts"
import { followTurns } from "./measure-latency.ts"
import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite, createSiteDatabase, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const ACCOUNTS = 16

/** Compares Turnpike with a hand-built service on pg-boss, with the same server and load, one after the other. */
export async function measurePeer(world: BenchWorld, options: Options) {
  await needPackages("bench")
  const ours = await measureService(
    () => createSite(world, "accepting", { runs: false, accounts: ACCOUNTS }),
    () => createSite(world, "running", { runs: true, accounts: ACCOUNTS }),
  )
  const peer = await measureService(
    () => createPeer(world, "0"),
    () => createPeer(world, "1"),
  )
  const of = (name: "accepts_per_second" | "turns_per_second" | "post_to_done_p50") => round(ours[name] / peer[name])
  return {
    ours,
    peer,
    ours_to_peer: {
      accepts_per_second: of("accepts_per_second"),
      turns_per_second: of("turns_per_second"),
      post_to_done_p50: of("post_to_done_p50"),
    },
  }

  async function measureService(startAccepting: () => Promise<Site>, startRunning: () => Promise<Site>) {
    const accepting = await startAccepting()
    const job = { url: accepting.runtime.url, accounts: accepting.accounts, prefix: "peer", clients: 0 }
    const accept = (seconds: number) => world.load.run({ ...job, clients: options.acceptClients, seconds })
    await accept(1)
    const accepts = await accept(options.seconds * 2)
    const running = await startRunning()
    const turns = await timeTurns(world, running, options)
    const { post_to_done_polled } = await followTurns(running, options)
    return {
      accepts_per_second: round(accepts.samples.length / accepts.seconds, 0),
      turns_per_second: turns.finished_per_second,
      post_to_done_p50: post_to_done_polled.p50,
      cpu_ms_per_turn: turns.cpu_ms_per_turn,
    }
  }
}

async function createPeer(world: BenchWorld, runs: "0" | "1"): Promise<Site> {
  const { url: databaseUrl, sql } = await createSiteDatabase(world, `peer${runs}`)
  const child = startChild("peer-process.ts", { DATABASE_URL: databaseUrl, PEER_RUNS: runs })
  world.keep(child.stop)
  const url = await child.ask<string>({})
  const accounts = [{ userId: 0, key: "", space: "bench" }]
  const runtime = { url, pid: child.pid }
  return {
    runtime,
    runner: runtime,
    groups: { worker: [child.pid], postgres: world.postgresPids },
    env: {},
    databaseUrl,
    sql,
    accounts,
  }
}
