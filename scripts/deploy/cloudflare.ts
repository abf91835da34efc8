import type { wrangler } from "../wrangler.ts"
import { DeployFault } from "./fault.ts"
import type { Checked } from "./services.ts"
import type { Settings } from "./settings.ts"

export type Wrangler = typeof wrangler

/** The meaning of a failure of wrangler, by a part of its output. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /code: 100328/,
    "This Cloudflare account has the plan Workers Free, which allows no CPU limits. Turnpike needs Workers Paid.",
  ],
  [
    /code: 10042|enable R2/i,
    "R2 is not enabled in this Cloudflare account: open R2 in the dashboard and enable it once.",
  ],
  [
    /Could not find zone|code: 7003/i,
    "The host belongs to no zone of this Cloudflare account: add its domain, or check --host.",
  ],
  [
    /More than one account available/,
    "You have several Cloudflare accounts: set CLOUDFLARE_ACCOUNT_ID in the settings file.",
  ],
  [
    /code: (10000|9109)\b|Authentication error|Unauthorized to access/i,
    "The Cloudflare token lacks a permission. It needs Workers Scripts: Edit, Workers R2 Storage: Edit, Account Settings: Read, and for the zone Workers Routes: Edit.",
  ],
  [
    /not logged in|not authenticated|wrangler login/i,
    "You are not logged in at Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
  ],
]

/** The permissions of a login that deployments need, as `wrangler whoami` names them. */
const SCOPES = ["account:read", "workers:write", "workers_scripts:write", "workers_routes:write"]

/** The error that says what to change, or wrangler's own output if its meaning is not known. */
export function explained(error: unknown): DeployFault {
  const { message } = error as Error
  const meaning = MEANINGS.find(([pattern]) => pattern.test(message))?.[1]
  return new DeployFault(meaning ?? message, { cause: error })
}

/** The variables by which wrangler finds its account. */
export const accountEnv = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"].flatMap((name) =>
      settings[name] ? [[name, settings[name]]] : [],
    ),
  )

interface WhoAmI {
  accounts: { id: string; name: string }[]
  tokenPermissions?: string[]
}

/** Checks that wrangler is logged in, knows which account to use, and may deploy. */
export async function checkCloudflare(run: Wrangler, settings: Settings): Promise<Checked> {
  const printed = await run(["whoami", "--json"], { env: accountEnv(settings) }).catch(explained)
  if (printed instanceof Error) {
    // Without a login, wrangler prints {"loggedIn": false}.
    if (/"loggedIn":\s*false/.test(printed.message)) return { fault: MEANINGS.at(-1)?.[1] as string }
    return { fault: printed.message }
  }
  const { accounts, tokenPermissions } = JSON.parse(printed.slice(printed.indexOf("{"))) as WhoAmI
  const chosen = settings.CLOUDFLARE_ACCOUNT_ID ?? process.env.CLOUDFLARE_ACCOUNT_ID
  const account = chosen ? accounts.find(({ id }) => id === chosen) : accounts[0]
  if (!chosen && accounts.length > 1) {
    const list = accounts.map(({ id, name }) => `${id} (${name})`).join(", ")
    return { fault: `You have several Cloudflare accounts: set CLOUDFLARE_ACCOUNT_ID to one of ${list}.` }
  }
  if (!account) return { fault: "CLOUDFLARE_ACCOUNT_ID is not an account of this login." }
  const missing = tokenPermissions ? SCOPES.filter((scope) => !hasScope(tokenPermissions, scope)) : []
  if (missing.length > 0) {
    return { fault: `The Cloudflare login lacks ${missing.join(", ")}: run \`npx wrangler login\` again.` }
  }
  return { found: { CLOUDFLARE_ACCOUNT_ID: account.id }, said: `Cloudflare: account ${account.name}.` }
}

/** The scope `workers:write` of a login includes scripts and routes. */
const hasScope = (scopes: string[], scope: string) =>
  scopes.some((one) => one.startsWith(scope) || (/^workers_/.test(scope) && one.startsWith("workers:write")))

/** Creates the bucket, unless it exists. Returns true if it was created. */
export async function ensureBucket(run: Wrangler, name: string, settings: Settings): Promise<boolean> {
  try {
    await run(["r2", "bucket", "create", name], { env: accountEnv(settings) })
    return true
  } catch (error) {
    if (/already exists|code: 10004/i.test((error as Error).message)) return false
    throw explained(error)
  }
}

/**
 * Writes the secrets of a worker by its full name. With `--env`, wrangler would append the environment to the name, or
 * write to production. Secrets go through the standard input only.
 */
export async function writeSecrets(
  run: Wrangler,
  name: string,
  secrets: Record<string, string>,
  settings: Settings,
): Promise<void> {
  const input = JSON.stringify(secrets)
  await run(["secret", "bulk", "--name", name], { input, env: accountEnv(settings) }).catch((error: unknown) => {
    throw explained(error)
  })
}
