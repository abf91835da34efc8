import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FILE_POLICY } from "../src/files/policies.ts"
import { startDevServer } from "../src/local/dev-server.ts"
import { freePort } from "../src/local/postgres.ts"
import type { Account } from "./load.ts"
import { descendants } from "./processes.ts"
import type { World } from "./world.ts"

const LARGEST_MIB = FILE_POLICY.maxBytes / 1024 / 1024

/** The same bytes in every round: as many small files, then as one of the largest size, again and again. */
const ROUNDS = [10, 10, 10, ...Array<number>(9).fill(LARGEST_MIB)]

/**
 * The runtime's peak memory while files go up and down, small ones and then the largest: `wrangler dev`, since only that has
 * R2. Its bucket and its proxies are in the same process, so most of what is seen is theirs.
 */
export async function measureFiles(world: World) {
  const site = await world.site("files", { runs: false })
  const account = site.accounts[0]
  if (!account) throw new Error("no account")
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-bench-files-"))
  const port = await freePort()
  const env = { ...site.env, CALLBACKS_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: "error" }
  const server = await startDevServer({ port, dataDir, env })
  try {
    const memory = () => runtimeMemoryMb(new Set(site.pids))
    const points = [{ file_mib: 0, peak_mb: await memory(), mib_per_second: 0 }]
    for (const [round, mib] of ROUNDS.entries()) {
      let peak = 0
      const watch = setInterval(
        () =>
          void memory().then((mb) => {
            peak = Math.max(peak, mb)
          }),
        100,
      )
      const began = performance.now()
      for (let done = 0; done < LARGEST_MIB; done += mib) await upAndDown(server.url, account, `${round}-${done}`, mib)
      clearInterval(watch)
      const mib_per_second = Math.round((2 * LARGEST_MIB * 1000) / (performance.now() - began))
      points.push({ file_mib: mib, peak_mb: peak, mib_per_second })
    }
    // By the third round of each size the buffers are filled; from then on nothing may pile up.
    const [small, last] = [points[3]?.peak_mb ?? 0, points.at(-1)?.peak_mb ?? 0]
    return {
      points,
      largest_beside_small: Math.round((last / small) * 100) / 100,
      flat: last <= (points[8]?.peak_mb ?? 0) * 1.1,
    }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function upAndDown(url: string, account: Account, name: string, mib: number): Promise<void> {
  const headers = { authorization: `Bearer ${account.key}` }
  const body = new Uint8Array(mib * 1024 * 1024)
  for (let at = 0; at < body.length; at += 65_536) crypto.getRandomValues(body.subarray(at, at + 65_536))
  const expected = createHash("sha256").update(body).digest("hex")
  const sent = await fetch(`${url}/v1/spaces/${account.space}/files?name=${name}.bin`, {
    method: "POST",
    headers,
    body,
  })
  const file = (await sent.json()) as { file_id: string; sha256: string }
  const got = await fetch(`${url}/v1/files/${file.file_id}/content`, { headers })
  const hash = createHash("sha256")
  for await (const chunk of got.body as unknown as AsyncIterable<Uint8Array>) hash.update(chunk)
  if (file.sha256 !== expected || hash.digest("hex") !== expected) throw new Error("a file came back changed")
}

async function runtimeMemoryMb(except: Set<number>): Promise<number> {
  const below = await descendants(process.pid)
  const runtimes = below.filter(({ pid, command }) => /workerd serve/.test(command) && !except.has(pid))
  return Math.round(Math.max(0, ...runtimes.map(({ rssKb }) => rssKb)) / 1024)
}
