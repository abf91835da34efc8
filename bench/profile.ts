import { writeFile } from "node:fs/promises"
import type { Options } from "./options.ts"
import type { Site } from "./site.ts"

const INTERVAL_MICROS = 200

/** Runs `work`, and writes a CPU profile of the site's worker if the options name a file for it. */
export async function profiled<Result>({ profile }: Options, site: Site, work: () => Promise<Result>): Promise<Result> {
  if (profile === undefined) return work()
  const running = await startProfile(site.runtime.inspector ?? "")
  const result = await work()
  await running.write(profile)
  return result
}

/** Profiles a worker's CPU through its inspector. `write` writes a file for Chromium's developer tools. */
async function startProfile(inspector: string) {
  const socket = new WebSocket(inspector)
  await new Promise((done, fail) => {
    socket.addEventListener("open", done, { once: true })
    socket.addEventListener("error", () => fail(new Error("The inspector does not respond.")), { once: true })
  })
  let asked = 0
  const ask = <Result>(method: string, params: object = {}) => {
    const id = ++asked
    return new Promise<Result>((done) => {
      const receive = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id?: number; result: Result }
        if (message.id !== id) return
        socket.removeEventListener("message", receive)
        done(message.result)
      }
      socket.addEventListener("message", receive)
      socket.send(JSON.stringify({ id, method, params }))
    })
  }
  await ask("Profiler.enable")
  await ask("Profiler.setSamplingInterval", { interval: INTERVAL_MICROS })
  await ask("Profiler.start")
  return {
    async write(path: string) {
      const { profile } = await ask<{ profile: unknown }>("Profiler.stop")
      await writeFile(path, JSON.stringify(profile))
      socket.close()
    },
  }
}
