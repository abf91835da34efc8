import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { type LocalPostgres, startPostgres } from "../../src/local/postgres.ts"
import { startStack } from "../../src/local/stack.ts"

/**
 * Stacks, each with its own durable PostgreSQL. `POST /` makes a stack and returns its address.
 * `POST /{n}/stop` (fast shutdown), `/{n}/crash` and `/{n}/start` act on its database alone.
 */
export async function serveFragileStacks(dataDir: string) {
  const stacks: Awaited<ReturnType<typeof startFragile>>[] = []

  async function startFragile(dir: string) {
    let postgres: LocalPostgres = await startPostgres({ dataDir: dir, durable: true })
    const { url } = postgres
    const stack = await startStack({ dataDir: dir, control: true, durable: true, databaseUrl: url })
    const acts: Record<string, () => Promise<unknown>> = {
      stop: () => postgres.stop("fast"),
      crash: () => postgres.stop("immediate"),
      async start() {
        postgres = await startPostgres({ dataDir: dir, durable: true, port: Number(new URL(url).port) })
      },
    }
    return { url: stack.url, acts, close: () => stack.close().finally(() => postgres.stop()) }
  }

  const server = createServer(async (request, response) => {
    const [, place = "", act = ""] = (request.url ?? "").split("/")
    try {
      if (place === "") {
        const stack = await startFragile(join(dataDir, `fragile-${stacks.length}`))
        stacks.push(stack)
        return response.end(JSON.stringify({ stackUrl: stack.url, place: stacks.length - 1 }))
      }
      await stacks[Number(place)]?.acts[act]?.()
      response.end("{}")
    } catch (error) {
      response.statusCode = 500
      response.end(JSON.stringify({ error: String(error) }))
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      for (const stack of stacks) await stack.close()
    },
  }
}
