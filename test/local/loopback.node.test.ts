import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const run = promisify(execFile)

/** Each form of `listen`, and the address that the server gets. */
const FORMS: Record<string, string> = {
  "listen()": "127.0.0.1",
  "listen(0)": "127.0.0.1",
  'listen("0")': "127.0.0.1",
  "listen(null)": "127.0.0.1",
  "listen(() => {})": "127.0.0.1",
  "listen(0, () => {})": "127.0.0.1",
  "listen(0, 5, () => {})": "127.0.0.1",
  "listen(0, undefined, 5, () => {})": "127.0.0.1",
  "listen({ port: 0 })": "127.0.0.1",
  "listen({ port: 0 }, () => {})": "127.0.0.1",
  "listen({ port: 0, exclusive: true })": "127.0.0.1",
  'listen(0, "127.0.0.1", () => {})': "127.0.0.1",
  'listen(0, "127.0.0.2")': "127.0.0.2",
  'listen(0, "0.0.0.0")': "refused",
  'listen(0, "::")': "refused",
  'listen({ port: 0, host: "::" })': "refused",
  'listen(0, "127.0.0.1.evil.test")': "refused",
}

test("A program that imports loopback.ts listens on no other address, however a package calls listen", async () => {
  const program = `
    import ${JSON.stringify(pathToFileURL(resolve("src/local/loopback.ts")).href)}
    import { createServer } from "node:http"
    const addresses = {}
    for (const [form, listen] of Object.entries({ ${Object.keys(FORMS)
      .map((form) => `[${JSON.stringify(form)}]: (server) => server.${form}`)
      .join(", ")} })) {
      const server = createServer()
      try {
        listen(server)
        await new Promise((done, fail) => server.once("listening", done).once("error", fail))
        addresses[form] = server.address().address
      } catch (error) {
        addresses[form] = error.message.includes("127.0.0.1 only") ? "refused" : String(error)
      }
      server.close()
    }
    console.log(JSON.stringify(addresses))`
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program])
  expect(JSON.parse(stdout)).toEqual(FORMS)
})
