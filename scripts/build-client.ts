import { execFile } from "node:child_process"
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { bundleForNode } from "./bundle-for-node.ts"

/** `npm run build:client [-- DIR]` builds the client's package for publishing in DIR, by default dist/client. */
const dir = resolve(process.argv[2] ?? "dist/client")
const lib = join(dir, "lib")

await rm(dir, { recursive: true, force: true })
await mkdir(lib, { recursive: true })
await promisify(execFile)(resolve("node_modules/.bin/tsc"), ["--project", "client/tsconfig.json", "--outDir", lib])
for (const file of (await readdir(lib)).filter((name) => name.endsWith(".d.ts"))) {
  // The compiler rewrites the imports in JavaScript files, but not in declarations.
  const types = await readFile(join(lib, file), "utf8")
  await writeFile(join(lib, file), types.replaceAll(/((?:from|import)\s*\(?"\.\/[\w-]+)\.ts"/g, '$1.js"'))
}
// One file without dependencies, so that `npm install` needs nothing but this package.
const licences = await bundleForNode({
  entryPoints: ["client/cli/main.ts"],
  outfile: join(dir, "bin/turnpike.js"),
  isExecutable: true,
  minify: true,
  target: "node20",
  lineLimit: 200,
})
await chmod(join(dir, "bin/turnpike.js"), 0o755)
await writeFile(join(dir, "bin/LICENSES.md"), licences)
for (const file of ["package.json", "README.md"]) await copyFile(join("client", file), join(dir, file))
await copyFile("LICENSE", join(dir, "LICENSE"))
console.log(`The package is in ${dir}. Publish it with: npm publish ${dir}`)
