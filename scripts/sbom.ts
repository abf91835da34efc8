import { execFile } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { DEV_PACKAGE } from "../client/src/names.ts"
import { VERSION } from "../client/src/version.ts"
import { installedClosure } from "./installed-packages.ts"

/**
 * `npm run sbom [-- DIR]` writes bills of materials in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/) to DIR, by
 * default dist/sbom: one for the deployed workers, and one for the packages that the local service installs. They come
 * from the lock file, so it needs no network. The published client has no dependencies.
 */
const dir = process.argv[2] ?? "dist/sbom"
const LARGEST = 2 ** 26

interface Component {
  "bom-ref": string
  name: string
  version: string
}
interface Bom {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

async function bomOf(...options: string[]): Promise<Bom> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", ...options]
  const { stdout } = await promisify(execFile)("npm", args, { maxBuffer: LARGEST })
  return JSON.parse(stdout) as Bom
}

/** The bill with the components that `isKept` selects. */
function part(bom: Bom, about: Partial<Component>, isKept: (component: Component) => boolean): Bom {
  const components = bom.components.filter(isKept)
  const refs = new Set(components.map((component) => component["bom-ref"]))
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, ...about } },
    components,
    dependencies,
  }
}

const [all, deployed, closure] = await Promise.all([
  bomOf(),
  bomOf("--omit", "dev", "--workspaces=false"),
  installedClosure(),
])
const installed = new Set(closure.map(({ name, version }) => `${name}@${version}`))
const bills = {
  "workers.cdx.json": part(deployed, { name: "turnpike" }, () => true),
  "local-service.cdx.json": part(all, { name: DEV_PACKAGE, version: VERSION }, ({ name, version }) =>
    installed.has(`${name}@${version}`),
  ),
}
await mkdir(dir, { recursive: true })
for (const [file, bom] of Object.entries(bills)) {
  await writeFile(join(dir, file), `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${join(dir, file)}: ${bom.components.length} components`)
}
