import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { deriveRing } from "../../src/base/key-ring.ts"
import { accessOf } from "../../src/ops/grants.ts"
import { accountEnv, checkCloudflare, ensureBucket, explained, type Wrangler, writeSecrets } from "./cloudflare.ts"
import { deployConfig, readHosts } from "./config.ts"
import { inspectDatabase, placementOf, prepareAccount, prepareDatabase, rolePrefix } from "./database.ts"
import { DeployFault } from "./fault.ts"
import { describePlan } from "./plan.ts"
import { RehearsalFailed, sendRehearsedTurn } from "./rehearse.ts"
import { checkDatabase, checkModelKeys, checkQstash, checkRedis, type Fetch } from "./services.ts"
import { ASKED, faultsOf, readSettings, type Settings, settingsFile, writeSettings } from "./settings.ts"
import { type GroupName, isGroup, urlSettingOf, VARIABLES } from "./variables.ts"

export interface Deployment {
  /** The folder with wrangler.toml, which gets the settings file. */
  folder: string
  /** The value of --host; undefined: the settings file has it. */
  host: string | undefined
  stage: string | undefined
  /** The groups to deploy, in this order. */
  groups: string[]
  /** True to only print what would be done. */
  plan: boolean
  /** The service's address for the rehearsed turn; undefined: its first host. */
  url: string | undefined
}

/** What a deployment calls: tests replace it. */
export interface Tools {
  wrangler: Wrangler
  fetch: Fetch
  log: (line: string) => void
  /** Asks the operator; undefined without a terminal. */
  ask: ((question: string) => Promise<string>) | undefined
}

/**
 * Deploys the service: settings, checks, bucket, database, secrets, workers, first admin, and a rehearsed turn. Every
 * step can be repeated, and the settings file is written after each, so that an interrupted run can start again.
 */
export async function deploy(deployment: Deployment, tools: Tools): Promise<void> {
  const { folder, stage, groups, plan } = deployment
  const file = join(folder, settingsFile(stage))
  const settings = await readSettings(file)
  if (deployment.host) settings.TURNPIKE_HOST = deployment.host
  await askFor(settings, file, tools)
  const faults = faultsOf(settings)
  if (faults.length > 0) {
    throw new DeployFault(`Not everything that a deployment needs is known. Add it to ${file}:\n${listed(faults)}`)
  }
  const hosts = hostsOf(settings)
  const workerName = (group: string) => `turnpike-${group}${stage ? `-${stage}` : ""}`
  const bucket = `turnpike-files${stage ? `-${stage}` : ""}`
  const prefix = rolePrefix(stage)

  // Each run looks them up, so that a rotation of QStash's keys needs only a repeat.
  const found = await checkServices(settings, tools)
  const database = await inspectDatabase(settings, prefix)
  if (!settings.SECRETS_KEYS && database.users > 0) {
    throw new DeployFault(
      `This database belongs to a service that has a key ring. Add its SECRETS_KEYS to ${file}; with a new ring, stored secrets would be lost.`,
    )
  }
  if (plan) {
    const known = Object.keys(VARIABLES).filter((name) => settings[name] || found[name] || name === "SECRETS_KEYS")
    tools.log(describePlan({ hosts, stage, groups, known, workerName, bucket, file, database }))
    return
  }

  const keep = async (made: Settings) => {
    Object.assign(settings, made)
    await writeSettings(file, settings)
  }
  const all = () => ({ ...settings, ...found })
  const done = (line: string) => tools.log(`✓ ${line}`)
  if (!settings.SECRETS_KEYS) {
    await keep({ SECRETS_KEYS: `k1:${randomBytes(32).toString("base64")}` })
    done(`A key ring was created in ${file}. Keep a copy: without it, stored secrets of owners are lost.`)
  }
  done(`The bucket ${bucket} ${(await ensureBucket(tools.wrangler, bucket, all())) ? "was created" : "exists"}.`)
  await keep(await prepareDatabase(settings, prefix, (line) => tools.log(`  ${line.replaceAll("\n", "\n  ")}`)))
  done("The database and the workers' roles are ready.")
  for (const group of groups.filter(isGroup)) {
    await writeSecrets(tools.wrangler, workerName(group), await secretsOf(group, all()), all())
    done(`The secrets of ${workerName(group)} are written.`)
  }
  await deployWorkers({ folder, hosts, stage, groups, workerName, settings: all() }, tools, done)
  const { created, key } = await prepareAccount(settings)
  await keep({ CHECK_API_KEY: key })
  // Without a terminal, such as in CI, the output is a log that others can read.
  if (created) {
    const waysIn = tools.ask
      ? `Password (shown once): ${created.password}`
      : `Without a terminal its password is not shown. Run npm run admin -- magic-link --user ${created.id} --url https://${hosts[0]}`
    done(`The admin ${settings.ADMIN_EMAIL} was created. ${waysIn}`)
  }
  await check(deployment.url ?? `https://${hosts[0]}`, all(), tools, done)
}

function hostsOf(settings: Settings): string[] {
  try {
    return readHosts(settings.TURNPIKE_HOST)
  } catch (error) {
    throw new DeployFault((error as Error).message)
  }
}

/** Asks once for what is missing and writes it to the file. Without a terminal nothing is asked. */
async function askFor(settings: Settings, file: string, { ask }: Tools): Promise<void> {
  if (!ask) return
  for (const { name, question, wrong } of ASKED) {
    while (settings[name] === undefined || (settings[name] && wrong?.(settings[name]))) {
      const fault = settings[name] ? `${name} ${wrong?.(settings[name])}.\n` : ""
      settings[name] = (await ask(`${fault}${question}: `)).trim()
      if (!settings[name]) break
    }
  }
  await writeSettings(file, settings)
}

/**
 * Checks every value against its service, all at once, so that the operator learns all faults in one run. Returns
 * settings that it has looked up.
 */
async function checkServices(settings: Settings, { wrangler, fetch, log }: Tools): Promise<Settings> {
  const results = await Promise.all([
    checkCloudflare(wrangler, settings),
    checkDatabase(settings),
    checkRedis(fetch, settings),
    checkQstash(fetch, settings),
    checkModelKeys(fetch, settings),
  ])
  const passed = results.filter((result) => "found" in result)
  for (const { said } of passed) log(`✓ ${said}`)
  const faults = results.flatMap((result) => ("fault" in result ? [result.fault] : []))
  if (faults.length > 0) throw new DeployFault(`These values do not work:\n${listed(faults)}`)
  return Object.assign({}, ...passed.map(({ found }) => found)) as Settings
}

/** The secrets of a worker: only the variables that it reads, with its own role and its own part of the key ring. */
async function secretsOf(group: GroupName, settings: Settings): Promise<Record<string, string>> {
  const own: Settings = {
    ...settings,
    DATABASE_URL: settings[urlSettingOf(group)] as string,
    SECRETS_KEYS: await deriveRing(settings.SECRETS_KEYS as string, accessOf(group).purposes),
  }
  const names = Object.keys(VARIABLES).filter((name) => VARIABLES[name]?.includes(group) && own[name])
  return Object.fromEntries(names.map((name) => [name, own[name] as string]))
}

interface Workers {
  folder: string
  hosts: string[]
  stage: string | undefined
  groups: string[]
  workerName: (group: string) => string
  settings: Settings
}

async function deployWorkers(
  { folder, hosts, stage, groups, workerName, settings }: Workers,
  { wrangler }: Tools,
  done: (line: string) => void,
): Promise<void> {
  // Next to wrangler.toml, because the paths in it are relative to its folder.
  const config = join(folder, `wrangler.${stage ?? "deploy"}.toml`)
  const placement = placementOf(settings.DATABASE_URL as string)
  await writeFile(
    config,
    deployConfig(await readFile(join(folder, "wrangler.toml"), "utf8"), { hosts, groups, stage, placement }),
  )
  for (const group of groups) {
    const name = workerName(group)
    await wrangler(["deploy", "--config", config, "--env", group, "--minify", "--name", name], {
      env: {
        ...accountEnv(settings),
        WEB_APP_IS_BUILT: "1",
        DOCS_ORIGINS: hosts.map((host) => `https://${host}`).join(","),
      },
    }).catch((error: unknown) => {
      throw explained(error)
    })
    done(`${name} is deployed.`)
  }
}

async function check(
  url: string,
  settings: Settings,
  { fetch, log }: Tools,
  done: (line: string) => void,
): Promise<void> {
  try {
    const { turnId, ms } = await sendRehearsedTurn(fetch, url, settings)
    done(`A rehearsed turn has ended after ${ms} ms (${turnId}). ${url} works.`)
  } catch (error) {
    if (error instanceof RehearsalFailed) throw new DeployFault(`Everything is deployed, but ${error.message}`)
    throw error
  }
  log(
    "Next: enable a model (`npm run admin -- model`) and add credit (`npm run admin -- top-up`), or use the dashboard.",
  )
}

const listed = (lines: string[]) => lines.map((line) => `  - ${line}`).join("\n")
