import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { documentOf } from "./documents.ts"
import { type Contract, compareDocuments } from "./openapi/compare.ts"

/**
 * `npm run openapi:diff` lists the differences between the public API and its last released document. It fails if one
 * of them breaks a program that works with that release. With `-- --release`, the current document becomes the released
 * one.
 */
const RELEASED = join(import.meta.dirname, "openapi/released.json")

/** Texts and examples are not part of the contract. */
const LEFT_OUT = new Set(["description", "summary", "example", "examples", "x-codeSamples", "title", "tags", "headers"])

/** The contract of a document. Below `properties`, the keys are names of fields. */
function contractOf(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => contractOf(one))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => isNames || !LEFT_OUT.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, contractOf(one, key === "properties" && !isNames)]))
}

const { openapi, info, paths, webhooks, components } = documentOf("v1") as unknown as Contract & Record<string, object>
const { schemas, responses } = components
const current = contractOf({
  openapi,
  version: (info as { version?: string }).version,
  paths,
  webhooks,
  components: { schemas, responses },
}) as Contract

if (process.argv.includes("--release")) {
  await writeFile(RELEASED, `${JSON.stringify(current)}\n`)
  console.log(`${RELEASED} is the current document. Commit it together with the release.`)
} else {
  const released = JSON.parse(await readFile(RELEASED, "utf8")) as Contract
  const differences = compareDocuments(released, current, new Date().toISOString().slice(0, 10))
  const breaking = differences.filter(({ breaks }) => breaks)
  for (const { at, what } of differences.filter(({ breaks }) => !breaks)) console.log(`new     ${at} ${what}`)
  for (const { at, what } of breaking) console.log(`BREAKS  ${at} ${what}`)
  console.log(
    `${breaking.length} breaking and ${differences.length - breaking.length} other differences from the released document.`,
  )
  process.exitCode = breaking.length === 0 ? 0 : 1
}
