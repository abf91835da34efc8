import { Hono, type Context as HonoContext } from "hono"
import { methodNotAllowed } from "hono/method-not-allowed"
import type * as z from "zod"
import { type Context, createContext, type Overrides } from "../actor/context.ts"
import { composed } from "../base/casts.ts"
import { dialectOf } from "../base/dialects.ts"
import type { BaseEnv } from "../base/env.ts"
import { TurnpikeError } from "../base/errors.ts"
import { isLoopbackName } from "../base/network.ts"
import { guardOf } from "../base/operation-powers.ts"
import { SLEEP_POLICY } from "../platform/cron-state.ts"
import { describeError } from "../platform/log.ts"
import { answerJson } from "./answer-json.ts"
import { answerError, nothingAt } from "./api-errors.ts"
import type { AppEnv } from "./app-env.ts"
import { announcing } from "./deprecation.ts"
import { guarded, honoPath, type Input, inputOf, type Operation, validatorsOf } from "./operation.ts"
import { notFoundPage, PLAIN_PAGE_HEADERS, wantsPage } from "./plain-page.ts"
import { answersUnchanged, contentTag, isKnown, requireMatch } from "./preconditions.ts"
import { rateHeaders } from "./rate-headers.ts"
import { claimRights, rightsFirst } from "./rights-first.ts"
import { TableRouter } from "./router.ts"
import { SAFE_HEADERS } from "./safe-headers.ts"
import { API_PATHS, answerInsecure, isInsecure } from "./secure-scheme.ts"
import { shownPath } from "./shown-path.ts"
import { answerUnconfigured } from "./unconfigured.ts"
import { setVersion } from "./versions.ts"
import { WELL_KNOWN_CACHE, WELL_KNOWN_PATHS, wellKnownText } from "./well-known.ts"

/** A group of routes that one worker serves, with the parser of its bindings. */
export interface Group {
  parseEnv(bindings: object): BaseEnv
  mount(app: App): void
  /** Runs every minute by the group's cron trigger. */
  scheduled?(ctx: Context, bindings: object): Promise<void>
}

/**
 * A Hono app with a list of its operations. The OpenAPI document and the tests of every route are made from this list.
 */
export class App extends Hono<AppEnv> {
  readonly operations: Operation[] = []
  /** The handlers that read the objects whose changes evaluate If-Match, by path. */
  private readonly readers = new Map<string, Reader>()

  constructor() {
    super({ router: new TableRouter() })
  }

  /** Evaluates the preconditions of a change. A space's configuration must then still have the version that was read. */
  private async requireCurrent(
    c: HonoContext<AppEnv>,
    { tagged = {}, path }: Pick<Operation, "tagged" | "path">,
    { params, query }: Input<unknown, unknown, unknown>,
  ): Promise<void> {
    const { config } = c.get("ctx")
    const read = async () => {
      config.seen = null
      const reader = this.readers.get(tagged.read ?? path)
      if (!reader) throw new Error(`nothing reads ${path}`)
      const current = await reader(c, { params, query, body: undefined, once: undefined, ifVersion: null }).catch(
        (error: unknown) => {
          if (error instanceof TurnpikeError && error.code === "NOT_FOUND") return null
          throw error
        },
      )
      config.expected = config.seen
      // A space's configuration is also named by its version, for callers that change several of its objects.
      const tags = current ? [contentTag(tagged, current), ...(config.seen === null ? [] : [`"${config.seen}"`])] : []
      return current && { tags, current }
    }
    const [ifMatch, ifNoneMatch] = [c.req.header("if-match"), c.req.header("if-none-match")]
    await requireMatch({ ifMatch, ifNoneMatch }, read).catch((error: unknown) => {
      const { current } = ((error as TurnpikeError).details ?? {}) as { current?: object }
      if (current) c.header("ETag", contentTag(tagged, current))
      throw error
    })
  }

  operation<Params extends Shape, Query extends Shape, Body extends z.ZodType, Answer extends z.ZodType>(
    operation: Operation<Params, Query, Body, Answer>,
    handle: (
      c: HonoContext<AppEnv>,
      input: Input<z.output<Params>, z.output<Query>, z.output<Body>>,
    ) => Promise<z.input<Answer> | Response>,
  ): void {
    const guard = guardOf(operation)
    if (!operation.ofPage) this.operations.push(guard ? guarded(operation, guard) : operation)
    const { method, path, answer } = operation
    if (method === "get" && operation.tagged) this.readers.set(path, composed<Reader>(handle))
    const before = [...announcing(operation.deprecated), rightsFirst(operation), ...validatorsOf(operation)]
    this.on(method.toUpperCase(), [honoPath(path)], ...before, async (c) => {
      claimRights(c, operation)
      const input = inputOf(c, operation) as Input<z.output<Params>, z.output<Query>, z.output<Body>>
      noteTurn(c, input.params)
      if (operation.tagged && method !== "get") await this.requireCurrent(c, operation, input)
      const answered = await handle(c, input)
      if (operation.versioned) setVersion(c, answered)
      if (operation.tagged && method !== "delete") {
        const tag = contentTag(operation.tagged, answered as object)
        c.header("ETag", tag)
        if (answersUnchanged(operation) && isKnown(tag, c.req.header("if-none-match"))) return c.body(null, 304)
      }
      return answered instanceof Response ? answered : answerJson(c, answered as object, answer.status)
    })
  }
}

type Reader = (c: HonoContext<AppEnv>, input: Input<unknown, unknown, unknown>) => Promise<object>

/** The log lines of a request for one turn name the turn. */
function noteTurn(c: HonoContext<AppEnv>, params: { turn_id?: unknown } | undefined): void {
  if (typeof params?.turn_id === "string") c.get("ctx").logged.turn_id = params.turn_id
}

const SAFE = Object.entries(SAFE_HEADERS)

type Shape = z.ZodType<Record<string, unknown>>

function createApp(group: Group, overrides: Overrides = {}): App {
  const app = new App()
  app.use(async (c, next) => {
    const started = performance.now()
    const env = bindingsOf(group, c.env)
    if (env instanceof TurnpikeError) return answerUnconfigured(c, env)
    const ctx = createContext(env, (work) => c.executionCtx.waitUntil(work), {
      ...overrides,
      address: c.req.header("cf-connecting-ip"),
    })
    c.set("ctx", ctx)
    // A page of another site can resolve its own name to this machine (DNS rebinding).
    if (ctx.site.isLocal && !isLoopbackName(new URL(c.req.url).hostname)) c.res = answerError(foreignHost(), c)
    else if (isInsecure(c.req.url)) c.res = answerInsecure(c)
    else await marked(ctx, c.req, next)
    const ms = performance.now() - started
    // Set directly on the response's headers: `c.header` would create a new Response each time.
    const { headers } = c.res
    headers.set("X-Request-Id", ctx.requestId)
    // Anthropic's clients show this one.
    if (dialectOf(c.req.path) === "anthropic") headers.set("Request-Id", ctx.requestId)
    headers.set("Server-Timing", ctx.meter.header(ms))
    headers.set("Cache-Control", c.get("cacheControl") ?? "no-store")
    for (const [name, value] of SAFE) headers.set(name, value)
    for (const [name, value] of rateHeaders(ctx.windows.shown)) headers.set(name, value)
    const { method } = c.req
    const path = shownPath(c.req.path)
    ctx.log("info", "request", { method, path, status: c.res.status, ms: Math.round(ms) })
    return undefined
  })
  app.use(
    methodNotAllowed<AppEnv>({
      app,
      onMethodNotAllowed: (c, methods) => {
        c.header("Allow", methods.join(", "))
        const message = `${c.req.method} is not allowed here, only ${methods.join(", ")}.`
        return answerError(new TurnpikeError("METHOD_NOT_ALLOWED", message), c)
      },
    }),
  )
  for (const path of WELL_KNOWN_PATHS) {
    app.get(path, (c) => {
      const { clock, securityContact } = c.get("ctx")
      c.set("cacheControl", WELL_KNOWN_CACHE)
      return c.text(wellKnownText({ url: c.req.url, now: clock.now(), contact: securityContact }) ?? "")
    })
  }
  app.onError(answerError)
  app.notFound(answerNothing)
  group.mount(app)
  return app
}

/** Answers an address where there is nothing: programs get an error, and a person in a browser gets a page. */
async function answerNothing(c: HonoContext<AppEnv>): Promise<Response> {
  const { path } = c.req
  if (API_PATHS.test(path) || !wantsPage(c.req.header("accept"))) return answerError(nothingAt(path), c)
  return c.html(await notFoundPage(path), 404, PLAIN_PAGE_HEADERS)
}

/** Serves a request that may change something, and keeps the cron from sleeping through it. */
async function marked(ctx: Context, { method, path }: { method: string; path: string }, next: () => Promise<void>) {
  // A GET of a sign-in may open a session and grant credit.
  const changes = method !== "GET" ? method !== "HEAD" && method !== "OPTIONS" : path.startsWith("/api/auth/")
  const { cron } = ctx
  if (!cron || !changes) return next()
  const mark = (options?: { always: boolean }) =>
    ctx.background(
      cron
        .mark(options)
        .catch((error: unknown) => ctx.log("error", "cron.mark_failed", { error: describeError(error) })),
    )
  const began = ctx.clock.now().getTime()
  mark()
  await next()
  if (ctx.clock.now().getTime() - began > SLEEP_POLICY.markEveryMs) mark({ always: true })
}

const foreignHost = () =>
  new TurnpikeError(
    "CROSS_ORIGIN",
    "This local service accepts requests to 127.0.0.1 and localhost only. Use one of these names.",
  )

/** Parses the bindings; returns an error that names invalid variables. */
function bindingsOf(group: Group, bindings: object): BaseEnv | TurnpikeError {
  try {
    return group.parseEnv(bindings)
  } catch (error) {
    if (error instanceof TurnpikeError) return error
    throw error
  }
}

/** A deployable worker for one group. */
export function createWorker(group: Group, overrides: Overrides = {}) {
  const app = createApp(group, overrides)
  return {
    fetch: (request: Request, env: object, execution: ExecutionContext) => app.fetch(request, env, execution),
    async scheduled(_event: unknown, env: object, execution: ExecutionContext) {
      await group.scheduled?.(
        createContext(group.parseEnv(env), (work) => execution.waitUntil(work), overrides),
        env,
      )
    },
  } satisfies ExportedHandler<object>
}

/** Combines several groups into one worker. */
export function allOf(parseEnv: Group["parseEnv"], groups: Group[]): Group {
  return {
    parseEnv,
    mount(app) {
      for (const group of groups) group.mount(app)
    },
    async scheduled(ctx, bindings) {
      for (const group of groups) await group.scheduled?.(ctx, bindings)
    },
  }
}
