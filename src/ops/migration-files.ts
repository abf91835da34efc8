import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** before-deploy: safe while workers of the previous release run. after-deploy: only after all of them have ended. */
export type MigrationPhase = "before-deploy" | "after-deploy"

export interface Migration {
  /** The file name without ".sql". Migrations are applied in the order of their names. */
  name: string
  phase: MigrationPhase
  text: string
  /** The SHA-256 of the text, in hex. */
  checksum: string
  /** The statements, each run as its own transaction; null if the whole file is one transaction. */
  statements: string[] | null
}

const FOLDER = join(import.meta.dirname, "../../migrations")

/** Reads all files of migrations/, in order. */
export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))
  const migrations = files.map((file, index) => parseMigration(file, texts[index] as string))
  for (const [index, { name }] of migrations.entries()) {
    if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`migrations/${name}.sql does not have the next number.`)
  }
  return migrations
}

/** Reads the name and header of a file. Throws if they do not follow CONTRIBUTING.md. */
export function parseMigration(file: string, written: string): Migration {
  const text = written.replaceAll("\r\n", "\n")
  const name = /^(\d{4}_[a-z0-9_]+)\.sql$/.exec(file)?.[1]
  const header = /^-- phase: (before-deploy|after-deploy)\n(-- transaction: none\n)?/.exec(text)
  if (!name) throw new Error(`migrations/${file} must be named like 0002_what_it_does.sql.`)
  if (!header)
    throw new Error(`migrations/${file} must begin with "-- phase: before-deploy" or "-- phase: after-deploy".`)
  const statements = header[2] ? splitStatements(text) : null
  if (!statements && /^-- batch$/m.test(text)) {
    throw new Error(`migrations/${file} has a batch, so its second line must be "-- transaction: none".`)
  }
  const checksum = createHash("sha256").update(text).digest("hex")
  return { name, phase: header[1] as MigrationPhase, text, checksum, statements }
}

/** Splits a text into statements, each with the comments before it. Ignores semicolons in quotes and comments. */
export function splitStatements(text: string): string[] {
  const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;/g
  const statements: string[] = []
  let from = 0
  for (const match of text.matchAll(token)) {
    if (match[0] !== ";") continue
    statements.push(text.slice(from, match.index).trim())
    from = match.index + 1
  }
  const rest = text.slice(from).trim()
  if (rest.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, "").trim())
    throw new Error(`There is no semicolon after "${rest}".`)
  return statements
}
