import { accountsOf } from "../agent/accounts.ts"
import { type ModelAccounts, type ModelAnswer, type ModelCall, ModelError } from "../agent/engine.ts"
import { shownObjects } from "../agent/takes.ts"
import { TurnpikeError } from "../base/errors.ts"
import { openEnvironmentFile } from "../environment/environment-file.ts"
import { noteError } from "../infrastructure/errors.ts"
import type { Clock } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { type Loan, MEMORY } from "../platform/memory.ts"
import { modelAccounts, type RealEngine, type Served } from "../providers/account.ts"
import { coolsMeanwhile, noteAccount, releaseProbe } from "../providers/cooling.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { type CallFault, faultOf, REACTIONS } from "../providers/reactions.ts"
import { type CallCredential, freshCredential, ProviderUnusable } from "../providers/refresh.ts"
import { sayNews, windowsOf } from "../providers/windows.ts"
import { type CutCall, callWithin, isCut } from "./call-within.ts"
import { type KnownAccount, lacksModel } from "./route.ts"
import type { AgentWork, Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"
import type { TextStream } from "./stream-text.ts"

export interface RoutedCall {
  came: ModelAnswer | CutCall
  /** Null: the environment's account, or no account. */
  served: Served | null
  /** When the try that returned `came` began, in milliseconds. */
  beganAt: number
  /** True if its failures were already noted, by account. */
  noted: boolean
  /** True for a whole answer that only repeats earlier text. */
  isFree: boolean
}

interface Asked {
  run: Run
  agent: AgentWork
  call: ModelCall
  stream: TextStream
  /** Called for a failed try that has used tokens. */
  lost(answer: ModelAnswer): Promise<void>
}

/**
 * Makes one model call, with memory for its images and documents. Throws RunEnd if no account can be called now, the
 * turn's time is over, or the call must wait for memory.
 */
export async function routeCall(asked: Asked): Promise<RoutedCall> {
  const { run, call } = asked
  const bytes = [...shownObjects(call.engine, call.messages)].reduce((sum, part) => sum + part.bytes, 0)
  if (bytes === 0) return routed(asked)
  const { memory, requestId, clock } = run.ctx
  const loan = await memory
    .borrow(MEMORY.shares.object, requestId, clock, bytes, run.time.signal)
    .catch((error: unknown) => {
      run.checkTime()
      throw error
    })
  if (!loan) throw new RunEnd({ kind: "crowded" })
  const stop = keeping(loan, clock)
  try {
    return await routed(asked)
  } finally {
    stop()
    loan.close()
  }
}

/** Keeps a loan valid during a long call: an unused loan counts as returned. Returns the function that stops it. */
function keeping(loan: Loan, clock: Clock): () => void {
  let stop = () => {}
  const again = () => {
    loan.keep()
    stop = clock.after(MEMORY.lostMs / 4, again)
  }
  again()
  return () => stop()
}

/**
 * Tries one account after another (REACTIONS says when) until one answers or text was shown. Uses the environment's
 * keys if no account is enabled.
 */
async function routed(asked: Asked): Promise<RoutedCall> {
  const { run, call } = asked
  const { engine, model } = call
  if (engine === "rehearsal") return unrouted(asked, {})
  const tried: string[] = []
  let counted = 0
  let isOut = false
  let isRefused = false
  let last: ModelError | null = null
  let lacking: ModelError | null = null
  while (counted < PROVIDER_POLICY.maxAccounts) {
    if (tried.length > 0) run.checkTime()
    const next = await run.route.next({ engine, model }, tried, { proven: isRefused })
    if (next.kind === "stale") throw new RunEnd({ kind: "stale" })
    if (next.kind === "cancel") throw run.cancel()
    if (next.kind === "none") return unrouted(asked, await environmentAccounts(run))
    if (next.kind === "cooling") {
      // No account has the model, and no cooling account may have it.
      if (lacking && !last && !isOut && next.until === null) return failed(run, lacking)
      const recovery = next.until === null ? Number.POSITIVE_INFINITY : Date.parse(next.until)
      // A tried account may answer again soon. The turn fails only if no other account recovers before its deadline.
      if (last && recovery >= run.time.deadline) return failed(run, last)
      throw coolingEnd(engine, last ? Math.min(recovery, run.time.now + PROVIDER_POLICY.passingMs) : recovery)
    }
    const { account } = next
    tried.push(account.provider_id)
    const wasLacking = lacksModel(account, model, run.time.now)
    const came = await tryAccount(asked, account)
    if (came.kind === "ended") return came.routed
    if (came.kind === "lacks") {
      // An account that was known to lack the model is tried last, so no account is left that may have it.
      lacking = came.error
      if (wasLacking && !last && !isOut) return failed(run, lacking)
      continue
    }
    counted++
    if (came.kind === "out") {
      isOut = true
      isRefused ||= came.refused === true
    } else last = came.error
  }
  // If all tried accounts are out of use now, the turn waits and does not fail.
  if (!last) throw coolingEnd(engine, run.time.now)
  return failed(run, last)
}

const failed = (run: Run, why: ModelError): RoutedCall => ({
  came: { why, answer: null, paid: false },
  served: null,
  beganAt: run.time.now,
  noted: true,
  isFree: false,
})

const coolingEnd = (engine: RealEngine, until: number) => new RunEnd({ kind: "cooling", engine, until })

async function unrouted(
  { run, agent, call, stream }: Asked,
  accounts: ModelAccounts | ModelError,
): Promise<RoutedCall> {
  const beganAt = run.time.now
  const { came, isFree } =
    accounts instanceof ModelError
      ? { came: { why: accounts, answer: null, paid: false }, isFree: false }
      : await callWithin(run, { agent, call, stream, accounts })
  return { came, served: null, beganAt, noted: false, isFree }
}

/** The environment's accounts at this moment. Keys of the environment file override the worker's variables. */
async function environmentAccounts({ ctx, claim, turn }: Run): Promise<ModelAccounts | ModelError> {
  try {
    return accountsOf(ctx.variables, await openEnvironmentFile(ctx, "engines", claim.engine_keys))
  } catch (error) {
    ctx.log("error", "environment.unreadable", { turn_id: turn.turn_id, error: describeError(error) })
    return new ModelError("unavailable", "The keys of the engines cannot be read.")
  }
}

/**
 * passed: the call failed, but the account can be called again. out: it cannot; `refused`: the provider refused the
 * account itself. lacks: the account does not have the model.
 */
type Tried =
  | { kind: "ended"; routed: RoutedCall }
  | { kind: "passed" | "lacks"; error: ModelError }
  | { kind: "out"; refused?: boolean }

/** Makes a call at one account, and repeats it there as REACTIONS says. */
async function tryAccount(asked: Asked, account: KnownAccount): Promise<Tried> {
  const { run, agent, call, stream } = asked
  // Another call may have learned in the meantime that the account must not be called.
  const mayBegin = () => !coolsMeanwhile(run.ctx, account.provider_id, account.readAt)
  let credential = await credentialOf(run, account, { after401: false })
  const done = { once: false, refreshed: false }
  for (;;) {
    if ("fault" in credential) return { kind: "out" }
    const accounts = modelAccounts(account, credential)
    const beganAt = run.time.now
    const { came, headers, barred, isFree } = await callWithin(run, { agent, call, stream, accounts, mayBegin })
    if (barred) {
      run.route.drop([account.provider_id])
      return { kind: "out" }
    }
    const now = run.ctx.clock.now()
    const windows = headers ? windowsOf(headers, now) : []
    const error = isCut(came) && came.why instanceof ModelError && !came.answer?.text ? came.why : null
    const ended = (served: Served | null): Tried => ({
      kind: "ended",
      routed: { came, served, beganAt, noted: !!error, isFree },
    })
    const release = () => (account.probe ? releaseProbe(run.ctx, account, account.readAt) : undefined)
    const inVain = async () => {
      await release()
      return ended(null)
    }
    if (!error) {
      if (isCut(came) && !came.answer) return inVain()
      // The run's next call starts at the account that has just served.
      const bind = run.route.served({ ...account, ...credential.from }, { main: agent.ref === null })
      return ended({
        account: account.provider_id,
        bind,
        probe: account.probe,
        windows: sayNews(windows, account.windows) ? windows : null,
      })
    }
    const { fault, coolUntil, suspended } = faultOf(error, account, windows, now)
    noteFailure(run, account, fault, error)
    const reaction = REACTIONS[fault]
    if (!reaction.failover) return inVain()
    if (isCut(came) && came.answer) await asked.lost(came.answer)
    if (reaction.again === "once" && !done.once) {
      done.once = true
      continue
    }
    if (reaction.again === "refreshed" && !done.refreshed && account.kind !== "api_key") {
      done.refreshed = true
      const refused = credential.credential_version
      credential = await credentialOf(run, { ...account, ...credential.from }, { after401: true })
      if ("fault" in credential || credential.credential_version !== refused) continue
    }
    const health = reaction.account === "needs_login" ? reaction.account : null
    const lacks = reaction.account === "lacks_model" ? call.model : null
    const fails = account.probe && !health && lacks === null
    const cools = coolUntil ?? (fails ? new Date(now.getTime() + PROVIDER_POLICY.coolAgainMs) : null)
    const called = { ...account, ...credential.from }
    await noteAccount(run.ctx, called, { coolUntil: cools, health, reason: fault, lacks, suspended, windows })
    if (lacks !== null) {
      await release()
      run.route.lacks(account, { main: agent.ref === null })
      return { kind: "lacks", error }
    }
    if (cools !== null || health !== null || reaction.account === "left") run.route.drop([account.provider_id])
    if (cools !== null || health !== null) return { kind: "out", refused: suspended !== null || health !== null }
    return { kind: "passed", error: fault === "forbidden" ? verdictOf(error) : error }
  }
}

/** A provider that forbids the call to this account does not reject the request, so the error becomes `unavailable`. */
const verdictOf = ({ message, status }: ModelError) => new ModelError("unavailable", message, { status })

interface NoCredential {
  fault: "needs_login" | "contained" | "no_credential"
}

/**
 * Returns the credential of a call. `after401`: the provider has just refused this version. The version must belong
 * to the sealed text that was read with it, because a refresh token must never be sent twice. Without a credential
 * the account is dropped; it cools for a minute if the reason may pass by itself.
 */
async function credentialOf(
  run: Run,
  account: KnownAccount,
  { after401 }: { after401: boolean },
): Promise<CallCredential | NoCredential> {
  const { ctx, route, alive } = run
  try {
    return await alive.during(() => freshCredential(ctx, account, { after401 }))
  } catch (error) {
    if (error instanceof TurnpikeError) throw error
    const health = error instanceof ProviderUnusable ? error.health : null
    const fault = health ?? "no_credential"
    const told = new ModelError("unavailable", "The account has no credential to call with.")
    if (!(error instanceof ProviderUnusable)) {
      ctx.log("error", "provider.unreadable", { provider_id: account.provider_id, error: describeError(error) })
    }
    if (!after401) noteFailure(run, account, fault, told)
    route.drop([account.provider_id])
    // If many calls wait for the same refresh, only one of them notes its failure.
    if (health !== "contained" && !coolsMeanwhile(ctx, account.provider_id, account.readAt)) {
      const coolUntil = health === null ? new Date(run.time.now + PROVIDER_POLICY.coolAgainMs) : null
      await noteAccount(ctx, account, { coolUntil, health, reason: fault, windows: [] })
    }
    return { fault }
  }
}

/** Writes a failed try to the log and to the list of failures. Messages of ModelErrors contain no keys. */
function noteFailure(
  run: Run,
  { provider_id, engine }: KnownAccount,
  code: CallFault | NoCredential["fault"],
  error: ModelError,
) {
  const { ctx, turn } = run
  const { status, message } = error
  ctx.log("error", "provider.failed", { turn_id: turn.turn_id, provider_id, engine, code, status, error: message })
  noteError(ctx, turn, { kind: "model_call", name: provider_id, code })
}
