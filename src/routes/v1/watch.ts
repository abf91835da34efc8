import { cors } from "hono/cors"
import * as z from "zod"
import type { KeyCredential } from "../../actor/actor.ts"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { eventStream } from "../../http/event-stream.ts"
import { idParam, numberCursor, pageOf, pageQuery } from "../../http/query.ts"
import { untilClientLeaves } from "../../http/text-stream.ts"
import { STREAM_POLICY, WATCH_POLICY } from "../../turns/policies.ts"
import { createWatchToken, readWatchToken, WATCH_PARTS, WATCH_PATH } from "../../turns/watch-token.ts"
import { listWatched, WATCH_TURN_ERRORS, watchTurn } from "../../turns/watch-turn.ts"
import { acceptsEventStream, parseLastEventId } from "../turn-events.ts"

const tag = "Turns"

const createWatchTokenSchema = z
  .strictObject({
    expires_in: z.int().min(1).max(WATCH_POLICY.mostSeconds).default(WATCH_POLICY.seconds).meta({
      description: "The token's life in seconds.",
      example: WATCH_POLICY.seconds,
    }),
    include: z.array(z.enum(WATCH_PARTS)).max(WATCH_PARTS.length).default([]).meta({
      description: "`tool_inputs`: the browser also gets the inputs of tool calls. Otherwise only the tools' names.",
      example: [],
    }),
  })
  .meta({ id: "CreateWatchToken" })

const watchTokenSchema = z
  .object({
    token: z.string().meta({ description: "The token. It is shown once, and not stored.", example: "watch_k1.…" }),
    url: z.string().meta({
      description: "The stream's address with the token, for `new EventSource(url)`.",
      example: "https://api.example.com/v1/watch?token=watch_k1.…",
    }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "WatchToken" })

const watchedEventSchema = z
  .object({
    seq: z.int().meta({
      description:
        "The event's number in its turn. Numbers of events that are not shown are missing. A piece of text that is not in the log yet has the number of the last event before it.",
    }),
    type: z.string().meta({ example: "turn.running" }),
    data: z.record(z.string(), z.unknown()).meta({ example: { state: "running" } }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "WatchedEvent" })

const crossOrigin = cors({ origin: "*", allowMethods: ["GET"], allowHeaders: ["Last-Event-ID"], maxAge: 86_400 })

/** The stream for browsers. */
export function mountWatch(app: App) {
  // Only a browser's question before a request has this header (Fetch standard, CORS-preflight request).
  app.use(WATCH_PATH, (c, next) =>
    c.req.method === "OPTIONS" && !c.req.header("access-control-request-method") ? next() : crossOrigin(c, next),
  )
  app.operation(
    {
      method: "get",
      path: WATCH_PATH,
      id: "watchTurn",
      tag,
      summary: "Watch a turn from a browser",
      description:
        "The events of one turn, for a page on any origin: `new EventSource(url)` with the `url` of " +
        "[a watch token](/docs/operations/turns#createWatchToken). The events are those of the turn, with fewer fields: no costs, models, " +
        "sub-agents, errors of tools, or ids of other things. `turn.done` also has the `result`, and the `output` of a result with a form. " +
        `The stream ends when the turn has ended or the token expires. It also ends within ${timeInWords(STREAM_POLICY.ownLookMs)} after the key was revoked ` +
        "or the end user was erased. An EventSource reconnects by itself and misses no event. If the turn has ended and the " +
        "browser has all events, the response is 204, so that it does not reconnect.",
      headers: [
        {
          name: "Last-Event-ID",
          required: false,
          description: "The id of the message after which the stream continues. Browsers send it by themselves.",
          example: "7",
        },
      ],
      open: true,
      query: z.strictObject({
        token: z
          .string()
          .min(1)
          .max(WATCH_POLICY.maxChars)
          .meta({ description: "The watch token.", example: "watch_k1.…" }),
        limit: pageQuery.limit.default(100),
        cursor: numberCursor(0, 2_147_483_647),
      }),
      answer: {
        status: 200,
        description: "A page of events.",
        schema: pageOf(watchedEventSchema),
        also: {
          "text/event-stream": "One message per event: `id` for Last-Event-ID, `event` its type, `data` the event.",
        },
        others: { 204: "The turn has ended, and the browser has all of its events." },
      },
      errors: WATCH_TURN_ERRORS,
    },
    async (c, { query: { token, limit, cursor = 0 } }) => {
      const ctx = c.get("ctx")
      const watch = await readWatchToken(ctx, token)
      if (!acceptsEventStream(c.req.header("accept"))) {
        const { events, next } = await listWatched(ctx, watch, { afterSeq: cursor, limit })
        return { data: events, has_more: next !== null, next_cursor: next === null ? null : String(next) }
      }
      const after = parseLastEventId(c.req.header("last-event-id")) ?? { seq: cursor }
      const { signal, onCancel } = untilClientLeaves(c.req.raw.signal)
      const batches = await watchTurn(ctx, watch, { after, signal })
      if (batches === null) return new Response(null, { status: 204 })
      return eventStream(batches, { log: ctx.log, clock: ctx.clock, onCancel })
    },
  )
}

/** Creates tokens, for servers with a key. */
export function mountWatchTokens(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/turns/{turn_id}/watch-tokens",
      id: "createWatchToken",
      tag,
      summary: "Let a browser watch a turn",
      description:
        "Returns a token for one turn, which your server passes to a browser, so that it shows the reply while it is " +
        "written. The token can do nothing else. It has the rights of this key at each look: if the " +
        "key is revoked or expires, the token ends with it. A repeat creates another token, which has no other effect.",
      idempotent: "naturally",
      params: z.object({ turn_id: idParam }),
      body: createWatchTokenSchema,
      answer: { status: 201, description: "The token.", schema: watchTokenSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { turn_id: turnId }, body: { expires_in: seconds, include } }) => {
      const made = await createWatchToken(c.get("ctx"), c.get("credential") as KeyCredential, {
        turnId,
        seconds,
        include,
      })
      const url = new URL(WATCH_PATH, c.req.url)
      url.searchParams.set("token", made.token)
      return { token: made.token, url: url.href, expires_at: made.expiresAt.toISOString() }
    },
  )
}
