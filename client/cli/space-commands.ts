import type { Command } from "commander"
import type { Space } from "../src/operations.ts"
import { applySpace, planSpace } from "./apply-space.ts"
import type { CommandContext, Run } from "./run.ts"
import { connect } from "./settings.ts"
import { type Change, readLiveSpace, spaceIdOf } from "./space-changes.ts"
import { NAME_KEY, readSpaceFile, type SpaceFile, secretValues, writeSpaceFile } from "./space-file.ts"
import { jsonOf, type Paint, painter, shown, tableOf } from "./terminal.ts"

const FILE = "the file of the space; - is the standard input"
const DEFAULT_FILE = "turnpike.yaml"

export function addSpaceCommands(program: Command, run: Run): void {
  program
    .command("apply")
    .description("make a space as its file says; nothing changes if it is so already")
    .argument("[file]", FILE, DEFAULT_FILE)
    .option("--dry-run", "show the changes, and make none")
    .option("--update-secrets", "send the values of all secrets again; otherwise only of those that are not set")
    .action(run<[string, ApplyFlags]>(apply))
  program
    .command("diff")
    .description("show how a space differs from its file; the exit code is 7 if it does")
    .argument("[file]", FILE, DEFAULT_FILE)
    .action(
      run<[string]>(async (context, path) => {
        const { terminal, connection } = context
        const file = await readSpaceFile(terminal, path)
        const { live, changes } = await planSpace(await connect(connection), file)
        showChanges(context, { file, changes, space_id: live?.space.space_id ?? null })
        return changes.length > 0 ? "differs" : undefined
      }),
    )
  const spaces = program.command("spaces").description("list, show, export and archive spaces")
  spaces
    .command("list")
    .description("list the active spaces, newest first")
    .option("-q, --query <text>", "only spaces with this text in their title")
    .action(run<[{ query?: string }]>(listSpaces))
  spaces
    .command("get")
    .description("show a space")
    .argument("<space>", "its id, or the name in its file")
    .action(
      run<[string]>(async ({ terminal, connection }, given) => {
        const turnpike = await connect(connection)
        terminal.out(`${jsonOf(await turnpike.spaces.get(await spaceIdOf(turnpike, given)), 2)}\n`)
      }),
    )
  spaces
    .command("export")
    .description("print the file of a space, without the values of its secrets")
    .argument("<space>", "its id")
    .option("--name <name>", "the name in the file; `apply` finds the space by it after the first `spaces adopt`")
    .action(run<[string, { name?: string }]>(exportSpace))
  spaces
    .command("adopt")
    .description("let `apply` manage a space that was made in another way")
    .argument("<space>", "its id")
    .argument("<name>", "the name in its file")
    .action(
      run<[string, string]>(async ({ terminal, connection }, id, name) => {
        const turnpike = await connect(connection)
        const { metadata } = await turnpike.spaces.get(id)
        const space = await turnpike.spaces.update(id, { metadata: { ...metadata, [NAME_KEY]: name } })
        terminal.out(`${space.space_id} has the name ${name}.\n`)
      }),
    )
  spaces
    .command("archive")
    .description("archive a space: it accepts no more turns, and its open turns are cancelled")
    .argument("<space>", "its id, or the name in its file")
    .action(
      run<[string]>(async ({ terminal, connection, json }, given) => {
        const turnpike = await connect(connection)
        const space = await turnpike.spaces.archive(await spaceIdOf(turnpike, given))
        terminal.out(json ? `${jsonOf(space)}\n` : `${space.space_id} is archived.\n`)
      }),
    )
}

interface ApplyFlags {
  dryRun?: true
  updateSecrets?: boolean
}

async function apply(context: CommandContext, path: string, { dryRun, updateSecrets = false }: ApplyFlags) {
  const { terminal, connection, json } = context
  const file = await readSpaceFile(terminal, path)
  const turnpike = await connect(connection)
  const plan = await planSpace(turnpike, file)
  const needed = updateSecrets || !plan.live ? file : withoutSet(file, plan.live.secrets)
  const secrets = dryRun ? {} : secretValues(needed, terminal.env)
  const sent = updateSecrets ? Object.keys(file.secrets ?? {}) : []
  if (dryRun) return showChanges(context, { file, changes: plan.changes, space_id: plan.live?.space.space_id ?? null })
  if (plan.live && plan.changes.length === 0 && sent.length === 0)
    return showChanges(context, { file, changes: [], space_id: plan.live.space.space_id })
  const { apiKey } = await connection()
  const applied = await applySpace(turnpike, file, plan, { secrets, apiKey })
  showChanges(context, { file, changes: plan.changes, ...applied })
  if (json) return
  const again = sent.length > 0 ? `, and sent ${sent.length} secrets again` : ""
  const count = plan.changes.length === 1 ? "1 change" : `${plan.changes.length} changes`
  terminal.err(`Made ${count}${again}. ${applied.space_id} has version ${applied.config_version}.\n`)
}

/** The file with only those secrets that the service does not have. */
function withoutSet(file: SpaceFile, set: { name: string }[]): SpaceFile {
  const missing = Object.entries(file.secrets ?? {}).filter(([name]) => !set.some((one) => one.name === name))
  return { ...file, secrets: Object.fromEntries(missing) }
}

interface Shown {
  file: SpaceFile
  changes: Change[]
  space_id: string | null
  config_version?: number
}

function showChanges({ terminal, json }: CommandContext, { file, changes, ...rest }: Shown): void {
  const hide = hider(file, terminal.env)
  const paint = painter(terminal, "out")
  if (json) terminal.out(`${hide(jsonOf({ name: file.name, ...rest, changes }))}\n`)
  else if (changes.length === 0) terminal.err(`${file.name} (${rest.space_id}) is as its file says.\n`)
  else for (const change of changes) terminal.out(`${hide(linesOf(change, paint))}\n`)
}

const SIGNS = { add: "+", change: "~", remove: "-" } as const
const COLORS = { add: "green", change: "yellow", remove: "red" } as const
const textOf = (value: unknown) => shown(typeof value === "string" ? value : JSON.stringify(value))

function linesOf({ action, path, from, to }: Change, paint: Paint): string {
  const head = paint(COLORS[action], `${SIGNS[action]} ${path}`)
  const value = action === "remove" ? from : to
  if (action !== "change") return value === undefined ? head : `${head}: ${indented(textOf(value))}`
  const before = textOf(from).split("\n")
  const after = textOf(to).split("\n")
  if (before.length === 1 && after.length === 1) return `${head}: ${before[0]} -> ${after[0]}`
  // Only the lines between the first and the last that differ.
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const removed = before.slice(start, before.length - end).map((line) => paint("red", `    - ${line}`))
  const added = after.slice(start, after.length - end).map((line) => paint("green", `    + ${line}`))
  return [`${head}:`, ...removed, ...added].join("\n")
}

const indented = (text: string) => text.trimEnd().replaceAll("\n", "\n    ")

/** Replaces values of secrets, which a file or the service may contain in another place by mistake. */
function hider({ secrets = {} }: SpaceFile, env: Record<string, string | undefined>): (text: string) => string {
  const values = Object.entries(secrets).flatMap(([name, { env: variable }]) => {
    const value = env[variable]
    return value
      ? [
          [value, `[secret ${name}]`],
          [jsonOf(value).slice(1, -1), `[secret ${name}]`],
        ]
      : []
  })
  return (text) => values.reduce((left, [value = "", label = ""]) => left.replaceAll(value, label), text)
}

async function listSpaces({ terminal, connection, json }: CommandContext, { query }: { query?: string }) {
  const turnpike = await connect(connection)
  const found = await turnpike.spaces.list({ limit: 100, ...(query !== undefined && { q: query }) }).toArray()
  if (json) return terminal.out(`${jsonOf(found)}\n`)
  const row = (one: Space) => [one.space_id, one.metadata[NAME_KEY] ?? "", String(one.config_version), one.title]
  terminal.out(tableOf([["SPACE", "NAME", "VERSION", "TITLE"], ...found.map(row)]))
}

async function exportSpace({ terminal, connection, json }: CommandContext, id: string, { name }: { name?: string }) {
  const turnpike = await connect(connection)
  const { space, tools, mcpServers, secrets } = await readLiveSpace(turnpike, await turnpike.spaces.get(id))
  const { [NAME_KEY]: known, ...metadata } = space.metadata
  const file: SpaceFile = {
    name: name ?? known ?? id.replace("_", "-"),
    title: space.title,
    ...(space.model !== null && { model: space.model }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    manifest: space.manifest,
    tools,
    mcp_servers: mcpServers,
    secrets: Object.fromEntries(secrets.map((secret) => [secret.name, { env: secret.name }])),
  }
  terminal.out(json ? `${jsonOf(file)}\n` : writeSpaceFile(file))
}
