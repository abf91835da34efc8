import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, beforeEach, expect } from "vitest"
import { deploy } from "../../scripts/deploy/run.ts"
import { groups } from "../../scripts/wrangler.ts"
import { addDatabase } from "../../src/local/databases.ts"
import { startPostgres } from "../../src/local/postgres.ts"
import { removeWithUs } from "../../src/local/watchdog.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { FakeCloudflare, FakeServices, type FakeWorker, TOKEN } from "./fakes.ts"

interface Run {
  stage?: string
  plan?: boolean
  ask?: (question: string) => Promise<string>
}

/** What a deployment sees. Each test has a new folder, database and account. */
class Site {
  folder = ""
  database = ""
  cloudflare = new FakeCloudflare()
  services = new FakeServices(this.cloudflare)
  printed: string[] = []

  settings() {
    return {
      TURNPIKE_HOST: "turnpike.acme.com",
      DATABASE_URL: this.database,
      UPSTASH_REDIS_REST_URL: "https://eu1-redis.upstash.io",
      UPSTASH_REDIS_REST_TOKEN: TOKEN.redis,
      QSTASH_TOKEN: TOKEN.qstash,
      ADMIN_EMAIL: "admin@acme.com",
      ANTHROPIC_API_KEY: TOKEN.anthropic,
    }
  }

  /** Another account at Cloudflare, in which nothing is deployed. */
  leave(): void {
    this.cloudflare = new FakeCloudflare()
    this.services = new FakeServices(this.cloudflare)
  }

  file = (stage = "production") => join(this.folder, `deploy.${stage}.env`)

  async write(values: Record<string, string | undefined>, stage?: string): Promise<void> {
    const lines = Object.entries(values).map(([name, value]) => (value === undefined ? "" : `${name}="${value}"`))
    await writeFile(this.file(stage), lines.join("\n"))
  }

  kept = (stage?: string) => readFile(this.file(stage), "utf8")

  /** Removes a setting from the file. */
  async forget(name: string): Promise<void> {
    await writeFile(this.file(), (await this.kept()).replace(new RegExp(`^${name}=.*$`, "m"), ""))
  }

  /** Returns "deployed", or the message of the failure. */
  async run({ stage, plan = false, ask }: Run = {}): Promise<string> {
    const log = (line: string) => void this.printed.push(line)
    const tools = { wrangler: this.cloudflare.wrangler, fetch: this.services.fetch, log, ask }
    const deployment = { folder: this.folder, host: undefined, stage, groups: await groups(), plan, url: undefined }
    return deploy(deployment, tools).then(
      () => "deployed",
      (error: Error) => error.message,
    )
  }

  async sql<T>(text: string): Promise<T[]> {
    return queryAt<T>(this.database, text)
  }
}

async function queryAt<T>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

/** Fails unless the worker's connection string is one of its role and works. */
export async function expectConnects(worker: FakeWorker | undefined): Promise<void> {
  expect(await queryAt(worker?.secrets.DATABASE_URL as string, "select 1 as one")).toEqual([{ one: 1 }])
}

export const valueIn = (text: string, name: string) => new RegExp(`^${name}=["'](.*)["']$`, "m").exec(text)?.[1]

/** Starts a database server for the tests of a file. */
export function useSite(): { site: () => Site; newDatabase: () => Promise<string> } {
  let dir: string
  let server: Awaited<ReturnType<typeof startPostgres>>
  let site: Site
  let count = 0
  const newDatabase = () => addDatabase(server.url, `deploy_${count++}`)
  beforeAll(async () => {
    dir = await makeDataDirectory("deploy")
    server = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
  })
  afterAll(async () => {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    site = new Site()
    // Inside the project, because wrangler resolves the entry points of the configuration.
    const folder = await mkdtemp(join(".", ".wrangler-deploy-"))
    removeWithUs(folder)
    await copyFile("wrangler.toml", join(folder, "wrangler.toml"))
    site.folder = folder
    site.database = await newDatabase()
    return () => rm(folder, { recursive: true, force: true })
  })
  return { site: () => site, newDatabase }
}
