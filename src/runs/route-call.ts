import { accountsOf } from "../agent/accounts.ts"
import { type FormChange, type ModelAccounts, type ModelAnswer, type ModelCall, ModelError } from "../agent/engine.ts"
import { shownObjects } from "../agent/takes.ts"
import { openEnvironmentFile } from "../environment/environment-file.ts"
import type { Clock } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { type Loan, MEMORY } from "../platform/memory.ts"
import { modelAccounts, type RealEngine, type Served } from "../providers/account.ts"
import { coolsMeanwhile, noteAccount, noteRejection, releaseProbe } from "../providers/cooling.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { faultOf, REACTIONS } from "../providers/reactions.ts"
import { sayNews, windowsOf } from "../providers/windows.ts"
import { callCredentialOf, noteFailure } from "./account-credential.ts"
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
  /** Gets the forms in which the request is sent again. */
  changes: FormChange[]
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
  let rejection: Rejection | null = null
  while (counted < PROVIDER_POLICY.maxAccounts) {
    if (rejection && run.time.now >= run.time.deadline) return rejection.routed
    if (tried.length > 0) run.checkTime()
    const next = await run.route.next({ engine, model }, tried, { proven: isRefused || rejection !== null })
    if (next.kind === "stale") throw new RunEnd({ kind: "stale" })
    if (next.kind === "cancel") throw run.cancel()
    // No other account can be asked, so the request counts as the cause.
    if (rejection && (next.kind === "none" || next.kind === "cooling")) return rejection.routed
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
    if (came.kind === "ended") {
      if (rejection && came.routed.served) await blame(run, rejection.account)
      return came.routed
    }
    if (came.kind === "rejected") {
      if (rejection) return came.routed
      rejection = { account: came.account, routed: came.routed }
      continue
    }
    if (came.kind === "lacks") {
      // An account that was known to lack the model is tried last, so no account is left that may have it.
      lacking = came.error
      if (wasLacking && !last && !isOut) return rejection?.routed ?? failed(run, lacking)
      continue
    }
    counted++
    if (came.kind === "out") {
      isOut = true
      isRefused ||= came.refused === true
    } else last = came.error
  }
  if (rejection) return rejection.routed
  // If all tried accounts are out of use now, the turn waits and does not fail.
  if (!last) throw coolingEnd(engine, run.time.now)
  return failed(run, last)
}

/** A call that one account rejected. Another account shows whether the account or the request is the cause. */
interface Rejection {
  account: KnownAccount
  routed: RoutedCall
}

/** Notes a rejection that another account did not give for the same request. */
async function blame(run: Run, account: KnownAccount): Promise<void> {
  const isOut = await noteRejection(run.ctx, account)
  if (isOut) run.route.drop([account.provider_id])
}

const failed = (run: Run, why: ModelError): RoutedCall => ({
  came: { why, answer: null, paid: false, isKept: false },
  served: null,
  beganAt: run.time.now,
  noted: true,
  isFree: false,
})

const coolingEnd = (engine: RealEngine, until: number) => new RunEnd({ kind: "cooling", engine, until })

async function unrouted(
  { run, agent, call, stream, changes }: Asked,
  accounts: ModelAccounts | ModelError,
): Promise<RoutedCall> {
  const beganAt = run.time.now
  const { came, isFree } =
    accounts instanceof ModelError
      ? { came: { why: accounts, answer: null, paid: false, isKept: false }, isFree: false }
      : await callWithin(run, { agent, call, stream, changes, accounts })
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
 * account itself. lacks: the account does not have the model. rejected: it rejected the request, at no cost.
 */
type Tried =
  | { kind: "ended"; routed: RoutedCall }
  | ({ kind: "rejected" } & Rejection)
  | { kind: "passed" | "lacks"; error: ModelError }
  | { kind: "out"; refused?: boolean }

/** Makes a call at one account, and repeats it there as REACTIONS says. */
async function tryAccount(asked: Asked, account: KnownAccount): Promise<Tried> {
  const { run, agent, call, stream, changes } = asked
  // Another call may have learned in the meantime that the account must not be called.
  const mayBegin = () => !coolsMeanwhile(run.ctx, account.provider_id, account.readAt)
  let credential = await callCredentialOf(run, account, { after401: false })
  const done = { once: false, refreshed: false }
  for (;;) {
    if ("fault" in credential) return { kind: "out" }
    const accounts = modelAccounts(account, credential)
    const beganAt = run.time.now
    const { came, headers, barred, isFree } = await callWithin(run, {
      agent,
      call,
      stream,
      changes,
      accounts,
      mayBegin,
    })
    if (barred) {
      run.route.drop([account.provider_id])
      return { kind: "out" }
    }
    const now = run.ctx.clock.now()
    const windows = headers ? windowsOf(headers, now) : []
    const error = isCut(came) && came.why instanceof ModelError && !came.answer?.text ? came.why : null
    const routedBy = (served: Served | null): RoutedCall => ({ came, served, beganAt, noted: !!error, isFree })
    const ended = (served: Served | null): Tried => ({ kind: "ended", routed: routedBy(served) })
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
        probe: account.probe || account.rejections > 0,
        windows: sayNews(windows, account.windows) ? windows : null,
      })
    }
    const { fault, coolUntil, suspended } = faultOf(error, account, windows, now)
    noteFailure(run, account, fault, error)
    // The request is the cause, so no other account is asked.
    if (error.refusal?.tooLong) return inVain()
    const reaction = REACTIONS[fault]
    if (reaction.failover === "compare") {
      await release()
      // A call that has used tokens is not repeated.
      if (isCut(came) && came.answer) return ended(null)
      return { kind: "rejected", account: { ...account, ...credential.from }, routed: routedBy(null) }
    }
    if (isCut(came) && came.answer) await asked.lost(came.answer)
    if (reaction.again === "once" && !done.once) {
      done.once = true
      continue
    }
    if (reaction.again === "refreshed" && !done.refreshed && account.kind !== "api_key") {
      done.refreshed = true
      const refused = credential.credential_version
      credential = await callCredentialOf(run, { ...account, ...credential.from }, { after401: true })
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
