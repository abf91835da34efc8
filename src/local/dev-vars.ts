import { readFile, rm, writeFile } from "node:fs/promises"

type Variables = Record<string, string | undefined>

/** The first line of a file that we wrote. Removing it makes the file yours. */
const MARK = "# Written by `npm run stack` and removed when it ends. Without this line it is yours, and stays as it is."

/** Variables as wrangler reads them from a file; those without a value are left out. */
export function envFileOf(variables: Variables): string {
  const lines = Object.entries(variables).flatMap(([name, value]) => (value ? [`${name}=${quoted(value)}`] : []))
  return `${lines.join("\n")}\n`
}

/** Between double quotes wrangler undoes line breaks only, so what has a quote of its own stands between others. */
function quoted(value: string): string {
  const quote = ['"', "'", "`"].find((one) => !value.includes(one))
  if (!quote || (quote !== '"' && value.includes("\n")))
    throw new Error("A variable has every kind of quote, or quotes and lines.")
  return quote === '"' ? `"${value.replaceAll("\n", "\\n")}"` : `${quote}${value}${quote}`
}

/** Rejects when somebody has written `file` by hand. */
export async function refuseForeignVars(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null)
  if (text === null || isOurs(text)) return
  throw new Error(
    `${file} was written by hand, and is left alone. Move it away, or give its values to a worker yourself.`,
  )
}

/** Writes what `npx wrangler dev` reads beside wrangler.toml. */
export async function writeDevVars(file: string, variables: Variables): Promise<void> {
  await refuseForeignVars(file)
  await writeFile(file, `${MARK}\n${envFileOf(variables)}`, { mode: 0o600 })
}

/** Removed at the end, so a worker without stand-ins says what it misses instead of calling servers that are gone. */
export async function removeDevVars(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null)
  if (text !== null && isOurs(text)) await rm(file)
}

const isOurs = (text: string) => text.startsWith(`${MARK}\n`)
