import { createHmac, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { createRoles, dropRoles, ROLE_PREFIX, roleName, urlFor, WORKER_ROLES } from "../ops/grants.ts"
import { sumConnections } from "./connections.ts"
import { addDatabase, applySchema, databaseExists, dropDatabase, withClient, withDatabase } from "./databases.ts"
import { CutConnection } from "./faults.ts"
import { createNamespace, type Namespace, type NamespaceOptions } from "./namespace.ts"
import { type OpenDatabase, openDatabase } from "./open-database.ts"
import { type LocalPostgres, startPostgres } from "./postgres.ts"
import { startRedisServer } from "./redis.ts"
import { type Answer, type Call, isOfThisMachine, jsonAnswer } from "./service.ts"
import { createSpareDatabases } from "./spare-databases.ts"

interface StackOptions {
  dataDir: string
  port?: number
  /** True to serve the control interface: fault plans, clocks, direct SQL. Only for tests. */
  control: boolean
  durable: boolean
  /** Settings of PostgreSQL, if it is started here. */
  settings?: Record<string, string>
  /** A server for `dataDir` that is starting already. */
  postgres?: Promise<LocalPostgres>
  databaseUrl?: string | undefined
  redisUrl?: string | undefined
}

const FOREIGN = '{"error":"only programs on this machine may call this"}'
const NO_STAND_IN = jsonAnswer(404, { error: "no such stand-in" })

/**
 * Starts a loopback server with the stand-ins of Neon, Upstash Redis and QStash at `/{ns}/pg/sql`, `/{ns}/redis`,
 * `/{ns}/qstash`, `/{ns}/model` and `/{ns}/control`. Each namespace has its own database, queue and fault plan. It
 * listens at once; creating a namespace waits until the servers have started.
 */
export async function startStack(options: StackOptions) {
  const servers = Promise.all([
    options.databaseUrl
      ? { url: options.databaseUrl, stop: async () => {} }
      : (options.postgres ??
        startPostgres({
          dataDir: join(options.dataDir, "postgres"),
          durable: options.durable,
          settings: options.settings ?? {},
        })),
    options.redisUrl ? { url: options.redisUrl, close: async () => {} } : startRedisServer(),
  ])
  servers.catch(() => {})
  const namespaces = new Map<string, Namespace>()
  /** The databases to drop when this stack ends, and the open database of each namespace. */
  const made = new Set<string>()
  const open = new Map<string, OpenDatabase>()
  const spare = createSpareDatabases()
  let numbers = 0
  const run = `tp_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`
  let template: Promise<string> | null = null
  // Concurrent test runs have separate roles, dropped with their databases. A lasting database keeps its roles.
  const roles = servers.then(([postgres]) => createWorkerRoles(postgres.url, options.control ? run : undefined))
  roles.catch(() => {})

  async function makeTemplate(): Promise<string> {
    const name = `${run}_template`
    const [postgres] = await servers
    await applySchema(await addDatabase(postgres.url, name), (await roles).prefix)
    made.add(name)
    return name
  }

  /** Creates or updates a lasting database. */
  async function prepareLasting(name: string): Promise<void> {
    const [postgres] = await servers
    if (!(await databaseExists(postgres.url, name))) await addDatabase(postgres.url, name)
    await applySchema(withDatabase(postgres.url, name), (await roles).prefix)
  }

  /** A new copy of the template, or a database that a namespace gave back. It is dropped when the stack ends. */
  async function passingDatabase(isNew: boolean): Promise<OpenDatabase> {
    const [postgres] = await servers
    template ??= makeTemplate()
    const from = await template
    const kept = isNew ? undefined : spare.take()
    if (kept) return kept
    const name = `${run}_${++numbers}_${Math.random().toString(36).slice(2, 6)}`
    made.add(name)
    const database = await openAs(await addDatabase(postgres.url, name, from))
    await spare.remember(database)
    return database
  }

  async function openAs(databaseUrl: string): Promise<OpenDatabase> {
    return openDatabase({
      url: databaseUrl,
      workerUrls: (await roles).urlsOf(databaseUrl),
      ownerAsks: options.control,
    })
  }

  /** `databaseUrl`: a database of the caller, which workers use as its owner. `isNew`: a database that was never used. */
  async function addNamespace(
    input: NamespaceOptions & { databaseUrl?: string | undefined; isNew?: boolean | undefined },
  ): Promise<Namespace> {
    const { databaseUrl, isNew = false } = input
    const database = databaseUrl
      ? openDatabase({ url: databaseUrl, workerUrls: {}, ownerAsks: true })
      : await passingDatabase(isNew)
    return openNamespace(input, database)
  }

  /**
   * Opens a namespace with the lasting database of this name. A worker can start with its variables at once. Statements
   * must wait for `ready`: until then the database is created, or gets the current schema.
   */
  async function addLasting(input: NamespaceOptions, databaseName: string) {
    const [postgres] = await servers
    const namespace = await openNamespace(input, await openAs(withDatabase(postgres.url, databaseName)))
    const ready = prepareLasting(databaseName)
    ready.catch(() => {})
    return { namespace, ready }
  }

  async function openNamespace(input: NamespaceOptions, database: OpenDatabase): Promise<Namespace> {
    open.set(input.name, database)
    const [, redis] = await servers
    const namespace = await createNamespace(input, {
      baseUrl: `${url}/${input.name}`,
      database,
      redisUrl: redis.url,
      redisPrefix: `turnpike:${run}:${input.name}:`,
    })
    namespaces.set(input.name, namespace)
    return namespace
  }

  /** Ends a namespace. Its database is reused or dropped, because hundreds of databases would slow autovacuum down. */
  async function endNamespace(name: string): Promise<void> {
    const database = open.get(name)
    await namespaces.get(name)?.close()
    namespaces.delete(name)
    open.delete(name)
    const copy = database && new URL(database.url).pathname.slice(1)
    if (!copy || !made.has(copy)) return database?.close()
    if (await spare.giveBack(database)) return
    await database.close()
    const [postgres] = await servers
    await dropDatabase(postgres.url, copy)
    made.delete(copy)
  }

  /** Not async, because each layer of promises slows down every call. */
  function handle(call: Call): Promise<Answer> | Answer {
    const [, name = "", service = ""] = call.path.split("/", 3)
    const below = { ...call, path: call.path.slice(name.length + service.length + 2) || "/" }
    if (name === "control" || service === "control") return options.control ? control(call, name, below) : NO_STAND_IN
    return namespaces.get(name)?.route(service, below) ?? NO_STAND_IN
  }

  async function control(call: Call, name: string, below: Call): Promise<Answer> {
    if (call.method === "POST" && call.path === "/control/namespaces") {
      const namespace = await addNamespace(JSON.parse(call.body.toString()))
      const { env, workerUrls, databaseUrl, controlUrl } = namespace
      return jsonAnswer(200, { env, worker_urls: workerUrls, owner_url: databaseUrl, control_url: controlUrl })
    }
    const namespace = namespaces.get(name)
    if (namespace && below.path === "/close") {
      await endNamespace(name)
      return jsonAnswer(200, {})
    }
    return (await namespace?.route("control", below)) ?? NO_STAND_IN
  }

  // Created early, because tests need copies as soon as they start.
  if (options.control) {
    template = makeTemplate()
    template.catch(() => {})
  }

  const server = createServer((request, response) => {
    if (isOfThisMachine(request)) serve(request, response, handle)
    else response.writeHead(403).end(FOREIGN)
  })
  // Only clients close idle connections, because the server could close one that is just being used.
  server.keepAliveTimeout = 0
  await new Promise<void>((done, fail) => {
    server.once("error", fail)
    server.listen(options.port ?? 0, "127.0.0.1", done)
  })
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`

  return {
    url,
    createNamespace: addNamespace,
    createLasting: addLasting,
    /** Connections of all open databases that were opened and closed. */
    connections: () => sumConnections([...open.values()].map(({ connections }) => connections.counts)),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      const [postgres, redis] = await servers
      await template?.catch(() => {})
      for (const namespace of namespaces.values()) await namespace.close()
      for (const database of open.values()) await database.close()
      await spare.closeAll()
      // A server of ours is removed with its directory, or has only lasting databases.
      if (options.databaseUrl) {
        for (const name of [...made].reverse()) await dropDatabase(postgres.url, name)
        if (options.control) await (await roles).drop()
      }
      await redis.close()
      await postgres.stop()
    },
  }
}

/** Serves a request. With a content-length the response is sent as one packet. */
function serve(request: IncomingMessage, response: ServerResponse, handle: (call: Call) => Promise<Answer> | Answer) {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", async () => {
    const target = request.url ?? "/"
    const at = target.indexOf("?")
    const call: Call = {
      method: request.method ?? "GET",
      path: at < 0 ? target : target.slice(0, at),
      search: at < 0 ? "" : target.slice(at),
      headers: request.headers as Record<string, string>,
      body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
    }
    try {
      const { status, headers, body = "", stream } = await handle(call)
      if (stream) {
        response.writeHead(status, headers)
        response.on(
          "close",
          stream((part) => response.write(part)),
        )
        return
      }
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
    } catch (error) {
      if (error instanceof CutConnection) request.socket.destroy()
      else response.writeHead(500).end(JSON.stringify({ error: String(error) }))
    }
  })
}

/**
 * Creates the roles of the workers; `adminUrl` is the URL of a superuser. Their passwords are derived from the
 * superuser's password, so that all commands that use the same server derive the same ones.
 */
async function createWorkerRoles(adminUrl: string, prefix = ROLE_PREFIX) {
  const secret = new URL(adminUrl).password || randomBytes(32)
  const password = (worker: string) => createHmac("sha256", secret).update(roleName(worker, prefix)).digest("base64url")
  await withClient(adminUrl, (client) => createRoles(client, { prefix, renew: true, password }))
  return {
    prefix,
    /** The URLs of a database for the role of each worker. */
    urlsOf: (databaseUrl: string): Record<string, string> =>
      Object.fromEntries(
        WORKER_ROLES.map((worker) => [worker, urlFor(databaseUrl, roleName(worker, prefix), password(worker))]),
      ),
    drop: () => withClient(adminUrl, (client) => dropRoles(client, prefix)),
  }
}
