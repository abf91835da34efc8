import { copyFile, cp, mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { CLIENT_PACKAGE } from "../client/src/names.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { buildLibrary, copyPackageFiles } from "./build-library.ts"

/** `npm run build:ai-sdk [-- DIR]` builds the package of the AI SDK's provider in DIR, by default dist/ai-sdk. */
const dir = resolve(process.argv[2] ?? "dist/ai-sdk")

// The sources import the client by its name and are compiled with its declarations, as an owner's are.
const work = await makeTemporaryDirectory("ai-sdk")
const client = join(work, "node_modules", CLIENT_PACKAGE)
await buildLibrary("client/tsconfig.json", join(client, "lib"))
await copyFile("client/package.json", join(client, "package.json"))
await symlink(resolve("node_modules/@ai-sdk"), join(work, "node_modules/@ai-sdk"))
await cp("ai-sdk/src", join(work, "src"), { recursive: true })
const compilerOptions = { rootDir: "src", paths: {} }
const config = { extends: resolve("ai-sdk/tsconfig.json"), compilerOptions, include: ["src"] }
await writeFile(join(work, "tsconfig.json"), JSON.stringify(config))

await rm(dir, { recursive: true, force: true })
await mkdir(dir, { recursive: true })
await buildLibrary(join(work, "tsconfig.json"), join(dir, "lib"))
await copyPackageFiles("ai-sdk", dir)
