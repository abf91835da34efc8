import { execFile } from "node:child_process"
import { createReadStream, existsSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"

const run = promisify(execFile)

interface Manifest {
  name: string
  version: string
}

/** The folders of all installed packages, from the lock file. A name can have several versions. */
async function installedFolders(): Promise<Map<string, string[]>> {
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as {
    packages: Record<string, { link?: boolean }>
  }
  const folders = new Map<string, string[]>()
  for (const [path, { link }] of Object.entries(lock.packages)) {
    const name = path.split("node_modules/").at(-1) ?? ""
    // A link is a workspace, which is not built.
    if (!link && path.includes("node_modules/") && existsSync(join(path, "package.json")))
      folders.set(name, [...(folders.get(name) ?? []), path])
  }
  return folders
}

interface Offered {
  /** More packages that the registry serves, as paths of their tarballs. */
  tarballs?: readonly string[]
  /** The tarball of a package by any other name, except those of our scope. */
  otherwise?: (name: string) => Promise<string | undefined>
  /** Called when a client downloads one of these tarballs. */
  onDownload?: (name: string) => void
}

/** The manifest in a tarball of npm. */
export async function manifestIn(tarball: string): Promise<Manifest> {
  const { stdout } = await run("tar", ["-xzOf", tarball, "package/package.json"])
  return JSON.parse(stdout) as Manifest
}

/**
 * A registry for npm that serves the packages of this checkout's node_modules in their installed versions. So a test
 * can install a package with its dependencies, and needs no network. Tarballs are written to `dir`.
 */
export async function servePackages(dir: string, { tarballs = [], otherwise, onDownload }: Offered = {}) {
  const folders = await installedFolders()
  const given = new Map(
    await Promise.all(tarballs.map(async (path) => [(await manifestIn(path)).name, path] as [string, string])),
  )
  const files = new Map<string, string>()
  const isOwn = (name: string) => name.startsWith(`${CLIENT_PACKAGE.split("/")[0]}/`)
  /** The tarball by a name that is not installed here. */
  const tarballOf = async (name: string) => {
    if (given.has(name) || folders.has(name) || isOwn(name) || !otherwise) return given.get(name)
    return otherwise(name)
  }
  const packed = new Map<string, Promise<string>>()
  const pack = async (folder: string) => {
    const file = join(dir, `${folder.replaceAll("/", "+")}.tgz`)
    await mkdir(dir, { recursive: true })
    // The fastest compression, because programs have a hundred megabytes.
    const options = ["-C", folder, "--transform", "s,^\\.,package,S", "--exclude", "./node_modules"]
    await run("tar", ["-cf", file, "-I", "gzip -1", ...options, "."]).catch((error: { code?: number }) => {
      // 1: a file changed, which is also a new hard link to it from another checkout. The content is complete.
      if (error.code !== 1) throw error
    })
    return file
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry")
    try {
      if (pathname.startsWith("/-/")) {
        const folder = decodeURIComponent(pathname.slice("/-/".length))
        if (files.has(folder)) onDownload?.(folder)
        const file = files.get(folder) ?? packed.get(folder) ?? pack(folder)
        if (!files.has(folder)) packed.set(folder, Promise.resolve(file))
        createReadStream(await file).pipe(response)
        return
      }
      const name = decodeURIComponent(pathname.slice(1))
      const versions: Record<string, unknown> = {}
      const tarball = await tarballOf(name)
      if (tarball) {
        const manifest = await manifestIn(tarball)
        files.set(name, tarball)
        const dist = { tarball: `http://${request.headers.host}/-/${encodeURIComponent(name)}` }
        versions[manifest.version] = { ...manifest, dist }
      }
      for (const folder of tarball ? [] : (folders.get(name) ?? [])) {
        const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest
        const dist = { tarball: `http://${request.headers.host}/-/${encodeURIComponent(folder)}` }
        versions[manifest.version] = { ...manifest, dist }
      }
      const [latest] = Object.keys(versions)
      if (!latest) throw new Error(`${name} is not installed`)
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ name, "dist-tags": { latest }, versions }))
    } catch (error) {
      response.writeHead(404).end(JSON.stringify({ error: String(error) }))
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
