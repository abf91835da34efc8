import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The licences of the packages in a bundle, from the paths of its files (esbuild's `metafile.inputs`). */
export async function licencesOf(inputs: string[]): Promise<string> {
  const folders = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const name = folder.replace(/^.*node_modules\//, "")
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
    const { license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { license?: string }
    const text = file ? (await readFile(join(folder, file), "utf8")).trim() : `Licence: ${license}`
    return `## ${name}\n\n${text}\n`
  })
  return `# Licences of bundled packages\n\n${(await Promise.all(texts)).join("\n")}`
}
