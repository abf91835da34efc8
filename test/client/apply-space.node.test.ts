import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import { NAME_KEY } from "../../client/cli/space-file.ts"
import { COMMAND_ACCESS, openTerminal } from "../harness/terminal.ts"

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: "object" },
  ...more,
})
const LIVE: Record<string, object[]> = {
  tools: [tool("same"), tool("other", { approval: "always" }), tool("gone")],
  "mcp-servers": [
    { name: "shop", url: "https://old.test" },
    { name: "left", url: "https://left.test" },
  ],
  secrets: [{ name: "KEPT" }, { name: "OLD" }],
}
const SPACE = { space_id: "spc_1", title: "A", model: null, metadata: { [NAME_KEY]: "a" }, config_version: 7 }
const FILE = `name: a
title: B
tools:
  - { name: same, input_schema: { type: object }, description: Does same. }
  - { name: other, input_schema: { type: object }, description: Does other. }
  - { name: added, input_schema: { type: object }, description: Does added. }
mcp_servers: [{ name: shop, url: "https://new.test" }]
secrets: [KEPT, ADDED]
`

const CONFIGURED = [
  "PUT mcp-servers shop",
  "PUT tools other",
  "PUT tools added",
  "PATCH",
  "DELETE tools gone",
  "DELETE mcp-servers left",
]

/** True if another program changes the space just before the service gets this request. */
type Foreign = (request: string, sent: string[]) => boolean

/** Applies the file to a space of the service. Returns what the command says, and the changes that it sends. */
async function run(flags: string[], isForeign: Foreign = () => false) {
  const sent: string[] = []
  // As in the service, each change makes a version, also one of a secret.
  let { config_version } = SPACE
  const fetch = async (url: string, { method = "", headers }: RequestInit) => {
    const [id, section, name] = new URL(url).pathname.split("/").slice(3)
    if (isForeign([method, id && !section ? "space" : section].filter(Boolean).join(" "), sent)) config_version++
    if (method !== "GET") {
      const wanted = new Headers(headers).get("if-match")
      if (wanted !== null && wanted !== `"${config_version}"`)
        return Response.json({ error: { code: "VERSION_MISMATCH", message: "Another version." } }, { status: 412 })
      config_version++
      sent.push([method, section, name].filter(Boolean).join(" "))
    }
    if (method !== "GET" || (id && !section)) return Response.json({ ...SPACE, config_version })
    return Response.json({ data: section ? LIVE[section] : [SPACE], has_more: false, next_cursor: null })
  }
  const env = { ...COMMAND_ACCESS, KEPT: "kept-value", ADDED: "added-value" }
  const terminal = await openTerminal({ env, fetch })
  await writeFile(join(terminal.cwd, "turnpike.yaml"), FILE)
  return { ...(await terminal.run("apply", ...flags)), sent }
}

/** The changes that a successful command shows, and those that it sends. */
async function apply(...flags: string[]) {
  const { code, out, sent } = await run(flags)
  expect(code).toBe(0)
  return {
    shown: out
      .split("\n")
      .map((line) => /^[+~-] [\w.]+/.exec(line)?.[0])
      .filter(Boolean),
    sent,
  }
}

test("The changes that `apply` shows are those that it makes, and secrets are the first and the last", async () => {
  const { shown, sent } = await apply()
  expect(shown).toEqual([
    "~ title",
    "- tools.other.approval",
    "- tools.gone",
    "+ tools.added",
    "~ mcp_servers.shop.url",
    "- mcp_servers.left",
    "+ secrets.ADDED",
    "- secrets.OLD",
  ])
  expect(sent).toEqual(["PUT secrets ADDED", ...CONFIGURED, "DELETE secrets OLD"])
})

test("With --update-secrets, `apply` sends the values of all secrets of the file", async () => {
  const { sent } = await apply("--update-secrets")
  expect(sent).toEqual(["PUT secrets KEPT", "PUT secrets ADDED", ...CONFIGURED, "DELETE secrets OLD"])
})

test("With --dry-run, `apply` shows the same changes and sends nothing", async () => {
  const { shown } = await apply()
  expect(await apply("--dry-run")).toEqual({ shown, sent: [] })
})

const SINCE = "Another program has changed the space since it was compared with your file."

/** Another program changes the space once, just before the request for which this is true. */
const once = (when: Foreign): Foreign => {
  let isOver = false
  return (request, sent) => {
    if (isOver || !when(request, sent)) return false
    isOver = true
    return true
  }
}

test.each<[string, Foreign, string, string[]]>([
  ["before it reads the tools", (request) => request === "GET tools", SINCE, []],
  ["after it has read all, before its first secret", (request) => request === "GET space", SINCE, []],
  [
    "before its first change of the configuration",
    (request) => request.startsWith("PUT mcp-servers"),
    SINCE,
    ["PUT secrets ADDED"],
  ],
  [
    "just after its first change, before it reads the version",
    (request, sent) => request === "GET space" && sent.length === 2,
    "Another program changes the space at the same time.",
    ["PUT secrets ADDED", "PUT mcp-servers shop"],
  ],
  [
    "before its last removal",
    (request) => request === "DELETE mcp-servers",
    SINCE,
    ["PUT secrets ADDED", ...CONFIGURED.slice(0, -1)],
  ],
])(
  "If another program changes the space %s, `apply` is refused and writes nothing from then on",
  async (_when, isForeign, says, sent) => {
    const { code, err, sent: written } = await run([], once(isForeign))
    expect([code, written]).toEqual([EXIT_CODES.refused.code, sent])
    expect(err).toContain(says)
    expect(err).toContain("Run the command again. It compares your file with the new state.")
  },
)
