import { isGroup, VARIABLES } from "./variables.ts"

/** The plans that a deployment needs, with published prices of November 2026. */
const PLANS = `Plans and base costs a month (published prices of November 2026, without models):
  Cloudflare   Workers Paid, 5 USD; Workers Free allows no CPU limits. R2: free up to 10 GB.
  Neon         Launch: 1 USD for a small database of an idle service, 19 USD if it is always awake.
  Upstash      Redis: free up to 500,000 commands. QStash pay as you go: 1 USD for 100,000 messages, 100 at once;
               a fixed plan (180 USD) delivers 200 at once.`

interface PlanOf {
  hosts: string[]
  stage: string | undefined
  groups: string[]
  /** The names of the settings that are known. */
  known: string[]
  workerName: (group: string) => string
  bucket: string
  file: string
  database: { waiting: string[]; hasRelease: boolean; missingRoles: string[]; users: number }
}

/** What `npm run deploy` would do, in its order. It names variables, never values. */
export function describePlan({ hosts, stage, groups, known, workerName, bucket, file, database }: PlanOf): string {
  const secrets = groups.filter(isGroup).map((group) => {
    const names = Object.entries(VARIABLES).filter(([, workers]) => workers.includes(group))
    const written = names.map(([name]) => name).filter((name) => name === "DATABASE_URL" || known.includes(name))
    return `     ${workerName(group)}: ${written.join(", ")}`
  })
  const migrations = [
    database.waiting.length === 0 ? "no migration is waiting" : `apply ${database.waiting.join(", ")}`,
    database.hasRelease ? "the procedures of this release exist" : "add the procedures of this release",
    database.missingRoles.length === 0 ? "all roles exist" : `create ${database.missingRoles.join(", ")}`,
  ].join("; ")
  return [
    `Deployment of ${stage ? `the stage ${stage}` : "production"} to ${hosts.join(", ")}. Nothing is changed now.`,
    "",
    `1. Settings     ${file}; created if missing: SECRETS_KEYS, the workers' connection strings, a test key`,
    `2. Bucket       ${bucket}, unless it exists`,
    `3. Database     ${migrations}`,
    "4. Secrets      by `wrangler secret bulk`, to each worker by its full name:",
    ...secrets,
    `5. Workers      ${groups.map(workerName).join(", ")}`,
    `6. First admin  ${database.users > 0 ? "exists already" : "created with ADMIN_EMAIL; the password is shown once"}`,
    `7. Check        a rehearsed turn with a test key, ?wait=30, at https://${hosts[0]}`,
    "",
    PLANS,
  ].join("\n")
}
