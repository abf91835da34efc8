import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Configuration, default as Provider } from "oidc-provider"
import { ACCOUNTS_CLIENT, OPENID_CLIENTS } from "./openid-clients.ts"

/** The callback URL of the tests' service. */
const CALLBACK = "https://api.test/api/auth/oauth-login/callback"

/**
 * A certified OpenID provider whose pages ask for a name and accept everyone. The name is the
 * subject: `ada.verified` has the verified email ada@people.test, `ada` has the same email
 * unverified, and `ada.silent` has none.
 */
export async function startOpenIdProvider() {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  let provider: Promise<Provider> | undefined
  server.on("request", async (request, response) => {
    provider ??= createProvider(url)
    await (await provider).callback()(request, response)
  })
  return { url, stop: () => server.closeAllConnections() ?? server.close() }
}

/** The first request loads it, since most test runs need none. */
async function createProvider(issuer: string): Promise<Provider> {
  const { default: Provider } = await import("oidc-provider")
  return quietly(() => new Provider(issuer, SETTINGS))
}

const { callback, ...accountsClient } = ACCOUNTS_CLIENT
const GRANTS = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]

const SETTINGS: Configuration = {
  clients: [
    ...Object.values(OPENID_CLIENTS).map((client) => ({ ...client, redirect_uris: [CALLBACK] })),
    { ...accountsClient, application_type: "native", redirect_uris: [callback], grant_types: GRANTS },
  ],
  features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  pkce: { required: () => true },
  findAccount: (_ctx, accountId) => ({
    accountId,
    async claims() {
      const [name, kind] = accountId.split(".")
      const email = kind === "silent" ? {} : { email: `${name}@people.test`, email_verified: kind === "verified" }
      return { sub: accountId, name, ...email }
    },
  }),
}

/** Mutes the warning that its defaults are not for production. */
function quietly<T>(work: () => T): T {
  const { info, warn } = console
  console.info = console.warn = () => {}
  try {
    return work()
  } finally {
    Object.assign(console, { info, warn })
  }
}
