import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import * as z from "zod"
import type { Context } from "../../actor/context.ts"
import { type CallbacksEnv, parseCallbacksEnv } from "../../base/env.ts"
import { onceFor } from "../../base/once-for.ts"
import { logIds } from "../../base/trace-context.ts"
import { INTERNAL_SIGNATURE } from "../../callbacks/internal-call.ts"
import { LOAD_URL_PATH, loadUrlInput } from "../../callbacks/load-url.ts"
import { CHECK_SERVER_PATH, checkServerInput, TRY_TOOL_PATH, tryToolInput } from "../../callbacks/tool-trials.ts"
import { verifyInternalCall } from "../../callbacks/verify-internal-call.ts"
import { webhookCallbackPath } from "../../feed/wake-webhooks.ts"
import { fetchUrl } from "../../files/fetch-url.ts"
import { answerJson } from "../../http/answer-json.ts"
import type { Group } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { bytesOf } from "../../http/json-bodies.ts"
import { textStream, untilClientLeaves } from "../../http/text-stream.ts"
import { describeError, logWith } from "../../platform/log.ts"
import { createOutbound, type Outbound } from "../../platform/outbound.ts"
import { callbackUrl, REDELIVERY_SECONDS } from "../../platform/queue.ts"
import { verifySignature } from "../../platform/queue-signature.ts"
import { createRedis } from "../../platform/redis.ts"
import { WaitingCalls } from "../../platform/waiting-calls.ts"
import { loginCallbackPath, pollDeviceLogin } from "../../providers/poll-device-login.ts"
import { reportFileCallbackPath } from "../../report-files/publish-report-file.ts"
import { writeReportFile } from "../../report-files/write-report-file.ts"
import type { AgentContext } from "../../runs/run.ts"
import { runInPlace } from "../../runs/run-in-place.ts"
import { type QueueAttempt, type RunnerContext, runTurns } from "../../runs/runner.ts"
import { DUE_TIMES, runSweeps } from "../../sweeps.ts"
import { fallAsleep } from "../../system/fall-asleep.ts"
import { getHealth, type Health } from "../../system/get-health.ts"
import { type AlertTargets, hasTarget, tellAlerts } from "../../system/tell-alerts.ts"
import { checkServer, tryTool } from "../../tools/try-tool.ts"
import { RUNNERS_PATH } from "../../turns/call-runner.ts"
import { MESSAGE_POLICY, RUNNER_POLICY } from "../../turns/policies.ts"
import { passedCredential, RUN_TURN_PATH, runTurnInput } from "../../turns/run-messages.ts"
import { dispatchWebhook } from "../../webhooks/dispatch-webhook.ts"
import { FILE_FORMS } from "../file-forms.ts"

/**
 * Bodies are read completely before their signature is verified. Our own have a few bytes, and a tool test at most
 * 64 KiB.
 */
const MAX_BYTES = 128 * 1024
const MAX_TURN_BYTES = MESSAGE_POLICY.bodyBytes + 16 * 1024

/** If a response has Retry-After, QStash uses it instead of its own retry schedule. */
const redelivered = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  if (c.res.status !== 503) return
  const retried = Number(c.req.header("upstash-retried") ?? 0)
  c.res.headers.set("Retry-After", String(REDELIVERY_SECONDS[retried] ?? REDELIVERY_SECONDS.at(-1)))
})

/** Accepts only requests that one of our own workers signed for exactly this URL and body. */
const signedByUs = createMiddleware<AppEnv>(async (c, next) => {
  const signature = c.req.header(INTERNAL_SIGNATURE)
  const ctx = c.get("ctx")
  const redis = createRedis(parseCallbacksEnv(c.env), ctx.meter)
  const { path } = c.req
  // A turn is accepted once for its Idempotency-Key.
  const isRepeatable = path === RUN_TURN_PATH
  const most = isRepeatable ? MAX_TURN_BYTES : MAX_BYTES
  await verifyInternalCall({ ...ctx, redis }, { signature, path, isRepeatable, readBody: () => bytesOf(c, most) })
  await next()
})

/** Accepts only requests that QStash signed for exactly this URL and body. */
const signed = createMiddleware<AppEnv>(async (c, next) => {
  const env = parseCallbacksEnv(c.env)
  const ctx = c.get("ctx")
  await verifySignature(env, {
    signature: c.req.header("upstash-signature"),
    url: callbackUrl(env, c.req.path),
    readBody: () => bytesOf(c, MAX_BYTES),
    now: ctx.clock.now(),
  })
  await next()
})

/** The paths that QStash calls. */
const QUEUED = [RUNNERS_PATH, "/callbacks/webhooks/*", "/callbacks/provider-logins/*", "/callbacks/report-files/*"]

/** /callbacks/*: messages from QStash, internal calls, and the cron sweeper. */
export const callbacks: Group = {
  parseEnv: parseCallbacksEnv,
  mount(app) {
    for (const path of QUEUED) app.use(path, redelivered, signed)
    app.use("/callbacks/internal/*", signedByUs)
    app.post(RUNNERS_PATH, async (c) => {
      const ctx = runnerContext(c)
      watchCron(ctx, parseCallbacksEnv(c.env))
      const turns = await runTurns(ctx, deliveryOf(c))
      ctx.log("info", "runner.ended", turns)
      return answerJson(c, { turns })
    })
    app.post(webhookCallbackPath(":webhook_id"), async (c) => {
      const webhookId = z.string().max(64).parse(c.req.param("webhook_id"))
      const ctx = agentContext(c)
      const result = await dispatchWebhook(ctx, webhookId)
      ctx.log("info", "webhook.dispatched", { webhook_id: webhookId, ...result })
      return answerJson(c, { webhook_id: webhookId, ...result })
    })
    app.post(loginCallbackPath(":login_id"), async (c) => {
      const loginId = z.string().max(64).parse(c.req.param("login_id"))
      return answerJson(c, { login_id: loginId, result: await pollDeviceLogin(c.get("ctx"), loginId) })
    })
    app.post(reportFileCallbackPath(":file_id"), async (c) => {
      const fileId = z.string().max(64).parse(c.req.param("file_id"))
      const written = await writeReportFile(c.get("ctx"), fileId, FILE_FORMS)
      return answerJson(c, { file_id: fileId, ...written })
    })
    app.post(TRY_TOOL_PATH, async (c) =>
      answerJson(c, await tryTool(agentContext(c), tryToolInput.parse(await c.req.json()))),
    )
    app.post(CHECK_SERVER_PATH, async (c) =>
      answerJson(c, await checkServer(agentContext(c), checkServerInput.parse(await c.req.json()))),
    )
    app.post(LOAD_URL_PATH, async (c) => fetchUrl(agentContext(c), loadUrlInput.parse(await c.req.json())))
    app.post(RUN_TURN_PATH, async (c) => runInPlaceOf(c, runTurnInput.parse(await c.req.json())))
  },
  async scheduled(ctx, bindings) {
    const env = parseCallbacksEnv(bindings)
    const { isAsleep, isQuiet } = await tick(ctx)
    if (isAsleep) return
    const isSound = await runSweeps({ ...ctx, redis: createRedis(env, ctx.meter) })
    const targets = alertTargets(env)
    let read: Promise<Health> | undefined
    const health = () => (read ??= getHealth(ctx))
    const isTold = !hasTarget(targets) || (await tellAlerts(ctx, targets, health))
    if (isQuiet && isSound && isTold) await fallAsleep(ctx, DUE_TIMES, health)
  },
}

/** Accepts a turn for a request of another worker, and runs it while that request reads the answer. */
async function runInPlaceOf(c: HonoContext<AppEnv>, sent: z.output<typeof runTurnInput>): Promise<Response> {
  const { request_id: requestId, address, trace, body } = sent
  const ctx = { ...runnerContext(c), requestId, address }
  const credential = await passedCredential(ctx, sent.credential, sent.turn_id)
  const client = untilClientLeaves(c.req.raw.signal)
  const { reads, position } = sent
  const asked = {
    idempotencyKey: sent.idempotency_key,
    turnId: sent.turn_id,
    trace,
    body,
    reads,
    position: position ?? undefined,
  }
  const messages = await runInPlace(ctx, credential, asked, client.signal)
  const lines = (async function* () {
    for await (const some of messages) yield some.map((message) => `${JSON.stringify(message)}\n`).join("")
  })()
  return textStream(lines, ctx, { "content-type": "application/x-ndjson" }, client.onCancel)
}

/** Without Redis the cron is awake, and does not fall asleep. */
async function tick({ cron, log }: Context): Promise<{ isAsleep: boolean; isQuiet: boolean }> {
  const awake = { isAsleep: false, isQuiet: false }
  return cron
    ? cron.tick().catch((error: unknown) => {
        log("error", "cron.state_failed", { error: describeError(error) })
        return awake
      })
    : awake
}

const alertTargets = ({ ALERT_URL, ALERT_EMAIL }: CallbacksEnv): AlertTargets => {
  return { url: ALERT_URL ?? null, email: ALERT_EMAIL ?? null }
}

/** How often an isolate checks the service because of a delivery, in milliseconds. */
const WATCHED_EVERY_MS = 300_000
const watchOf = onceFor((_isolate: Context["cooling"]) => ({ at: Number.NEGATIVE_INFINITY }))

/** A cron that has stopped cannot tell it, so runners of turns check now and then. */
function watchCron(ctx: Context, env: CallbacksEnv): void {
  const now = ctx.clock.now().getTime()
  const targets = alertTargets(env)
  const watch = watchOf(ctx.cooling)
  if (!hasTarget(targets) || Math.abs(now - watch.at) < WATCHED_EVERY_MS) return
  watch.at = now
  ctx.background(tellAlerts(ctx, targets))
}

function deliveryOf(c: HonoContext<AppEnv>): QueueAttempt {
  const message = c.req.header("upstash-message-id")
  const retried = Number(c.req.header("upstash-retried") ?? 0)
  // These headers are not signed. A sender that changes them can only take over turns of its own attempts.
  return message && message.length <= 200 && Number.isInteger(retried) && retried >= 0 && retried < 1000
    ? { message, retried }
    : { message: c.get("ctx").requestId, retried: 0 }
}

/** Each turn of a runner has its own share of the isolate's memory. All turns share the connections of the worker. */
function runnerContext(c: HonoContext<AppEnv>): RunnerContext {
  const calls = new WaitingCalls(RUNNER_POLICY.waitingCalls)
  const ctx = agentContext(c)
  return {
    ...ctx,
    waitingCalls: () => calls.size,
    calls: () => calls.sent,
    forTurn(turn, afterWait) {
      const { turn_id, user_id, test } = turn
      const logged = { ...ctx.logged, ...logIds(turn) }
      const requestId = `${ctx.requestId} ${turn_id}`
      const holder = `${user_id} ${test}`
      const whenFree = (signal?: AbortSignal) => calls.whenFree(holder, signal)
      const fetch = calls.bound(ctx.fetch, { holder })
      const turnFetch = calls.bound(ctx.fetch, { holder, afterWait })
      const own = { ...ctx, log: logWith(ctx.log, logged), logged, requestId, whenFree, fetch, turnFetch }
      return {
        ctx: { ...own, outbound: outboundOf({ ...own, fetch: turnFetch }, requestId, whenFree) },
        leave: calls.enter(holder),
      }
    },
  }
}

/** Calls to owners' URLs. The memory of large answers counts for the holder. */
function outboundOf(
  { fetch, clock, urlPolicy: policy, memory: budget }: Context,
  holder: string,
  whenFree?: (signal?: AbortSignal) => Promise<void>,
): Outbound {
  return createOutbound({ fetch, clock, policy, memory: { budget, holder }, ...(whenFree && { whenFree }) })
}

function agentContext(c: HonoContext<AppEnv>): AgentContext {
  const ctx = c.get("ctx")
  const outbound = outboundOf(ctx, ctx.requestId)
  const env = parseCallbacksEnv(c.env)
  return {
    ...ctx,
    outbound,
    turnFetch: ctx.fetch,
    variables: env,
    redis: createRedis(env, ctx.meter),
  }
}
