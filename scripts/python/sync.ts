import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { PYTHON_MODULE } from "../../client/src/names.ts"
import { writeFolder } from "../folder-files.ts"

const FOLDER = join(import.meta.dirname, "../../client-python/src", PYTHON_MODULE)

/** Names of the asynchronous client, in the order in which they are replaced, with those of the synchronous one. */
const REPLACED: [RegExp, string][] = [
  [/^.*# async-only\n/gm, ""],
  [/Awaitable\[None\] \| None\]/g, "object]"],
  [/\bAsyncGenerator\[(\w+), None\]/g, "Generator[$1, None, None]"],
  [/Callable\[\[str \| None\], Awaitable\[(Page\[T\])\]\]/g, "Callable[[str | None], $1]"],
  [/import ((?:\w+, )*)Awaitable, /g, "import $1"],
  [/\basync (?=def|for|with)/g, ""],
  [/\(await ((?:[^()]|\([^()]*\))*)\)(?=\.)/g, "$1"],
  [/\bawait /g, ""],
  [/\bAsync(?=[A-Z])/g, ""],
  [/__a(enter|exit|iter)__/g, "__$1__"],
  [/\baclose\b/g, "close"],
  [/\baiter_bytes\b/g, "iter_bytes"],
  [/\bstream_async\b/g, "stream"],
  [/done = (?=on_\w+\()/g, ""],
  [/\basyncio\.Event\b/g, "threading.Event"],
  [/^import asyncio$/gm, "import threading"],
  [/, an interrupt or a cancelled task ends/g, " or an interrupt ends"],
  [/The asynchronous client\. .*"""/g, 'The synchronous client."""'],
]

/** The source of a module of the synchronous client. */
function syncOf(source: string, name: string): string {
  const text = REPLACED.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), source)
  const header = `# Built from _async/${name} by scripts/python/sync.ts.\n`
  return header + text.replace(/^# Generated from .*\n/, "")
}

let built: Promise<void> | undefined

/**
 * Writes the synchronous half of the Python client next to the asynchronous one, once in a process. Git ignores it:
 * everything that packs or checks the package builds it first.
 */
export function buildSync(): Promise<void> {
  built ??= (async () => {
    const names = (await readdir(join(FOLDER, "_async"))).filter((name) => name.endsWith(".py"))
    const texts = names.map(async (name) => {
      const source = await readFile(join(FOLDER, "_async", name), "utf8")
      return [`/${name}`, syncOf(source, name)] as const
    })
    await writeFolder(join(FOLDER, "_sync"), new Map(await Promise.all(texts)))
  })()
  return built
}
