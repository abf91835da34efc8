import { execFileSync } from "node:child_process"

/**
 * `npm run build:worker` builds what wrangler needs before it starts or deploys a worker. Wrangler names its command in
 * WRANGLER_COMMAND. `npm run deploy` sets WEB_APP_IS_BUILT, because it deploys the web app as a worker of its own.
 */
const isDeployed = ["deploy", "versions upload"].includes(process.env.WRANGLER_COMMAND ?? "")
const scripts = [...(isDeployed && !process.env.WEB_APP_IS_BUILT ? ["build:dashboard"] : []), "build:docs"]
for (const script of scripts) execFileSync("npm", ["run", "--silent", script], { stdio: "inherit" })
