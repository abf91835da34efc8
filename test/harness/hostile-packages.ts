import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { PYTHON_PACKAGE } from "../../client/src/names.ts"
import { zipOf } from "../../scripts/zip.ts"

const run = promisify(execFile)

/** Packages that write their names to a file when any of their code runs: at their installation, or as a command. */
export async function plantHostilePackages(dir: string) {
  const marks = join(dir, "hostile-code-ran")
  await mkdir(dir, { recursive: true })

  const hostile = new Set<string>()
  const downloaded = new Set<string>()
  /** The index names the digest of an archive, so it is made once. */
  const archives = new Map<string, Buffer>()

  /** A package whose command is also its script of the installation. */
  async function pack(name: string, version: string, program: string): Promise<string> {
    const folder = join(dir, name.replaceAll("/", "+"), "package")
    await mkdir(folder, { recursive: true })
    const manifest = { name, version, bin: { [name.split("/").at(-1) ?? name]: "run.js" } }
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ ...manifest, scripts: { preinstall: "node run.js" } }),
    )
    await writeFile(join(folder, "run.js"), `#!/usr/bin/env node\n${program}\n`, { mode: 0o755 })
    const tarball = join(folder, "../package.tgz")
    await run("tar", ["-czf", tarball, "-C", join(folder, ".."), "package"])
    return tarball
  }

  /** The tarball for npm. */
  function npmTarball(name: string): Promise<string> {
    hostile.add(name)
    const program = `require("node:fs").appendFileSync(${JSON.stringify(marks)}, ${JSON.stringify(`npm ${name}\n`)})`
    return pack(name, "99.0.0", program)
  }

  /** The source distribution for pip. Its build, which needs no other package, is the hostile program. */
  async function pythonArchive(name: string): Promise<Buffer> {
    const known = archives.get(name)
    if (known) return known
    const project = `${name.replaceAll("-", "_")}-99.0.0`
    const folder = join(dir, project)
    await mkdir(folder, { recursive: true })
    const files = {
      "PKG-INFO": `Metadata-Version: 2.1\nName: ${name}\nVersion: 99.0.0\n`,
      "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
      "backend.py": `open(${JSON.stringify(marks)}, "a").write(${JSON.stringify(`pip ${name}\n`)})\n`,
    }
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
    await run("tar", ["-cf", `${folder}.tar`, "-C", dir, project])
    const archive = gzipSync(await readFile(`${folder}.tar`))
    archives.set(name, archive)
    return archive
  }

  return {
    npmTarball,
    /** A package for npm that does nothing. */
    harmlessTarball: (name: string, version: string) => pack(name, version, ""),
    /** The source distribution that pip downloads. */
    async downloadPython(name: string): Promise<Buffer> {
      downloaded.add(`pip ${name}`)
      return pythonArchive(name)
    },
    pythonArchive,
    /** Notes that npm downloads a package. */
    noteDownload(name: string): void {
      if (hostile.has(name)) downloaded.add(`npm ${name}`)
    },
    /** The hostile packages that were downloaded, and those whose code ran, since the last call. */
    async taken(): Promise<{ downloaded: string[]; ran: string[] }> {
      const text = await readFile(marks, "utf8").catch(() => "")
      const found = { downloaded: [...downloaded].sort(), ran: [...new Set(text.split("\n").filter(Boolean))].sort() }
      downloaded.clear()
      await rm(marks, { force: true })
      return found
    },
  }
}

type HostilePackages = Awaited<ReturnType<typeof plantHostilePackages>>

/** A wheel without content, in place of a package that is installed by its own name. */
function emptyWheel(name: string): Buffer {
  const info = `${name}-99.0.0.dist-info`
  const files = new Map([
    [`${info}/METADATA`, Buffer.from(`Metadata-Version: 2.1\nName: ${name}\nVersion: 99.0.0\n`)],
    [`${info}/WHEEL`, Buffer.from("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")],
    [`${info}/RECORD`, Buffer.alloc(0)],
  ])
  return zipOf(files)
}

/**
 * An index for pip (PEP 503). It has empty packages for `known` names, none for ours, and for each other name a hostile
 * one.
 */
export async function servePythonIndex(known: readonly string[], hostile: HostilePackages) {
  const server = createServer(async (request, response) => {
    const [kind, name = "", file] = new URL(request.url ?? "/", "http://index").pathname.split("/").slice(1)
    if (kind !== "simple" || name === "" || name === PYTHON_PACKAGE) return response.writeHead(404).end()
    const isKnown = known.includes(name)
    if (file) return response.end(isKnown ? emptyWheel(name) : await hostile.downloadPython(name))
    const content = isKnown ? emptyWheel(name) : await hostile.pythonArchive(name)
    const stem = `${name.replaceAll("-", "_")}-99.0.0`
    const named = isKnown ? `${stem}-py3-none-any.whl` : `${stem}.tar.gz`
    const digest = createHash("sha256").update(content).digest("hex")
    response.setHeader("content-type", "text/html")
    return response.end(`<!DOCTYPE html><a href="/simple/${name}/${named}#sha256=${digest}">${named}</a>`)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
