import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startContainer } from "../../src/local/container.ts"
import { freePort } from "../../src/local/postgres.ts"

test("The container of `npm start` answers programs that know its path, and no page of another site", async () => {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-container-"))
  const { url, stop } = await startContainer(dir)
  const at = new URL(url)
  const ask = (headers: Record<string, string>, path = at.pathname) =>
    new Promise<number>((done, fail) => {
      const call = request({ host: "127.0.0.1", port: at.port, path, method: "POST", headers }, (response) => {
        response.resume().on("end", () => done(response.statusCode ?? 0))
      })
      call.on("error", fail)
      call.end("{}")
    })
  try {
    expect(await ask({ host: at.host, "content-type": "application/json" })).not.toBe(403)
    for (const path of ["/mcp", "/", `${at.pathname}/`]) expect(await ask({ host: at.host }, path), path).toBe(404)
    expect(await ask({ host: `evil.test:${at.port}` })).toBe(403)
    expect(await ask({ host: at.host, origin: "https://evil.test" })).toBe(403)
  } finally {
    await stop()
    await rm(dir, { recursive: true, force: true })
  }
})

test("The container keeps its address at the next start, and one of an earlier release gets a random path", async () => {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-container-"))
  const port = await freePort()
  const addressOf = async () => {
    const { url, former, stop } = await startContainer(dir)
    await stop()
    return { url, former }
  }
  try {
    await writeFile(join(dir, "container.port"), String(port))
    const first = await addressOf()
    expect(first.former).toBe(`http://127.0.0.1:${port}/mcp`)
    expect(new URL(first.url).pathname).toMatch(/^\/[\w-]{32}\/mcp$/)
    expect(await addressOf()).toEqual({ url: first.url, former: first.url })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
