import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { installedClosure, PRE_RELEASES, reasonFor } from "../../scripts/installed-packages.ts"
import { OWN_PACKAGES } from "../../scripts/own-packages.ts"

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"))

test("The local service installs only the pre-releases that have a reason, and every reason is needed", async () => {
  const pre = (await installedClosure()).filter(({ version }) => version.includes("-"))
  expect(pre.filter(({ name }) => reasonFor(name) === undefined)).toEqual([])
  const unused = Object.keys(PRE_RELEASES).filter(
    (known) => !pre.some(({ name }) => reasonFor(name) === PRE_RELEASES[known]),
  )
  expect(unused).toEqual([])
})

test("Every package with install scripts is named in allowScripts", () => {
  const { packages } = read("package-lock.json") as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const withScripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split("node_modules/").at(-1) as string)
  const named = Object.keys(read("package.json").allowScripts)
  expect(withScripts.filter((name) => !named.includes(name))).toEqual([])
})

test("Folders with packages of their own are no workspaces, and all lock files leave the registry to the user", () => {
  const { workspaces } = read("package.json") as { workspaces: string[] }
  for (const folder of Object.keys(OWN_PACKAGES)) {
    expect(workspaces).not.toContain(folder)
    expect(readFileSync(`${folder}/.npmrc`, "utf8")).toContain("omit-lockfile-registry-resolved=true")
    const versions = Object.values(read(`${folder}/package.json`).devDependencies as Record<string, string>)
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  }
  for (const folder of [".", ...Object.keys(OWN_PACKAGES)])
    expect(readFileSync(`${folder}/package-lock.json`, "utf8")).not.toMatch(/https?:\/\/[^"]*\.tgz/)
})
