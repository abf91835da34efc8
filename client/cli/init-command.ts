import { readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { Command } from "commander"
import { COMMAND } from "../src/names.ts"
import { Turnpike } from "../src/turnpike.ts"
import { CommandError } from "./failures.ts"
import type { CommandContext, Run } from "./run.ts"
import { settingsFile, store } from "./settings.ts"

const EXAMPLE = `# A space for \`${COMMAND} apply\`. A section that is left out stays as it is in the service.
name: support              # finds the space again; do not change it
title: Support
manifest:
  instructions: |
    You answer questions about orders.
    Answer in one sentence.
# tools:
#   - name: lookup_order
#     description: Finds an order by its id.
#     input_schema: { type: object, properties: { id: { type: string } }, required: [id] }
#     request:
#       method: GET
#       url: https://api.example.com/orders/{{input.id}}
#       headers: { Authorization: "Bearer {{secrets.ORDERS_TOKEN}}" }
# secrets:                 # values come from the environment, never from this file
#   ORDERS_TOKEN: { env: ORDERS_TOKEN }
`

interface InitOptions {
  local?: string | true
  keyStdin?: true
  force?: true
}

export function addInitCommand(program: Command, run: Run): void {
  program
    .command("init")
    .description("store an API key for this user, and write an example of a space's file")
    .argument("[file]", "the file to write", "turnpike.yaml")
    .option("--local [directory]", "use the key of the command `dev` in this data directory (default: .local)")
    .option("--key-stdin", "read the API key from the standard input")
    .option("--force", "replace the file if it exists")
    .action(run<[string, InitOptions]>(init))
}

async function init({ terminal, baseUrl, connection }: CommandContext, path: string, options: InitOptions) {
  const found = await credentials(terminal, baseUrl, options)
  const { fetch, runtime } = terminal
  const turnpike = new Turnpike(found ? { ...found, fetch, runtime } : await connection())
  const { key } = await turnpike.me()
  if (found) {
    await store(terminal, { base_url: found.baseUrl, api_key: found.apiKey })
    terminal.out(`Stored the ${key.test ? "test" : "live"} key "${key.name}" in ${settingsFile(terminal)}.\n`)
  } else terminal.out(`The ${key.test ? "test" : "live"} key "${key.name}" works.\n`)
  const file = resolve(terminal.cwd, path)
  const isWritten = await writeFile(file, EXAMPLE, { flag: options.force ? "w" : "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false
      throw new CommandError(`${path} cannot be written: ${error.message}.`)
    },
  )
  terminal.out(isWritten ? `Wrote ${path}.\n` : `${path} exists and was not changed.\n`)
  const send = `${COMMAND} turns send --space support --user customer-1 --wait "Where is my order?"`
  terminal.out(`\nNext:\n  ${COMMAND} apply ${path}\n  ${send}\n`)
}

/** A new key to store. Null: the key of the environment or the stored key is used. */
async function credentials(terminal: CommandContext["terminal"], given: string | undefined, options: InitOptions) {
  if (options.local) {
    const directory = resolve(terminal.cwd, options.local === true ? ".local" : options.local)
    const text = await readFile(join(directory, "demo.json"), "utf8").catch(() => {
      throw new CommandError(`${directory} is not the data of a local service.`, {
        hint: `Start \`${COMMAND} dev\` here, or give the data directory of \`npm start\`.`,
      })
    })
    const demo = JSON.parse(text) as { base_url: string; api_key: string }
    return { baseUrl: given ?? demo.base_url, apiKey: demo.api_key }
  }
  const { env, isTerminal } = terminal
  if (!options.keyStdin && (env.TURNPIKE_API_KEY || !isTerminal.in)) return null
  const baseUrl = given ?? env.TURNPIKE_BASE_URL ?? (options.keyStdin ? undefined : await terminal.ask("Base URL: "))
  if (!baseUrl || !URL.canParse(baseUrl))
    throw new CommandError("The address of the service is missing.", { hint: "Use --base-url, or TURNPIKE_BASE_URL." })
  const apiKey = options.keyStdin ? await terminal.readInput() : await terminal.ask("API key: ", { hidden: true })
  return { baseUrl, apiKey: apiKey.trim() }
}
