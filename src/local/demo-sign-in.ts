import { createServer } from "node:http"
import pg from "pg"
import { directContext } from "../ops/direct.ts"
import { Meter } from "../platform/meter.ts"
import { createRedis } from "../platform/redis.ts"
import { mintMagicLink } from "../sign-in/sign-in-token.ts"
import { isOfThisMachine } from "./service.ts"

interface DemoSignIn {
  port: number
  /** Of the web app. */
  baseUrl: string
  databaseUrl: string
  redis: { UPSTASH_REDIS_REST_URL: string; UPSTASH_REDIS_REST_TOKEN: string }
}

/** The people of the demo, as `?as=` names them. */
const OWNER = "Demo"

/**
 * A local address that leads to the web app with a fresh magic link, so that one press signs in however often it is opened. `?as=Admin`
 * takes another person of the demo. Nothing deployed has it.
 */
export async function startDemoSignIn({ port, baseUrl, databaseUrl, redis }: DemoSignIn) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const ctx = { ...directContext(client), redis: createRedis(redis, new Meter()) }
  const linkFor = async (name: string) => {
    const { rows } = await client.query<{ user_id: string }>(
      "select user_id from users where name = $1 and disabled_at is null order by user_id limit 1",
      [name],
    )
    return rows[0] ? (await mintMagicLink(ctx, { userId: Number(rows[0].user_id), origin: baseUrl })).url : null
  }
  const server = createServer(async (request, response) => {
    if (!isOfThisMachine(request)) return void response.writeHead(403).end("This is for this machine only.\n")
    const name = new URL(request.url ?? "/", baseUrl).searchParams.get("as") ?? OWNER
    const location = await linkFor(name).catch(() => null)
    if (location) response.writeHead(302, { location, "cache-control": "no-store" }).end()
    else response.writeHead(404, { "content-type": "text/plain" }).end(`Nobody here is called ${name}.\n`)
  })
  await new Promise<void>((listening, failed) => {
    server.once("error", failed)
    server.listen(port, "127.0.0.1", listening)
  })
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await client.end()
    },
  }
}
