import { createHash } from "node:crypto"
import { FILE_POLICY } from "../src/files/policies.ts"
import type { Options } from "./options.ts"
import { memoryMb } from "./processes.ts"
import { createSite } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const MiB = 1024 * 1024
const SIZES = {
  full: { rounds: 4, bytes: FILE_POLICY.maxBytes },
  smoke: { rounds: 1, bytes: 2 * FILE_POLICY.partBytes },
}
const SAMPLE_MS = 20

/**
 * Uploads and downloads the largest file and measures the memory of the runtime, which must not depend on the size of a
 * transfer.
 */
export async function measureFiles(world: BenchWorld, { size }: Options) {
  const { rounds, bytes } = SIZES[size]
  const site = await createSite(world, "files", { runs: false })
  const { url, pid } = site.runtime
  const { key, space } = site.accounts[0] ?? { key: "", space: "" }
  const headers = { authorization: `Bearer ${key}` }
  const upload = async (total: number) => {
    const options = { method: "POST", headers, body: bytesOf(total), duplex: "half" as const }
    const response = await fetch(`${url}/v1/spaces/${space}/files?name=bench.bin`, options)
    if (response.status !== 201) throw new Error(await response.text())
    return (await response.json()) as { file_id: string; sha256: string }
  }
  const download = async ({ file_id, sha256 }: { file_id: string; sha256: string }) => {
    const response = await fetch(`${url}/v1/files/${file_id}/content`, { headers })
    const hash = createHash("sha256")
    for await (const chunk of response.body ?? []) hash.update(chunk)
    if (hash.digest("hex") !== sha256) throw new Error("The downloaded file differs from the uploaded one.")
  }
  const remove = ({ file_id }: { file_id: string }) =>
    fetch(`${url}/v1/files/${file_id}`, { method: "DELETE", headers })
  // Warms up: the first transfers fill the young generation of the heap and the allocator's pages.
  await download(await upload(2 * FILE_POLICY.partBytes))
  const points = []
  for (let count = 1; count <= rounds; count++) {
    const before = await memoryMb(pid)
    const up = await watch(pid, () => upload(bytes))
    const down = await watch(pid, () => download(up.answer))
    await remove(up.answer)
    points.push({
      file: count,
      mb_before: before,
      mb_upload: up.mb,
      mb_download: down.mb,
      upload_mib_per_s: round(bytes / MiB / up.seconds, 0),
      download_mib_per_s: round(bytes / MiB / down.seconds, 0),
    })
  }
  return { points }
}

function bytesOf(total: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(64 * 1024).fill(97)
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent >= total) return controller.close()
      const next = piece.subarray(0, Math.min(piece.length, total - sent))
      sent += next.length
      controller.enqueue(next)
    },
  })
}

/** Runs `work` and returns the maximum memory of the runtime during it. */
async function watch<T>(pid: number, work: () => Promise<T>): Promise<{ answer: T; mb: number; seconds: number }> {
  const began = performance.now()
  let isOver = false
  let mb = 0
  const watching = (async () => {
    while (!isOver) {
      mb = Math.max(mb, await memoryMb(pid))
      await new Promise((done) => setTimeout(done, SAMPLE_MS))
    }
  })()
  try {
    const answer = await work()
    return { answer, mb, seconds: (performance.now() - began) / 1000 }
  } finally {
    isOver = true
    await watching
  }
}
