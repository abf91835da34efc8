import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { directContext } from "../ops/direct.ts"
import { Meter } from "../platform/meter.ts"
import { createRedis } from "../platform/redis.ts"
import { SET_SESSION } from "../platform/session-settings.ts"
import { mintMagicLink } from "../sign-in/sign-in-token.ts"
import { createPool } from "./connections.ts"
import { isOfThisMachine } from "./service.ts"

interface DemoSignIn {
  /** The address to serve, from `newSignInUrl`. */
  url: string
  /** The origin of the web app. */
  baseUrl: string
  databaseUrl: string
  redis: { UPSTASH_REDIS_REST_URL: string; UPSTASH_REDIS_REST_TOKEN: string }
}

const UNKNOWN_PATH =
  "Open the address that was printed at the start (sign_in_url in demo.json). Each start has a new address.\n"

const hashOf = (text: string) => createHash("sha256").update(text).digest()
const isSame = (given: string, wanted: string) => timingSafeEqual(hashOf(given), hashOf(wanted))

/** The name of the demo's owner, and the default of `?as=`. */
const OWNER = "Demo"

/** A new address with a random path, because other users of this machine can reach the port. */
export const newSignInUrl = (port: number) => `http://127.0.0.1:${port}/${randomBytes(24).toString("base64url")}`

/**
 * Serves an address that redirects to the web app with a new magic link, so it can be opened any number of times.
 * `?as=Admin` signs in as another user of the demo. Only `npm start` has it, never a deployed service.
 */
export async function startDemoSignIn({ url, baseUrl, databaseUrl, redis }: DemoSignIn) {
  const { port, pathname: secretPath } = new URL(url)
  // A pool, because it opens a new connection if the server has ended the one that was idle.
  const pool = createPool(databaseUrl, 1, SET_SESSION)
  const ctx = { ...directContext(pool), redis: createRedis(redis, new Meter()) }
  const linkFor = async (name: string) => {
    const { rows } = await pool.query<{ user_id: string }>(
      "select user_id from users where name = $1 and disabled_at is null order by user_id limit 1",
      [name],
    )
    return rows[0] ? (await mintMagicLink(ctx, { userId: Number(rows[0].user_id), origin: baseUrl })).url : null
  }
  const server = createServer(async (request, response) => {
    if (!isOfThisMachine(request))
      return void response.writeHead(403).end("Only programs on this machine can use this address.\n")
    const asked = URL.parse(request.url ?? "/", baseUrl)
    if (!asked || !isSame(asked.pathname, secretPath)) {
      return void response.writeHead(404, { "content-type": "text/plain" }).end(UNKNOWN_PATH)
    }
    const name = asked.searchParams.get("as") ?? OWNER
    const location = await linkFor(name).catch(() => null)
    if (location) response.writeHead(302, { location, "cache-control": "no-store" }).end()
    else response.writeHead(404, { "content-type": "text/plain" }).end(`The demo has no user with the name ${name}.\n`)
  })
  await new Promise<void>((listening, failed) => {
    server.once("error", failed)
    server.listen(Number(port), "127.0.0.1", listening)
  })
  return {
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await pool.end()
    },
  }
}
