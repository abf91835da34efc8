import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { parseDocument, stringify } from "yaml"
import { COMMAND } from "../src/names.ts"
import type { CreateSpace, ManifestInput, McpServerInput, ToolInput } from "../src/operations.ts"
import { CommandError } from "./failures.ts"
import { escaped, shown, type Terminal } from "./terminal.ts"

/** The key of a space's metadata that holds the name in its file, by which `apply` finds the space again. */
export const NAME_KEY = "turnpike_name"

/** The content of a file. A section that the file does not have is left as it is in the service. */
export interface SpaceFile {
  name: string
  title: string
  model?: string | null
  metadata?: Record<string, string>
  manifest?: ManifestInput
  tools?: ToolInput[]
  mcp_servers?: McpServerInput[]
  /** The variable of the environment that holds each secret's value. */
  secrets?: Record<string, { env: string }>
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
const SECTIONS = ["name", "title", "model", "metadata", "manifest", "tools", "mcp_servers", "secrets"]

/** Reads a file. `-` is the standard input. */
export async function readSpaceFile(terminal: Terminal, path: string): Promise<SpaceFile> {
  const text =
    path === "-"
      ? await terminal.readInput()
      : await readFile(resolve(terminal.cwd, path), "utf8").catch(() => {
          throw new CommandError(`There is no file ${path}.`, { hint: `\`${COMMAND} init\` writes an example.` })
        })
  return parseSpaceFile(text, path)
}

export function parseSpaceFile(text: string, path: string): SpaceFile {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault) throw new CommandError(`${path}: ${fault.message.split("\n")[0]}`)
  const wrong = (message: string, hint?: string) => new CommandError(`${path}: ${message}`, { ...(hint && { hint }) })
  const file: unknown = document.toJS({ maxAliasCount: 100 })
  if (!isRecord(file)) throw wrong("A space is a map with `name` and `title`.")
  const unknown = Object.keys(file).find((key) => !SECTIONS.includes(key))
  if (unknown) throw wrong(`There is no section \`${unknown}\`.`, `The sections are ${SECTIONS.join(", ")}.`)
  const { name, title, model, metadata } = file
  if (typeof name !== "string" || !NAME.test(name))
    throw wrong("`name` must be 1–64 lower-case letters, digits, dots, dashes or underscores.")
  if (typeof title !== "string" || title === "") throw wrong("`title` is missing.")
  if (model !== undefined && model !== null && typeof model !== "string") throw wrong("`model` must be a pin or null.")
  if (
    metadata !== undefined &&
    !(isRecord(metadata) && Object.values(metadata).every((one) => typeof one === "string"))
  )
    throw wrong("Each value of `metadata` must be a text.", "Put numbers and dates in quotes.")
  if (isRecord(metadata) && NAME_KEY in metadata) throw wrong(`\`metadata.${NAME_KEY}\` is set by \`apply\`.`)
  if (file.manifest !== undefined && !isRecord(file.manifest)) throw wrong("`manifest` must be a map.")
  for (const section of ["tools", "mcp_servers"]) checkNamed(file[section], section, wrong)
  const secrets = secretsOf(file.secrets, wrong)
  return { ...(file as unknown as SpaceFile), ...(secrets && { secrets }) }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function checkNamed(list: unknown, section: string, wrong: (message: string) => CommandError): void {
  if (list === undefined) return
  if (!Array.isArray(list) || !list.every((one) => isRecord(one) && typeof one.name === "string"))
    throw wrong(`\`${section}\` must be a list, and each entry needs a \`name\`.`)
  const names = list.map(({ name }) => name as string)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw wrong(`\`${section}\` has the name "${twice}" twice.`)
}

/** Values are never in the file: a secret names a variable, by default the variable of its own name. */
function secretsOf(section: unknown, wrong: (message: string, hint?: string) => CommandError): SpaceFile["secrets"] {
  if (section === undefined) return undefined
  const hint = "Write `NAME: { env: VARIABLE }`, or a list of names. The value comes from the environment."
  if (Array.isArray(section)) {
    if (!section.every((name) => typeof name === "string")) throw wrong("`secrets` must be a list of names.", hint)
    return Object.fromEntries(section.map((name: string) => [name, { env: name }]))
  }
  if (!isRecord(section)) throw wrong("`secrets` must be a map or a list of names.", hint)
  for (const [name, one] of Object.entries(section)) {
    if (!isRecord(one) || typeof one.env !== "string" || Object.keys(one).length !== 1)
      throw wrong(`The secret \`${name}\` must not contain its value.`, hint)
  }
  return section as SpaceFile["secrets"]
}

/** The value of each secret. Throws if a variable is not set. */
export function secretValues({ secrets = {} }: SpaceFile, env: Terminal["env"]): Record<string, string> {
  const missing = Object.values(secrets).flatMap(({ env: name }) => (env[name] ? [] : [name]))
  if (missing.length > 0) {
    throw new CommandError(`These variables of secrets are not set: ${missing.join(", ")}.`, {
      hint: "Set them, or remove the secrets from the file.",
    })
  }
  return Object.fromEntries(Object.entries(secrets).map(([name, one]) => [name, env[one.env] as string]))
}

/** The body that creates the space. */
export function newSpaceOf(file: SpaceFile, secrets: Record<string, string>): CreateSpace {
  const { name, model, secrets: _names, ...rest } = file
  return {
    ...rest,
    ...(typeof model === "string" && { model }),
    metadata: { ...file.metadata, [NAME_KEY]: name },
    ...(Object.keys(secrets).length > 0 && { secrets }),
  }
}

/** The file of a space. Characters that a terminal obeys are escapes, which YAML has only between double quotes. */
export function writeSpaceFile(file: SpaceFile): string {
  const text = stringify(file, { lineWidth: 100, nullStr: "null" })
  if (shown(text) === text) return text
  return escaped(
    stringify(file, { lineWidth: 0, nullStr: "null", defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" }),
  )
}
