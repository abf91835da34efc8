import { chmod, mkdir, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { buildLibrary, copyPackageFiles } from "./build-library.ts"
import { bundleForNode } from "./bundle-for-node.ts"

/** `npm run build:client [-- DIR]` builds the client's package for publishing in DIR, by default dist/client. */
const dir = resolve(process.argv[2] ?? "dist/client")
const lib = join(dir, "lib")

await rm(dir, { recursive: true, force: true })
await mkdir(lib, { recursive: true })
await buildLibrary("client/tsconfig.json", lib)
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
await copyPackageFiles("client", dir)
