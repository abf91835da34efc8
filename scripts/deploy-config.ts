/** The host of every route in wrangler.toml. */
export const PLACEHOLDER_HOST = "turnpike.example.com"

interface Deployment {
  /** Every host that leads to the workers; the first is the one that QStash calls. */
  hosts: string[]
  /** The environments of wrangler.toml, a worker each. */
  groups: string[]
  /** A second, separate set of workers, with a bucket of its own. */
  stage?: string | undefined
}

/**
 * The text of wrangler.toml for these hosts: a route of each for every route there is, and what follows from them: hosts that no customer's
 * tool may call (OWN_HOSTS), and where the queue calls (CALLBACKS_URL).
 */
export function deployConfig(text: string, { hosts, groups, stage }: Deployment): string {
  const routed = text.replaceAll(new RegExp(`"${PLACEHOLDER_HOST}(/[^"]*)"`, "g"), (_route, path: string) =>
    hosts.map((host) => JSON.stringify(host + path)).join(", "),
  )
  const stored = stage ? routed.replaceAll(/^(bucket_name = ".*)"$/gm, `$1-${stage}"`) : routed
  const vars = groups.map(
    (group) => `[env.${group}.vars]\nOWN_HOSTS = "${hosts.join(",")}"\nCALLBACKS_URL = "https://${hosts[0]}"\n`,
  )
  return `${stored}\n${vars.join("\n")}`
}

/** The hosts that `--host` or TURNPIKE_HOST names, separated by commas. Throws for what is none, and when there is none. */
export function readHosts(given: string | undefined): string[] {
  const hosts = (given ?? "").split(",").map((host) => host.trim().toLowerCase())
  const wrong = hosts.find((host) => !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(host))
  if (wrong !== undefined) {
    throw new Error(
      `--host (or TURNPIKE_HOST) takes the host of your service, such as turnpike.acme.com, not "${wrong}".`,
    )
  }
  return hosts
}
