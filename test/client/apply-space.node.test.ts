import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
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

/** Applies the file to a space of the service. Returns the changes that it shows, and the requests that it sends. */
async function apply(...flags: string[]) {
  const sent: string[] = []
  // As in the service, each change makes a version, also one of a secret.
  let { config_version } = SPACE
  const fetch = async (url: string, { method = "", headers }: RequestInit) => {
    const [id, section, name] = new URL(url).pathname.split("/").slice(3)
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
  const { run, cwd } = await openTerminal({ env, fetch })
  await writeFile(join(cwd, "turnpike.yaml"), FILE)
  const { code, out } = await run("apply", ...flags)
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
