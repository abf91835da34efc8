import { execFile } from "node:child_process"
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

/** Compiles a TypeScript project to modules with their declarations in `lib`. */
export async function buildLibrary(project: string, lib: string): Promise<void> {
  await promisify(execFile)(resolve("node_modules/.bin/tsc"), ["--project", project, "--outDir", lib])
  for (const file of (await readdir(lib)).filter((name) => name.endsWith(".d.ts"))) {
    // The compiler rewrites the imports in JavaScript files, but not in declarations.
    const types = await readFile(join(lib, file), "utf8")
    await writeFile(join(lib, file), types.replaceAll(/((?:from|import)\s*\(?"\.\/[\w-]+)\.ts"/g, '$1.js"'))
  }
}

/** Copies the files of a workspace that each package has. */
export async function copyPackageFiles(workspace: string, dir: string): Promise<void> {
  for (const file of ["package.json", "README.md"]) await copyFile(join(workspace, file), join(dir, file))
  await copyFile("LICENSE", join(dir, "LICENSE"))
  console.log(`The package is in ${dir}. Publish it with: npm publish ${dir}`)
}
