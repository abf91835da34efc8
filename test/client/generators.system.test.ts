import { mkdir, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { documentOf, type SurfaceName } from "../../scripts/documents.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { exampleAnswers } from "../harness/example-answers.ts"
import { strictChecks } from "../harness/json-schema.ts"
import { runProgram } from "../harness/packed-client.ts"

interface Described {
  operationId: string
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: object
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const SURFACES: SurfaceName[] = ["v1", "dashboard"]

const BIN = resolve("generators/node_modules")
/**
 * By generator: the command that writes a document's types into a folder, and the type of an
 * operation's answer there.
 */
const GENERATORS = {
  "openapi-typescript": {
    command: (document: string, folder: string) => [
      join(BIN, "openapi-typescript/bin/cli.js"),
      document,
      "--output",
      join(folder, "types.ts"),
    ],
    imports: 'import type { operations } from "./types"',
    typeOf: (id: string, status: number) =>
      `operations["${id}"]["responses"][${status}]["content"]["application/json"]`,
  },
  "@hey-api/openapi-ts": {
    command: (document: string, folder: string) => [
      join(BIN, "@hey-api/openapi-ts/bin/run.js"),
      "--input",
      document,
      "--output",
      join(folder, "client"),
      "--no-log-file",
      "--silent",
    ],
    imports: 'import type * as api from "./client/types.gen"',
    typeOf: (id: string, status: number) => `api.${id[0]?.toUpperCase()}${id.slice(1)}Responses[${status}]`,
  },
}

const COMPILER = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: "es2022",
  module: "es2022",
  moduleResolution: "bundler",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
}

/** Adds fields that a later version of the service may add to any object. */
const added = (body: unknown) =>
  Array.isArray(body) ? body : { ...(body as object), added_later: { by: "a new version", at: [1, null] } }

let dir: string
beforeAll(async () => {
  dir = await makeTemporaryDirectory("generators")
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe.each(SURFACES)("The document of %s", (surface) => {
  const document = documentOf(surface)
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[])
  const examples = Object.entries(exampleAnswers(surface))
  const responseOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.responses ?? {}

  test("The document allows the example of each operation's answer", () => {
    expect(examples.length).toBeGreaterThan(60)
    const checkOf = strictChecks((document.components as { schemas: Record<string, object> }).schemas)
    for (const [id, { status, body }] of examples) {
      const { schema } = responseOf(id)[status]?.content?.["application/json"] ?? {}
      expect(checkOf(schema as object)(body), id).toEqual([])
    }
  })

  test.each(Object.entries(GENERATORS))(
    "The generator %s makes a client that compiles with each example answer, and with an additional field",
    async (name, { command, imports, typeOf }) => {
      const folder = join(dir, surface, name.replace("/", "-"))
      await mkdir(folder, { recursive: true })
      const file = join(folder, "openapi.json")
      await writeFile(file, JSON.stringify(document))
      await runProgram(process.execPath, command(file, folder), { cwd: folder })
      const lines = examples.flatMap(([id, { status, body }], at) => [
        `export const answer${at}: ${typeOf(id, status)} = ${JSON.stringify(body)}`,
        `const more${at} = ${Array.isArray(body) ? `answer${at}` : `{ ...answer${at}, added_later: { by: "a new version" } }`}`,
        `export const later${at}: ${typeOf(id, status)} = more${at}`,
      ])
      // Some answers have only optional fields, so the one with the most fields is tried.
      const fields = ({ body }: { body: unknown }) => Object.keys(body as object).length
      const [[id = "", { status }] = ["", { status: 0 }]] = examples.toSorted(([, a], [, b]) => fields(b) - fields(a))
      const wrong = `// @ts-expect-error: an answer of another kind\nexport const wrong: ${typeOf(id, status)} = { unrelated: 1 }`
      await writeFile(join(folder, "answers.ts"), [imports, ...lines, wrong, ""].join("\n"))
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: COMPILER, include: ["."] }))
      await runProgram(process.execPath, [join(BIN, "typescript/bin/tsc"), "--project", folder], { cwd: folder })
    },
  )

  test("The client of @hey-api/openapi-ts reads each example answer, also with an additional field", async () => {
    const folder = join(dir, surface, "@hey-api-openapi-ts")
    const bundle = join(folder, "bundle.mjs")
    const contents = 'export * as sdk from "./client/sdk.gen"\nexport { client } from "./client/client.gen"\n'
    await build({
      stdin: { contents, resolveDir: folder },
      outfile: bundle,
      logLevel: "silent",
      bundle: true,
      format: "esm",
      platform: "node",
    })
    const { sdk, client } = await import(pathToFileURL(bundle).href)
    for (const [id, { status, body }] of examples) {
      const { parameters = [], requestBody } = operations.find(({ operationId }) => operationId === id) as Described
      const path = Object.fromEntries(
        parameters.filter((one) => one.in === "path").map(({ name, example }) => [name, example]),
      )
      for (const answer of [body, added(body)]) {
        client.setConfig({ baseUrl: "https://api.test", fetch: async () => Response.json(answer, { status }) })
        const { data } = await sdk[id]({ path, ...(requestBody && { body: {} }), throwOnError: true })
        expect(data, id).toEqual(answer)
      }
    }
  })
})
