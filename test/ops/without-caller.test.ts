import { neonConfig } from "@neondatabase/serverless"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { WORKER_ROLES } from "../../src/ops/grants.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { recordText } from "../../src/platform/records.ts"
import { createPerson } from "../harness/auth.ts"
import { createFileClient } from "../harness/files.ts"
import { laterTool, sendUntilItWaits, serveTools } from "../harness/waiting.ts"
import { workerRoles } from "../harness/worker-roles.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let owner: Awaited<ReturnType<World["signIn"]>>
beforeAll(async () => {
  world = await createWorld({ failing: /^(23514 keep_statement|42501 note_signing_keys)$/ })
  owner = await world.signIn((await createPerson(world)).userId)
})
beforeEach(() => {
  neonConfig.fetchEndpoint = world.env.DATABASE_HTTP_URL as string
})
afterAll(() => world.close())

const { sqlOf, roleOf, callAsWorker, caller, atNow } = workerRoles(() => world)

/**
 * The procedures without a caller that may write and that a worker of people and keys may call, each with what keeps a
 * role from abusing it. The worker of the queue runs turns and sweeps, so it is not listed.
 */
const READS = "reads what the role may read anyway"
const OF_SIGN_INS = "the worker of sign-ins decides who signs in (SECURITY.md)"
const OF_LOGINS = "needs the version of a provider account's login, which only moves forward"
const SEALS = "replaces a sealed value only by its exact old value"
const WITHOUT_CALLER: Record<string, string> = {
  bill_infra_slice: "computes the bills of a run that an admin has started",
  check_slice: "compares the books, and stores what it finds itself",
  claim_refresh: OF_LOGINS,
  complete_session: "needs the token of a session that waits for its second factor",
  contain_lost: OF_LOGINS,
  credit_subscription: "takes plan, credit and periods from the rows; a period is credited once",
  deliver_by_token: "needs the token whose hash the call's step or its result has",
  due_accounts: "reads whose waiting turns may continue",
  end_session: "needs the session's token",
  end_sessions_of_identity: OF_SIGN_INS,
  end_turns: "the rows must confirm the cause",
  fail_refresh: OF_LOGINS,
  fold_shards: "moves sums within an account; they stay the same",
  forget_discarded: "deletes rows of files that their owner has deleted",
  keep_login: OF_LOGINS,
  keep_statement: "reads amounts, times and counts from the rows",
  note_board: OF_SIGN_INS,
  note_book: "needs the number of a claim of the day; findings change no amount",
  note_book_failure: "as note_book",
  note_erased: "the rows must confirm that the data is gone",
  note_objects_removed: "only objects that an erasure has recorded",
  note_removed_files: "only files that are deleted",
  note_slice: "stores how far a check of the books has come",
  pool_capacity: READS,
  post_charges: "books charges that settlements have stored",
  redact_turns: "redacts what an erasure covers, which a key or an owner has asked for",
  repair_finding: "computes the repair of a finding from the books",
  reseal_brand: SEALS,
  reseal_environment: SEALS,
  reseal_provider: SEALS,
  reseal_signing_secret: SEALS,
  join_as_new: OF_SIGN_INS,
  reset_password: OF_SIGN_INS,
  resolve_identity: OF_SIGN_INS,
  save_refresh: OF_LOGINS,
  sign_in_messenger: OF_SIGN_INS,
  start_session: OF_SIGN_INS,
  tell_locked: OF_SIGN_INS,
  wake_account: "tries waiting turns; each continues only if its limit has room",
  wake_endpoints: "wakes what is due; a wake changes no delivery",
}

test("Each procedure without a caller that may write has a reason why a role cannot abuse it", async () => {
  const found = await world.sql<{ name: string }>(
    `select distinct p.proname as name from pg_proc p
     where p.pronamespace = $1::regnamespace and p.provolatile = 'v'
       and not coalesce('p_request' = any (p.proargnames), false)
       and exists (select from unnest($2::text[]) r where has_function_privilege(r, p.oid, 'execute')) order by 1`,
    [RELEASE, WORKER_ROLES.filter((worker) => worker !== "callbacks" && worker !== "all").map(roleOf)],
  )
  expect(found.map(({ name }) => name)).toEqual(Object.keys(WITHOUT_CALLER).sort())
})

test("The role of v1 cannot send a result for a call without the token that its request carried", async () => {
  const customer = serveTools(world)
  const client = await world.createAccount()
  const space = await client.space({ tools: [laterTool()] })
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: "[call print {}]" })
  const token = customer.requests[0]?.headers["turnpike-result-token"]
  const output = JSON.stringify({ type: "text", value: "forged" })
  const deliver = (given: string | null, call = 0) => {
    const sent = recordText("sent_answer", { turn_id, step: 0, call, fingerprints: ["f"] })
    const once = { once_key: null, fingerprint: null }
    return callAsWorker("v1", "deliver_by_token", {
      token: given,
      ...once,
      sent,
      output,
      event_id: "evt_1",
      ...atNow(),
    })
  }
  const noted = await sqlOf("v1").query("select result_tokens from turn_steps where turn_id = $1", [turn_id])
  const [hash = ""] = (noted as { result_tokens: string[] }[])[0]?.result_tokens ?? []
  for (const given of [null, "", "crt_forged", hash, hash.split(" ")[1] ?? ""]) {
    expect(await deliver(given), String(given)).toMatchObject({ outcome: "unknown", turn: null })
  }
  expect(await deliver(token ?? "", 1)).toMatchObject({ outcome: "unknown" })
  expect((await client.getTurn(turn_id)).state).toBe("running")
  expect(await deliver(token ?? "")).toMatchObject({ outcome: "taken" })
})

test.each(["v1", "account"])(
  "The role of %s changes no amount of a statement, and closes none that is not complete",
  async (worker) => {
    const client = await world.createAccount()
    await client.runTurn({ space: await client.space(), text: "[use input=1000 output=1000]" })
    const month = `${new Date(world.clock.ms()).toISOString().slice(0, 7)}-01`
    await world.sql("insert into statements (user_id, month, created_at) values ($1, $2, $3)", [
      client.userId,
      month,
      world.clock.now().toISOString(),
    ])
    const keep = (digests: string[], pages = 0) =>
      callAsWorker(worker, "keep_statement", { user_id: client.userId, month, pages, digests, ...atNow() })
    const [turn] = await world.sql<{ billed: string }>(
      "select billed_credit_micros::text as billed from turns where user_id = $1",
      [client.userId],
    )
    const billed = Number(turn?.billed)
    expect(billed).toBeGreaterThan(0)
    await expect(keep(["forged"])).rejects.toMatchObject({ code: "23514" })
    expect(await keep([])).toMatchObject({ receipts: 0, charged_credit_micros: 0, ledger_id: null, closed_at: null })
    const many = await keep(["a".repeat(64), "b".repeat(64), "c".repeat(64)], 1)
    expect(many).toMatchObject({ receipts: 1, charged_credit_micros: billed, refunds: 0, closed_at: null })
    expect(await keep([], 2)).toMatchObject({ receipts: 1, charged_credit_micros: billed, other_credit_micros: 0 })
    const other = { user_id: client.userId, month: "2020-01-01", pages: 0, digests: [], ...atNow() }
    expect(await callAsWorker(worker, "keep_statement", other)).toMatchObject({ user_id: null })
  },
)

test.each(["v1", "account"])(
  "The role of %s redacts nothing that no erasure covers, and gives up no file",
  async (worker) => {
    const client = await world.createAccount()
    const space = await client.space()
    const { turn_id } = await client.runTurn({ space, text: "keep me" })
    const { file_id: file } = await createFileClient(world, client).add(space)
    const redact = { erasure_id: "era_mine", most_turns: 10, most_events: 1000, ...atNow() }
    expect(await callAsWorker(worker, "redact_turns", redact)).toBe(0)
    for (const stranger of [caller("00".repeat(32), "key"), caller(owner.token)]) {
      const given = { ...stranger, file_id: file, keep_ready: false }
      expect(await callAsWorker(worker, "give_up_upload", given)).toMatchObject({ given_up: false })
    }
    expect(await client.getTurn(turn_id)).toMatchObject({ text: "keep me" })
    const [row] = await world.sql("select state from files where file_id = $1", [file])
    expect(row).toEqual({ state: "ready" })
  },
)

test.each(WORKER_ROLES)("The role of %s cannot publish a key that signs receipts", async (worker) => {
  const key = { public_keys: ["A".repeat(43)], purpose: "receipts", ...atNow() }
  await expect(callAsWorker(worker, "note_signing_keys", key)).rejects.toMatchObject({ code: "42501" })
})
