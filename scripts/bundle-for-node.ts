import { type BuildOptions, build } from "esbuild"
import { licencesOf } from "./licences.ts"

/** Packages in CommonJS call require for modules of Node. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"\nconst require = requireFrom(import.meta.url)'

interface Bundle extends BuildOptions {
  target: string
  /** True for a program that a shell starts. */
  isExecutable?: boolean
}

/** Bundles programs with their packages. Returns the licences of these packages. */
export async function bundleForNode({ isExecutable = false, ...options }: Bundle): Promise<string> {
  const { metafile } = await build({
    ...options,
    bundle: true,
    keepNames: true,
    format: "esm",
    platform: "node",
    banner: { js: isExecutable ? `#!/usr/bin/env node\n${REQUIRE}` : REQUIRE },
    metafile: true,
    logLevel: "error",
  })
  return licencesOf(Object.keys(metafile.inputs))
}
