import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** before-deploy: safe while workers of the previous release run. after-deploy: only when none of them runs any more. */
export type MigrationPhase = "before-deploy" | "after-deploy"

export interface Migration {
  /** Its file's name without ".sql". Migrations are applied in the order of their names. */
  name: string
  phase: MigrationPhase
  text: string
  /** SHA-256 of its text, in hex. */
  checksum: string
  /** The statements that are run one by one, each as its own transaction; null: the whole file is one transaction. */
  statements: string[] | null
}

const FOLDER = join(import.meta.dirname, "../../migrations")

/** All of migrations/, in order. */
export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))
  const migrations = files.map((file, index) => parseMigration(file, texts[index] as string))
  for (const [index, { name }] of migrations.entries()) {
    if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`migrations/${name}.sql does not have the next number.`)
  }
  return migrations
}

/** Reads the file's name and header. Throws when one is not as CONTRIBUTING.md says. */
export function parseMigration(file: string, written: string): Migration {
  const text = written.replaceAll("\r\n", "\n")
  const name = /^(\d{4}_[a-z0-9_]+)\.sql$/.exec(file)?.[1]
  const header = /^-- phase: (before-deploy|after-deploy)\n(-- transaction: none\n)?/.exec(text)
  if (!name) throw new Error(`migrations/${file} is not named like 0002_what_it_does.sql.`)
  if (!header)
    throw new Error(`migrations/${file} does not begin with "-- phase: before-deploy" or "-- phase: after-deploy".`)
  const statements = header[2] ? splitStatements(text) : null
  if (!statements && /^-- batch$/m.test(text)) {
    throw new Error(`migrations/${file} has a batch: its second line has to be "-- transaction: none".`)
  }
  const checksum = createHash("sha256").update(text).digest("hex")
  return { name, phase: header[1] as MigrationPhase, text, checksum, statements }
}

/** The statements of a text, each with the comments before it. Quotes, dollar quotes and comments may have semicolons. */
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
