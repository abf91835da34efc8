import { readFile, rm, writeFile } from "node:fs/promises"

type Variables = Record<string, string | undefined>

/** The first line of a file that we wrote. A file without this line is never changed or removed. */
const MARK = "# Written by `npm run stack` and removed when it ends. Without this line it is yours, and stays as it is."

/** The second line names the process that wrote the file. While it runs, no other process changes the file. */
const OF_PROCESS = "# Process "

/** The variables in the format that wrangler reads. Variables without a value are left out. */
export function envFileOf(variables: Variables): string {
  const lines = Object.entries(variables).flatMap(([name, value]) => (value ? [`${name}=${quoted(value)}`] : []))
  return `${lines.join("\n")}\n`
}

/** Inside double quotes wrangler unescapes only line breaks, so a value with a quote gets other quotes around it. */
function quoted(value: string): string {
  const quote = ['"', "'", "`"].find((one) => !value.includes(one))
  if (!quote || (quote !== '"' && value.includes("\n")))
    throw new Error(
      "The value of a variable contains every kind of quote, or quotes and line breaks. A file cannot express it.",
    )
  return quote === '"' ? `"${value.replaceAll("\n", "\\n")}"` : `${quote}${value}${quote}`
}

/** Rejects if `file` exists and was not written by `npm run stack`, or by one that still runs. */
export async function refuseForeignVars(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null)
  if (text === null) return
  if (!isOurs(text))
    throw new Error(`${file} was not written by \`npm run stack\`, so it is not changed. Move it away and try again.`)
  const writer = writerOf(text)
  if (writer !== process.pid && isRunning(writer))
    throw new Error(
      `${file} belongs to another \`npm run stack\` (process ${writer}). End it, or remove the file, and try again.`,
    )
}

/** Writes the file that `npx wrangler dev` reads next to wrangler.toml. */
export async function writeDevVars(file: string, variables: Variables): Promise<void> {
  await refuseForeignVars(file)
  await writeFile(file, `${MARK}\n${OF_PROCESS}${process.pid}\n${envFileOf(variables)}`, { mode: 0o600 })
}

/**
 * Removes the file, so that a worker without stand-ins names the missing variables instead of calling servers that
 * ended.
 */
export async function removeDevVars(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => null)
  if (text !== null && isOurs(text) && writerOf(text) === process.pid) await rm(file)
}

const isOurs = (text: string) => text.startsWith(`${MARK}\n`)

function writerOf(text: string): number | null {
  const line = text.split("\n")[1] ?? ""
  return line.startsWith(OF_PROCESS) ? Number(line.slice(OF_PROCESS.length)) : null
}

function isRunning(pid: number | null): boolean {
  if (pid === null || !Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
