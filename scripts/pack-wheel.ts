import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "smol-toml"
import { PYTHON_MODULE } from "../client/src/names.ts"
import { VERSION } from "../client/src/version.ts"
import { PYTHON_CLIENT_PATH, pythonVersion } from "../src/reference/served-packages.ts"
import { replaceFile } from "./folder-files.ts"
import { buildSync } from "./python/sync.ts"
import { zipOf } from "./zip.ts"

const PROJECT = join(import.meta.dirname, "../client-python")
const LICENSE = join(import.meta.dirname, "../LICENSE")

interface Pyproject {
  project: {
    name: string
    description: string
    license: { text: string }
    keywords: string[]
    classifiers: string[]
    dependencies: string[]
    "optional-dependencies"?: Record<string, string[]>
    "requires-python": string
    urls?: Record<string, string>
  }
}

async function readProject(): Promise<Pyproject["project"]> {
  return (parse(await readFile(join(PROJECT, "pyproject.toml"), "utf8")) as unknown as Pyproject).project
}

/**
 * Writes the wheel of the Python client into the static files in `folder`, from where `pip install URL` takes it.
 * It needs no Python. Equal sources give equal bytes. A test compares it with the wheel that hatchling builds.
 */
export async function packWheel(folder: string): Promise<string> {
  await buildSync()
  const info = `${PYTHON_MODULE}-${pythonVersion(VERSION)}.dist-info`
  const files = new Map<string, Buffer>([
    ...(await packageFiles()),
    [`${PYTHON_MODULE}/LICENSE`, await readFile(LICENSE)],
    [`${info}/METADATA`, Buffer.from(await metadataOf())],
    [
      `${info}/WHEEL`,
      Buffer.from("Wheel-Version: 1.0\nGenerator: turnpike\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ],
  ])
  const record = [...files].map(([path, bytes]) => {
    const hash = createHash("sha256").update(bytes).digest("base64url")
    return `${path},sha256=${hash},${bytes.length}\n`
  })
  files.set(`${info}/RECORD`, Buffer.from(`${record.join("")}${info}/RECORD,,\n`))
  // A running service of this checkout may read the wheel.
  await replaceFile(folder, PYTHON_CLIENT_PATH, zipOf(files))
  return join(folder, PYTHON_CLIENT_PATH)
}

/** The modules of the package, in the order of their paths. */
async function packageFiles(): Promise<[string, Buffer][]> {
  const source = join(PROJECT, "src")
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && /\.py$|^py\.typed$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Promise.all(
    paths.map(async (path) => [path.slice(source.length + 1).replaceAll("\\", "/"), await readFile(path)] as const),
  ).then((files) => files.map(([path, bytes]) => [path, bytes]))
}

/** The core metadata (PEP 566), as hatchling writes them. */
export async function metadataOf(): Promise<string> {
  const project = await readProject()
  return [
    "Metadata-Version: 2.1",
    `Name: ${project.name}`,
    `Version: ${pythonVersion(VERSION)}`,
    `Summary: ${project.description}`,
    ...Object.entries(project.urls ?? {}).map(([label, url]) => `Project-URL: ${label}, ${url}`),
    `License: ${project.license.text}`,
    `Keywords: ${project.keywords.toSorted().join(",")}`,
    ...project.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${project["requires-python"]}`,
    ...project.dependencies.map((dependency) => `Requires-Dist: ${dependency}`),
    ...Object.entries(project["optional-dependencies"] ?? {}).flatMap(([extra, dependencies]) => [
      `Provides-Extra: ${extra}`,
      ...dependencies.map((dependency) => `Requires-Dist: ${dependency}; extra == '${extra}'`),
    ]),
    "Description-Content-Type: text/markdown",
    "",
    await readFile(join(PROJECT, "README.md"), "utf8"),
  ].join("\n")
}
