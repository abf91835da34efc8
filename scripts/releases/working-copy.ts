import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, lstat, mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

const run = promisify(execFile)
const MODULES = ["", "client", "dashboard", "generators", "scripts"].map((folder) => join(folder, "node_modules"))

/** The author of commits in a copy, which has no settings of git. */
export const AUTHOR = ["-c", "user.name=Turnpike", "-c", "user.email=release@turnpike.invalid"]

/**
 * A repository with the files of a checkout as they are, also those that are not committed, and its installed packages.
 * Without a folder for it, it disappears with this process.
 */
export async function copyCheckout(root: string, folder?: string): Promise<string> {
  const copy = folder ?? (await makeTemporaryDirectory("release"))
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  for (const path of new Set(stdout.split("\0").filter(Boolean))) {
    // A file that was deleted and not committed.
    if (!(await lstat(join(root, path)).catch(() => null))) continue
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await cp(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  for (const path of MODULES.filter((one) => existsSync(join(root, one))))
    await symlink(join(root, path), join(copy, path))
  await run("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: copy })
  await commit(copy, "Copy of the checkout", AUTHOR)
  return copy
}

/** Commits all changes. */
export async function commit(root: string, message: string, options: readonly string[] = []): Promise<void> {
  await run("git", ["add", "--all"], { cwd: root, maxBuffer: 2 ** 26 })
  await run("git", [...options, "commit", "--quiet", "--message", message], { cwd: root, maxBuffer: 2 ** 26 })
}
