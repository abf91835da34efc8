import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { read } from "./source.ts"

/**
 * The deployed workers and the operators' command line. `npm start`, builds and tests also need the
 * development packages.
 */
const ENTRIES = [...readdirSync("functions").map((file) => join("functions", file)), "src/ops/admin.ts"]

const RUNTIME_IMPORT =
  /^(?:import|export)\s+(?!type\b)[^"]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm

function packagesFrom(entries: string[]): string[] {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const rest = [...entries]
  for (let path = rest.pop(); path; path = rest.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    for (const match of read(path).matchAll(RUNTIME_IMPORT)) {
      const name = match[1] ?? match[2] ?? match[3] ?? ""
      if (name.endsWith(".ts") && name.startsWith(".")) rest.push(join(path, "..", name))
      else if (/^@?[a-z]/.test(name) && !/^(node|cloudflare):/.test(name)) {
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
      }
    }
  }
  return [...packages].sort()
}

test("The dependencies are exactly the packages that workers and the command line import at run time", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> }
  expect(Object.keys(dependencies).sort()).toEqual(packagesFrom(ENTRIES))
})
