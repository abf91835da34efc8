import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startContainer } from "../../src/local/container.ts"

test("The container of `npm start` answers programs on this machine and no page of another site", async () => {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-container-"))
  const { url, stop } = await startContainer(dir)
  const at = new URL(url)
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((done, fail) => {
      const call = request(
        { host: "127.0.0.1", port: at.port, path: at.pathname, method: "POST", headers },
        (response) => {
          response.resume().on("end", () => done(response.statusCode ?? 0))
        },
      )
      call.on("error", fail)
      call.end("{}")
    })
  try {
    expect(await ask({ host: at.host, "content-type": "application/json" })).not.toBe(403)
    expect(await ask({ host: `evil.test:${at.port}` })).toBe(403)
    expect(await ask({ host: at.host, origin: "https://evil.test" })).toBe(403)
  } finally {
    await stop()
    await rm(dir, { recursive: true, force: true })
  }
})
