import { expect, test } from "vitest"
import { filesBelow, read } from "./source.ts"

/**
 * Three programs: the service with its tools and tests; the client, a separate package that imports
 * nothing from the service, with the provider for the AI SDK; and the web app, which uses only the service's API.
 */
const PROGRAMS = {
  service: ["src", "functions", "scripts", "bench", "test/harness"],
  client: ["client/src", "client/cli", "ai-sdk/src"],
  "web app": ["dashboard/src"],
}

/**
 * Names that a file declares and exports, each once, since overloads repeat them. `default` is the
 * framework's name, not ours.
 */
function exportsOf(path: string): string[] {
  // Code that a generator writes is in template literals.
  const text = read(path).replace(/`(?:\\.|[^`\\])*`/g, "``")
  const declared = text.matchAll(
    /^export (?:abstract |async )*(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm,
  )
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?! from)/gm)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().split(" as ").at(-1) ?? ""),
  )
  const names = [...[...declared].map(([, name = ""]) => name), ...listed].filter((name) => name !== "")
  return [...new Set(names)]
}

test.each(Object.entries(PROGRAMS))("No two files of the %s export the same name", (_program, folders) => {
  const homes = new Map<string, string[]>()
  for (const path of folders.flatMap(filesBelow)) {
    for (const name of exportsOf(path)) homes.set(name, [...(homes.get(name) ?? []), path])
  }
  const repeated = [...homes].filter(([, paths]) => paths.length > 1)
  expect(repeated.map(([name, paths]) => `${name}: ${paths.join(", ")}`)).toEqual([])
  expect(homes.size).toBeGreaterThan(50)
})
