import { execFile } from "node:child_process"
import { chmod, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import { parseSpaceFile, writeSpaceFile } from "../../client/cli/space-file.ts"
import { jsonOf, shown } from "../../client/cli/terminal.ts"
import { COMMAND_ACCESS, errorResponse, openTerminal } from "../harness/terminal.ts"

const KEY = COMMAND_ACCESS.TURNPIKE_API_KEY
const ME = {
  key: { key_id: "key_1", name: "Server", test: false, scope: "all", created_at: "", expires_at: null },
  caps: [],
  limits: [],
  balance: null,
}

describe("API keys", () => {
  test.each([[["keys", KEY]], [["keys", `--key=${KEY}`]], [["keys", "--api-key", "x"]], [["keys", "--key", "x"]]])(
    "A key is refused as an argument and is not repeated: %j",
    async (args) => {
      const { run } = await openTerminal({ env: COMMAND_ACCESS })
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
    expect(err).toMatch(/npx @turnpike-turns\/client init/)
  })
})

describe("Errors and exit codes", () => {
  test.each([
    ["an unknown key", () => errorResponse(401, "INVALID_API_KEY"), "access"],
    ["a key without the scope", () => errorResponse(403, "SCOPE_DENIED"), "access"],
    ["a missing object", () => errorResponse(404, "NOT_FOUND"), "refused"],
    [
      "a cap that resets tomorrow",
      () => errorResponse(429, "QUOTA_EXCEEDED", { details: { cap: "key_daily" } }),
      "refused",
    ],
    ["a broken service", () => errorResponse(500, "INTERNAL"), "unavailable"],
    [
      "no service",
      () => {
        throw new TypeError("fetch failed")
      },
      "unavailable",
    ],
  ] as const)("After %s, the exit code and the JSON tell the cause", async (_name, answer, exit) => {
    const { run } = await openTerminal({ env: COMMAND_ACCESS, fetch: async () => answer() })
    const { code, out, err } = await run("keys", "--json")
    expect(code).toBe(EXIT_CODES[exit].code)
    expect(out).toBe("")
    expect(JSON.parse(err).error.code).toEqual(expect.any(String))
  })

  test("An error of the service is shown with its code, message, field, hint and request id", async () => {
    const fetch = async () => errorResponse(422, "VALIDATION_FAILED", { param: "space" })
    const { run } = await openTerminal({ env: COMMAND_ACCESS, fetch })
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
    [["dev"], /is not published[\s\S]*npm ci && npm start/],
  ])("A mistake in %j ends with the usage code and a next step", async (args, text) => {
    const { run } = await openTerminal({ env: COMMAND_ACCESS, fetch: async () => Response.json({ data: [] }) })
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

  test("A space's file and JSON have escapes in place of characters that a terminal obeys, and keep them", async () => {
    const space = { name: "a", title: "x\u009b2J \u202egnp.exe \x1b[0m" }
    const text = writeSpaceFile(space as never)
    expect(shown(text + jsonOf(space))).toBe(text + jsonOf(space))
    expect(parseSpaceFile(text, "space.yml")).toMatchObject(space)
    expect(JSON.parse(jsonOf(space))).toEqual(space)
    expect(shown("a\u202eb\u2066c\u009bd")).toBe("a\ufffdb\ufffdc\ufffdd")
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
    const { run, terminal } = await openTerminal({ env: COMMAND_ACCESS, fetch })
    const plain = await run("turns", "get", "turn_1")
    expect(plain).toMatchObject({ code: EXIT_CODES.turn.code })
    expect(plain.out + plain.err).not.toContain("\x1b")
    terminal.isTerminal.err = true
    expect((await run("turns", "get", "turn_1")).err).toContain("\x1b[31mfailed")
    terminal.env.NO_COLOR = "1"
    expect((await run("turns", "get", "turn_1")).err).not.toContain("\x1b")
  })
})

describe("Wallets of customers", () => {
  const ENTRY = { reason: "credit", amount_usd: 5, balance_after_usd: 7.5, note: "Order 1042" }
  const WALLET = {
    ...{ end_user_ref: "customer 42", balance_usd: 0.3, held_usd: 0.0000012, available_usd: 0.2999988 },
    ...{ low_balance_usd: 1, prepaid: true, prepaid_source: "end_user", price: "standard", price_source: "account" },
  }

  /** A terminal whose service answers each request with `answer` and records it. */
  async function openShop(answer: () => Response) {
    const sent: { method: string; path: string; key: string | null; body: unknown }[] = []
    const fetch = async (url: string, { method, headers, body }: RequestInit) => {
      const key = new Headers(headers).get("idempotency-key")
      sent.push({ method: String(method), path: new URL(url).pathname, key, body: body && JSON.parse(String(body)) })
      return answer()
    }
    return { sent, ...(await openTerminal({ env: COMMAND_ACCESS, fetch })) }
  }

  test("A credit is sent with its note and Idempotency-Key, and the new balance is shown", async () => {
    const { run, sent } = await openShop(() => Response.json(ENTRY, { status: 201 }))
    const command = ["customers", "credit", "customer 42", "5", "--note", "Order 1042", "--idempotency-key", "o-1042"]
    const { code, out } = await run(...command)
    expect(code).toBe(0)
    expect(out).toBe("credit   $5.00\nbalance  $7.50\n")
    expect(sent).toEqual([
      {
        method: "POST",
        path: "/v1/end-users/customer%2042/credits",
        key: "o-1042",
        body: { amount_usd: 5, note: "Order 1042" },
      },
    ])
    expect(JSON.parse((await run(...command, "--json")).out)).toEqual(ENTRY)
  })

  test("A negative amount is a correction, and each one without a key of its own gets a new Idempotency-Key", async () => {
    const { run, sent } = await openShop(() => Response.json({ ...ENTRY, reason: "correction", amount_usd: -2.5 }))
    expect((await run("customers", "credit", "c", "-2.5")).out).toContain("correction  -$2.50")
    await run("customers", "credit", "c", "-2.5")
    expect(sent.map(({ body }) => body)).toEqual([{ amount_usd: -2.5 }, { amount_usd: -2.5 }])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
  })

  test.each(["0", "", "five", "Infinity"])("The amount %j is refused before any request", async (amount) => {
    const { run, sent } = await openShop(() => Response.json(ENTRY))
    const { code, err } = await run("customers", "credit", "c", amount)
    expect(code).toBe(EXIT_CODES.usage.code)
    expect(err).toContain("number other than 0")
    expect(sent).toEqual([])
  })

  test("A balance shows the available and the held amount, and where the price and the payment are set", async () => {
    const { run, sent } = await openShop(() => Response.json(WALLET))
    const { code, out } = await run("customers", "balance", "customer 42")
    expect(code).toBe(0)
    expect(out.split("\n")).toEqual([
      "available  $0.2999988",
      "held       $0.0000012",
      "balance    $0.30",
      "low below  $1.00",
      "payment    prepaid (set for this customer)",
      "price      standard (the account's default)",
      "",
    ])
    expect(sent).toMatchObject([{ method: "GET", path: "/v1/end-users/customer%2042/balance" }])
    expect(JSON.parse((await run("customers", "balance", "customer 42", "--json")).out)).toEqual(WALLET)
  })

  test("A correction that the wallet cannot pay fails with the code of the service", async () => {
    const { run } = await openShop(() => errorResponse(409, "BALANCE_TOO_LOW"))
    const { code, out, err } = await run("customers", "credit", "c", "-100")
    expect(code).toBe(EXIT_CODES.refused.code)
    expect(out).toBe("")
    expect(err).toContain("BALANCE_TOO_LOW")
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
    const { run, cwd } = await openTerminal({ env: COMMAND_ACCESS, fetch })
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
    const { run, cwd } = await openTerminal({ env: COMMAND_ACCESS, fetch })
    await write(cwd, "name: a\ntitle: A\nsecrets: [ORDERS_TOKEN]")
    const { code, err } = await run("apply")
    expect(code).toBe(EXIT_CODES.usage.code)
    expect(err).toContain("ORDERS_TOKEN")
    expect(new Set(methods)).toEqual(new Set(["GET"]))
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
