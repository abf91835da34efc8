/** The host of every route in wrangler.toml. */
export const PLACEHOLDER_HOST = "turnpike.example.com"

interface Configured {
  /** All hosts of the service. QStash calls the first one. */
  hosts: string[]
  /** The environments of wrangler.toml. Each is a worker. */
  groups: string[]
  /** The name of a separate set of workers with its own bucket. */
  stage?: string | undefined
  /** Where the workers run: the cloud region of the database, or its host. Default: close to the caller. */
  placement?: { region: string } | { host: string } | undefined
}

/**
 * The text of wrangler.toml for these hosts. Every route is repeated for each host. OWN_HOSTS has all hosts, which
 * tools of owners must not call, and CALLBACKS_URL has the host that the queue calls.
 */
export function deployConfig(text: string, { hosts, groups, stage, placement }: Configured): string {
  const routed = text.replaceAll(new RegExp(`"${PLACEHOLDER_HOST}(/[^"]*)"`, "g"), (_route, path: string) =>
    hosts.map((host) => JSON.stringify(host + path)).join(", "),
  )
  const stored = stage ? routed.replaceAll(/^(bucket_name = ".*)"$/gm, `$1-${stage}"`) : routed
  const vars = groups.map(
    (group) => `[env.${group}.vars]\nOWN_HOSTS = "${hosts.join(",")}"\nCALLBACKS_URL = "https://${hosts[0]}"\n`,
  )
  // The web app has no database to be close to.
  const placed = Object.entries(placement ?? {}).map(
    ([kind, value]) =>
      `[placement]\nmode = "targeted"\n${kind} = ${JSON.stringify(value)}\n\n[env.dashboard.placement]\nmode = "off"\n`,
  )
  return `${stored}\n${[...vars, ...placed].join("\n")}`
}

/**
 * The hosts in `--host` or TURNPIKE_HOST, separated by commas. Throws if the list is empty or has an invalid host name.
 */
export function readHosts(given: string | undefined): string[] {
  const hosts = (given ?? "").split(",").map((host) => host.trim().toLowerCase())
  const wrong = hosts.find((host) => !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(host))
  if (wrong !== undefined) {
    throw new Error(
      `--host (or TURNPIKE_HOST) must be the host of your service, such as turnpike.acme.com, not "${wrong}".`,
    )
  }
  return hosts
}
