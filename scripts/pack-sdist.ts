import { execFile } from "node:child_process"
import { cp, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { PYTHON_MODULE } from "../client/src/names.ts"
import { VERSION } from "../client/src/version.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { pythonVersion } from "../src/reference/served-packages.ts"
import { metadataOf } from "./pack-wheel.ts"
import { buildSync } from "./python/sync.ts"

const ROOT = join(import.meta.dirname, "..")
/** Equal sources give equal archives. The options are those of GNU tar. */
const EQUAL = ["--sort=name", "--mtime=1980-01-01", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]

/** Writes the source distribution of the Python client (PEP 517, PEP 625) in `folder`, and returns its path. */
export async function packSdist(folder: string): Promise<string> {
  const name = `${PYTHON_MODULE}-${pythonVersion(VERSION)}`
  const work = await makeTemporaryDirectory("sdist")
  const draft = join(work, name)
  const source = join(ROOT, "client-python")
  await mkdir(draft)
  await buildSync()
  await cp(join(source, "src"), join(draft, "src"), {
    recursive: true,
    filter: (path) => !path.includes("__pycache__"),
  })
  await cp(join(source, "README.md"), join(draft, "README.md"))
  await cp(join(ROOT, "LICENSE"), join(draft, "LICENSE"))
  const project = await readFile(join(source, "pyproject.toml"), "utf8")
  await writeFile(join(draft, "pyproject.toml"), project.replace('"../LICENSE"', '"LICENSE"'))
  await writeFile(join(draft, "PKG-INFO"), await metadataOf())
  const plain = join(work, "sdist.tar")
  await promisify(execFile)("tar", ["-cf", plain, ...EQUAL, "--mode=u=rwX,go=rX", "-C", work, name])
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${name}.tar.gz`)
  await writeFile(path, gzipSync(await readFile(plain), { level: 9 }))
  return path
}
