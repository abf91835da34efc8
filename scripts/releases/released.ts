import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The folder with a folder for each released version: the packages as they were published, and their checksums. */
export const RELEASES = "releases"

/** The checksums of a release, in the format of `sha256sum`. */
export const CHECKSUMS = "SHA256SUMS"

const VERSION = /^\d+\.\d+\.\d+$/
const partsOf = (version: string) => version.replace(/-dev$/, "").split(".").map(Number) as [number, number, number]

/** True for a version such as 0.1.0, and false for one between two releases, such as 0.2.0-dev. */
export const isRelease = (version: string) => VERSION.test(version)

/** The order of versions; a version between two releases counts as the one that it leads to. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)]
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

/** The released versions of a checkout, oldest first. */
export async function releasedVersions(root: string): Promise<string[]> {
  const folder = join(root, RELEASES)
  const names = existsSync(folder) ? await readdir(folder) : []
  return names.filter(isRelease).sort(compareVersions)
}

/** The packages of all released versions, by the paths at which a service serves them. */
export async function releasedPackages(root: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const version of await releasedVersions(root)) {
    const folder = join(root, RELEASES, version)
    for (const name of (await readdir(folder)).filter((one) => /\.(tgz|whl)$/.test(one)))
      files.set(`/client/${name}`, await readFile(join(folder, name)))
  }
  return files
}
