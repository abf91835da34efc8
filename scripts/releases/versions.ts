import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { AI_SDK_PACKAGE, CLIENT_PACKAGE } from "../../client/src/names.ts"
import { tarballName, wheelName } from "../../src/reference/served-packages.ts"

const run = promisify(execFile)

/** Changes files of a checkout. A file without the text that is replaced is a fault. */
async function edit(root: string, path: string, change: (text: string) => string): Promise<void> {
  const file = join(root, path)
  const before = await readFile(file, "utf8")
  const after = change(before)
  if (after === before) throw new Error(`${path} has nothing to change.`)
  await writeFile(file, after)
}

/** Gives the sources of all clients another version, and writes the generated files and documents that have it. */
export async function changeVersion(root: string, from: string, to: string): Promise<void> {
  const quoted = (text: string) => text.replace(`"version": "${from}"`, `"version": "${to}"`)
  await edit(root, "client/src/version.ts", (text) => text.replace(`"${from}"`, `"${to}"`))
  await edit(root, "client/package.json", quoted)
  const dependent = (text: string) => text.replace(`"${CLIENT_PACKAGE}": "${from}"`, `"${CLIENT_PACKAGE}": "${to}"`)
  await edit(root, "ai-sdk/package.json", (text) => dependent(quoted(text)))
  for (const name of [CLIENT_PACKAGE, AI_SDK_PACKAGE]) {
    await edit(root, "package-lock.json", (text) => {
      const at = text.indexOf(`"name": ${JSON.stringify(name)}`)
      return text.slice(0, at) + quoted(text.slice(at))
    })
  }
  await edit(root, "package-lock.json", dependent)
  const { stdout } = await run("git", ["grep", "-lE", "/client/[^ ]+\\.(tgz|whl)", "--", "*.md"], { cwd: root })
  for (const path of stdout.trim().split("\n")) {
    await edit(root, path, (text) =>
      text
        .replaceAll(tarballName(CLIENT_PACKAGE, from), tarballName(CLIENT_PACKAGE, to))
        .replaceAll(tarballName(AI_SDK_PACKAGE, from), tarballName(AI_SDK_PACKAGE, to))
        .replaceAll(wheelName(from), wheelName(to)),
    )
  }
  await run(process.execPath, ["scripts/generate-client.ts"], { cwd: root })
}

/** Turns the section "Unreleased" of the changelog into that of a version. `day` is YYYY-MM-DD. */
export async function closeChangelog(root: string, version: string, day: string): Promise<void> {
  await edit(root, "CHANGELOG.md", (text) => {
    if (!/^## \[Unreleased\]\n+###/m.test(text)) throw new Error("CHANGELOG.md has no entries below [Unreleased].")
    return text.replace("## [Unreleased]", `## [Unreleased]\n\n## [${version}] - ${day}`)
  })
}

/** The text of a version's section of the changelog. */
export async function readChangelog(root: string, version: string): Promise<string> {
  const text = await readFile(join(root, "CHANGELOG.md"), "utf8")
  const [, section] = text.split(`\n## [${version}]`)
  if (!section) throw new Error(`CHANGELOG.md has no section [${version}].`)
  return section.slice(section.indexOf("\n")).split("\n## [")[0]?.trim() ?? ""
}

/** The address of a repository in a browser, from an address of git. */
export const webAddress = (address: string) =>
  address
    .trim()
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/^(git\+|ssh:\/\/git@)/, (start) => (start === "git+" ? "" : "https://"))
    .replace(/\.git$/, "")

/** Writes the address of the repository into the metadata of all packages. npm compares it with the provenance. */
export async function setRepository(root: string, address: string): Promise<void> {
  const url = webAddress(address)
  const fields = (directory?: string) => ({
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: "git", url: `git+${url}.git`, ...(directory && { directory }) },
  })
  for (const directory of [undefined, "client", "ai-sdk"]) {
    const file = join(root, directory ?? "", "package.json")
    const { name, version, ...rest } = JSON.parse(await readFile(file, "utf8"))
    await writeFile(file, `${JSON.stringify({ name, version, ...rest, ...fields(directory) }, null, 2)}\n`)
  }
  const urls = `[project.urls]\nHomepage = "${url}#readme"\nRepository = "${url}"\nIssues = "${url}/issues"\n\n`
  await edit(root, "client-python/pyproject.toml", (text) =>
    text
      .replace(/^\[project\.urls\]\n[\s\S]*?(?=^\[)/m, "")
      .replace("[tool.hatch.version]", `${urls}[tool.hatch.version]`),
  )
}
