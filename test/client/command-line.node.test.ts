import { execFile } from "node:child_process"
import { chmod, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import { elementsOf } from "../../client/cli/follow-feed.ts"
import { verifyWebhook } from "../../client/src/index.ts"
import { openTerminal } from "../harness/terminal.ts"

const KEY = `turnpike_live_${"k".repeat(38)}`
const ACCESS = { TURNPIKE_API_KEY: KEY, TURNPIKE_BASE_URL: "https://api.turnpike.test" }
const ME = {
  key: { key_id: "key_1", name: "Server", test: false, scope: "all", created_at: "", expires_at: null },
  caps: [],
  limits: [],
  balance: null,
}

const failing = (status: number, code: string, more: object = {}) =>
  Response.json({ error: { code, message: "It is so.", retryable: false, request_id: "req_1", ...more } }, { status })

describe("API keys", () => {
  test.each([[["keys", KEY]], [["keys", `--key=${KEY}`]], [["keys", "--api-key", "x"]], [["keys", "--key", "x"]]])(
    "A key is refused as an argument and is not repeated: %j",
    async (args) => {
      const { run } = await openTerminal({ env: ACCESS })
      const { code, out, err } = await run(...args)
      expect(code).toBe(EXIT_CODES.usage.code)
      expect(err).toContain("TURNPIKE_API_KEY")
      expect(out + err).not.toContain(KEY)
    },
  )

  test("A stored key is readable by its owner only, and a file that others can read is refused", async () => {
    const { run, terminal, cwd } = await openTerminal({
      fetch: async () => Response.json(ME),
      readInput: async () => `${KEY}\n`,
    })
    const stored = await run("--base-url", "https://api.turnpike.test", "init", "--key-stdin")
    expect(stored).toMatchObject({ code: 0 })
    expect(stored.out + stored.err).not.toContain(KEY)
    const file = terminal.env.TURNPIKE_CONFIG as string
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(join(cwd, "turnpike.yaml"), "utf8")).not.toContain(KEY)
    expect(await run("keys")).toMatchObject({ code: 0 })
    await chmod(file, 0o640)
    const refused = await run("keys")
    expect(refused).toMatchObject({ code: EXIT_CODES.access.code })
    expect(refused.err).toContain(`chmod 600 ${file}`)
  })

  test("A stored key is sent only to the address that it was stored with", async () => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(new URL(url).host)
      return Response.json(ME)
    }
    const { run } = await openTerminal({ fetch, readInput: async () => KEY })
    await run("--base-url", "https://api.turnpike.test", "init", "--key-stdin")
    expect(await run("--base-url", "https://other.test", "keys")).toMatchObject({ code: EXIT_CODES.access.code })
    expect(new Set(asked)).toEqual(new Set(["api.turnpike.test"]))
  })

  test("Without a key, the error says where one comes from", async () => {
    const { run } = await openTerminal()
    const { code, err } = await run("keys")
    expect(code).toBe(EXIT_CODES.access.code)
    expect(err).toMatch(/turnpike init/)
  })
})

describe("Errors and exit codes", () => {
  test.each([
    ["an unknown key", () => failing(401, "INVALID_API_KEY"), "access"],
    ["a key without the scope", () => failing(403, "SCOPE_DENIED"), "access"],
    ["a missing object", () => failing(404, "NOT_FOUND"), "refused"],
    ["a cap that resets tomorrow", () => failing(429, "QUOTA_EXCEEDED", { details: { cap: "key_daily" } }), "refused"],
    ["a broken service", () => failing(500, "INTERNAL"), "unavailable"],
    [
      "no service",
      () => {
        throw new TypeError("fetch failed")
      },
      "unavailable",
    ],
  ] as const)("After %s, the exit code and the JSON tell the cause", async (_name, answer, exit) => {
    const { run } = await openTerminal({ env: ACCESS, fetch: async () => answer() })
    const { code, out, err } = await run("keys", "--json")
    expect(code).toBe(EXIT_CODES[exit].code)
    expect(out).toBe("")
    expect(JSON.parse(err).error.code).toEqual(expect.any(String))
  })

  test("An error of the service is shown with its code, message, field, hint and request id", async () => {
    const fetch = async () => failing(422, "VALIDATION_FAILED", { param: "space" })
    const { run } = await openTerminal({ env: ACCESS, fetch })
    const { err } = await run("turns", "send", "--space", "spc_1", "--user", "c", "Hi")
    for (const part of ["VALIDATION_FAILED", "It is so.", "space", "hint:", "req_1"]) expect(err).toContain(part)
  })

  test.each([
    [["turns", "snd"], /Did you mean send/],
    [["turns", "list", "--state", "lost"], /queued, running, done/],
    [["turns", "send", "Hi"], /--space/],
    [["turns", "list", "--limit", "-1"], /number above 0/],
    [["listen", "--forward-to", "http://a b"], /is not an address/],
    [["apply", "missing.yaml"], /no file missing\.yaml/],
    [["turns", "tail", "--since", "soon"], /is not a time/],
    [["dev"], /npm install --save-dev turnpike-dev@/],
  ])("A mistake in %j ends with the usage code and a next step", async (args, text) => {
    const { run } = await openTerminal({ env: ACCESS, fetch: async () => Response.json({ data: [] }) })
    const { code, err } = await run(...args)
    expect(code).toBe(EXIT_CODES.usage.code)
    expect(err).toMatch(text)
    const asJson = await run(...args, "--json")
    const { message, hint } = JSON.parse(asJson.err).error
    expect(`${message} ${hint}`).toMatch(text)
  })

  test("Every command and group of commands has help that names its options", async () => {
    const { run } = await openTerminal()
    const { code, out } = await run("--help")
    expect(code).toBe(0)
    for (const { means } of Object.values(EXIT_CODES)) expect(out).toContain(means)
    const names = [...out.matchAll(/^ {2}([a-z]+)(?= |$)/gm)].map(([, name]) => name as string)
    const commands = names.filter((name) => !["turnpike", "help"].includes(name))
    expect(commands.length).toBeGreaterThan(9)
    for (const name of commands) expect((await run(name, "--help")).out).toMatch(/--json/)
  })

  test("Text of a failed turn cannot control the terminal, and colors appear on a terminal only", async () => {
    const turn = {
      turn_id: "turn_1",
      state: "failed",
      result: "a\x1b]0;title\x07b",
      billed_cost_usd: 0,
      model: "m",
      error: { code: "TIMEOUT_REACHED", message: "Late." },
    }
    const fetch = async () => Response.json(turn)
    const { run, terminal } = await openTerminal({ env: ACCESS, fetch })
    const plain = await run("turns", "get", "turn_1")
    expect(plain).toMatchObject({ code: EXIT_CODES.turn.code })
    expect(plain.out + plain.err).not.toContain("\x1b")
    terminal.isTerminal.err = true
    expect((await run("turns", "get", "turn_1")).err).toContain("\x1b[31mfailed")
    terminal.env.NO_COLOR = "1"
    expect((await run("turns", "get", "turn_1")).err).not.toContain("\x1b")
  })
})

describe("The file of a space", () => {
  const write = (cwd: string, text: string) => writeFile(join(cwd, "turnpike.yaml"), text)

  test.each([
    ["a value of a secret", "name: a\ntitle: A\nsecrets: { TOKEN: abcdef }", /`TOKEN` must not contain its value/],
    ["an unknown section", "name: a\ntitle: A\ntool: []", /no section `tool`/],
    ["a broken line", "name: a\ntitle: [A", /turnpike\.yaml/],
    ["a name with spaces", "name: My space\ntitle: A", /lower-case/],
    ["a tool without a name", "name: a\ntitle: A\ntools: [{ description: x }]", /needs a `name`/],
    ["a tool that is there twice", "name: a\ntitle: A\ntools: [{ name: x }, { name: x }]", /"x" twice/],
    ["a number in the metadata", "name: a\ntitle: A\nmetadata: { v: 1 }", /must be a text/],
    ["a list", "- a", /is a map/],
  ])("A file with %s is refused before any request", async (_name, text, message) => {
    let requests = 0
    const fetch = async () => {
      requests++
      return Response.json({ data: [] })
    }
    const { run, cwd } = await openTerminal({ env: ACCESS, fetch })
    await write(cwd, text)
    const { code, err } = await run("apply")
    expect(code).toBe(EXIT_CODES.usage.code)
    expect(err).toMatch(message)
    expect(requests).toBe(0)
  })

  test("A secret whose variable is missing is named, and nothing is created", async () => {
    const methods: string[] = []
    const fetch = async (_url: string, init: RequestInit) => {
      methods.push(init.method as string)
      return Response.json({ data: [], has_more: false, next_cursor: null })
    }
    const { run, cwd } = await openTerminal({ env: ACCESS, fetch })
    await write(cwd, "name: a\ntitle: A\nsecrets: [ORDERS_TOKEN]")
    const { code, err } = await run("apply")
    expect(code).toBe(EXIT_CODES.usage.code)
    expect(err).toContain("ORDERS_TOKEN")
    expect(new Set(methods)).toEqual(new Set(["GET"]))
  })
})

describe("The feed", () => {
  const event = (n: number, more = "") =>
    `{"id":"evt_${n}","type":"ping","created_at":"2026-01-15T00:00:00.000Z","seq":null,"data":{"cost":0.0000001,"text":"a\\"],[{${more}"}}`
  const page = (bodies: string[], cursor: string | null, more = false) =>
    `{"data":[${bodies.join(",")}],"has_more":${more},"next_cursor":${JSON.stringify(cursor)}}`

  test("Events keep their bytes, whatever characters and numbers they have", () => {
    const bodies = [event(1), event(2, "\\\\"), event(3)]
    expect(elementsOf(page(bodies, "c"))).toEqual(bodies)
    expect(elementsOf(page([], null))).toEqual([])
    for (const body of bodies) expect(() => JSON.parse(body)).not.toThrow()
  })

  test("The receiver gets each event once and in order, through lost connections and its own restart", async () => {
    // Each step is an answer of the feed: a page after a cursor, or a failure.
    const feed = [
      () => new Response(page([event(1), event(2)], "after 2", true)),
      () => {
        throw new TypeError("fetch failed")
      },
      () => failing(503, "UNAVAILABLE"),
      // A connection that breaks within the body: the events of this page come again.
      () => new Response(page([event(3)], "after 3").slice(0, 60)),
      () => new Response(page([event(3)], "after 3")),
      () => new Response(page([], "after 3")),
      () => new Response(page([event(4)], "after 4")),
    ]
    const cursors: (string | null)[] = []
    const taken: { body: string; id: string; init: RequestInit }[] = []
    let attempts = 0
    const fetch = async (url: string, init: RequestInit) => {
      if (url.includes("/v1/health")) return Response.json({})
      if (url.includes("/v1/events")) {
        cursors.push(new URL(url).searchParams.get("cursor"))
        const step = feed.shift()
        if (!step) {
          interrupt()
          throw new TypeError("fetch failed")
        }
        return step()
      }
      // The receiver restarts, then rejects once, then accepts.
      attempts++
      if (attempts === 1) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })
      if (attempts === 2) return new Response("busy", { status: 500 })
      const { "webhook-id": id } = init.headers as Record<string, string>
      taken.push({ body: init.body as string, id: id as string, init })
      return new Response(null, { status: 204 })
    }
    const secret = `whsec_${Buffer.from("a secret of this test").toString("base64")}`
    const { run, said, interrupt } = await openTerminal({ env: { ...ACCESS, TURNPIKE_WEBHOOK_SECRET: secret }, fetch })
    expect(await run("listen", "--forward-to", "localhost:3000/hook")).toMatchObject({
      code: EXIT_CODES.interrupted.code,
    })
    expect(taken.map(({ id }) => id)).toEqual(["evt_1", "evt_2", "evt_3", "evt_4"])
    expect(taken.map(({ body }) => body)).toEqual([1, 2, 3, 4].map((n) => event(n)))
    expect(cursors).toEqual([null, "after 2", "after 2", "after 2", "after 2", "after 3", "after 3", "after 4"])
    expect(said.out).toContain(secret)
    expect(said.out).toMatch(/no program listens at http:\/\/localhost:3000\/hook/)
    for (const { body, init } of taken) {
      const now = new Date(Number((init.headers as Record<string, string>)["webhook-timestamp"]) * 1000)
      await expect(verifyWebhook(body, init.headers as Record<string, string>, secret, { now })).resolves.toMatchObject(
        { type: "ping" },
      )
    }
  })
})

describe("Completion", () => {
  const words = `COMP_WORDS=(turnpike turns s) COMP_CWORD=2; _turnpike; echo "\${COMPREPLY[@]}"
    COMP_WORDS=(turnpike turns list --state "") COMP_CWORD=4; _turnpike; echo "\${COMPREPLY[@]}"
    COMP_WORDS=(turnpike --json us) COMP_CWORD=2; _turnpike; echo "\${COMPREPLY[@]}"`

  test("Bash completes commands, options and values", async () => {
    const { run } = await openTerminal()
    const { out } = await run("completion", "bash")
    const { stdout } = await promisify(execFile)("bash", ["-c", `${out}\n${words}`])
    expect(stdout.split("\n").slice(0, 3)).toEqual(["send", "queued running done failed cancelled", "usage"])
  })

  test.each(["zsh", "fish"])("The script for %s names every command", async (shell) => {
    const { run } = await openTerminal()
    const { code, out } = await run("completion", shell)
    expect(code).toBe(0)
    for (const command of ["listen", "turns send", "spaces export", "forward-to", "cancelled"])
      expect(out).toContain(command)
  })
})
