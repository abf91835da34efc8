import { neonConfig } from "@neondatabase/serverless"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { WORKER_ROLES } from "../../src/ops/grants.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { SETTINGS } from "../../src/settings/registry.ts"
import { createPerson } from "../harness/auth.ts"
import { signInAdmin } from "../harness/books.ts"
import { workerRoles } from "../harness/worker-roles.ts"
import { createWorld, type World } from "../harness/world.ts"

/** Checks what a worker's role can do with all data that it can read and all procedures that it may call. */
let world: World
let owner: Awaited<ReturnType<World["signIn"]>>
let admin: Awaited<ReturnType<World["signIn"]>>
beforeAll(async () => {
  world = await createWorld({ isNew: true })
  const { userId } = await createPerson(world, { password: "nine tall cranes" })
  // A session in a new place raises an event in the feed, unless the account is new too.
  await world.sql("update users set created_at = $1", [new Date(world.clock.ms() - 7 * 86_400_000).toISOString()])
  admin = await signInAdmin(world)
  owner = await world.signIn(userId)
  await admin.json("POST", `/api/admin/users/${userId}/act-as`)
})
beforeEach(() => {
  neonConfig.fetchEndpoint = world.env.DATABASE_HTTP_URL as string
})
afterAll(() => world.close())

const { sqlOf, roleOf, callAsWorker, caller, atNow } = workerRoles(() => world)

/** Every text that a role can read in any table, also within JSON, and bytes as hex. */
async function readable(worker: string): Promise<string[]> {
  const tables = await world.sql<{ name: string; columns: string }>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ') as columns from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
       and has_column_privilege($1, c.oid, a.attnum, 'select') group by c.relname`,
    [roleOf(worker)],
  )
  const found = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === "string") found.add(value.replace(/^\\x/, ""))
    else if (value !== null && typeof value === "object") Object.values(value).forEach(collect)
  }
  const rows = await Promise.all(
    tables.map(({ name, columns }) =>
      sqlOf(worker).query(`select to_jsonb(t) as row from (select ${columns} from ${name}) t`),
    ),
  )
  rows.forEach(collect)
  return [...found]
}

test.each(WORKER_ROLES)("No value that the role of %s can read is accepted as a caller", async (worker) => {
  const sql = sqlOf(worker)
  const found = await readable(worker)
  const accepted = (kind: string, tokens: string[]) =>
    sql.query(
      `select v as token from jsonb_array_elements_text($2::jsonb) v
       where (${RELEASE}.act_as(jsonb_populate_record(null::${RELEASE}.request, jsonb_build_object(
         'kind', $1::text, 'token', v, 'test', false, 'moment', $3::timestamptz)))).user_id is not null`,
      [kind, JSON.stringify(tokens), atNow().moment],
    )
  const hex = found.filter((value) => /^[0-9a-f]{64}$/.test(value))
  expect(await accepted("session", found)).toEqual([])
  expect(await accepted("key", hex)).toEqual([])
  expect(await accepted("session", [owner.token]), "the token itself").toEqual([{ token: owner.token }])
  // Session ids may be read: they appear in lists, events and the audit log.
  const shown = { v1: owner.sessionId, account: owner.sessionId, admin: admin.sessionId, all: owner.sessionId }
  if (worker in shown) expect(found).toContain(shown[worker as keyof typeof shown])
})

/**
 * The amounts, prices and plans that procedures accept, each with the reason why the database
 * cannot know them.
 */
const TAKEN_AMOUNTS: Record<string, string> = {
  "accept_turn p_asked.default_hold": "bounds one turn of the caller, out of their own balance",
  "begin_comparison p_days": "a number of days; books nothing",
  "change_users p_act.amount": "an admin's act with a fresh proof, audited",
  "change_users p_act.plan": "an admin's act with a fresh proof; it names a plan of the setting",
  "check_turn p_asked.default_hold": "bounds one turn of the caller, out of their own balance",
  "accept_turn p_asked.max_cost": "the caller's own wish, which bounds what they pay",
  "check_turn p_asked.max_cost": "the caller's own wish, which bounds what they pay",
  "count_turns p_filter.min_cost": "a filter of the caller's own turns, or an admin's; writes nothing",
  "create_subscription p_subscription.plan": "an admin's act with a fresh proof; it names a plan of the setting",
  "credit_end_user p_amount":
    "credit that the caller gives to their own end user; the caller's balance does not change",
  "estimate_turn p_asked.default_hold": "as of accept_turn; writes nothing",
  "estimate_turn p_asked.max_cost": "as of accept_turn; writes nothing",
  "find_turns p_filter.min_cost": "as of count_turns",
  "grant_credit p_amount": "an admin's act with a fresh proof, audited",
  "grow_hold p_micros": "bounded by the turn's max_cost_usd, the balance and all caps",
  "ledger_range p_daily": "a number of days; writes nothing",
  "list_customers p_days": "the length of a trend; writes nothing",
  "note_loss p_micros": "books a loss of the operator, no balance changes",
  "note_lost_picture p_micros": "books a loss of the operator, no balance changes",
  "preview_users_change p_act.amount": "everything is undone",
  "preview_users_change p_act.plan": "everything is undone",
  "put_account_limits p_daily": "the caller's own limits",
  "put_account_limits p_monthly": "the caller's own limits",
  "put_budget p_amount": "the caller's own budget, which only tells",
  "put_end_user_billing p_keeps_price": "no amount: whether the price stays",
  "put_end_user_billing p_price": "the name of one of the caller's own prices",
  "put_end_user_defaults p_price": "as of put_end_user_billing",
  "put_end_user_limits p_daily": "limits of the caller's own end users",
  "put_end_user_limits p_monthly": "limits of the caller's own end users",
  "put_members_limit p_daily": "a limit of the caller's own space, with a fresh proof",
  "put_model_prices p_prices": "an admin's act on the catalog, audited; a turn keeps the prices of its acceptance",
  "put_price p_price": "what the caller charges their own end users; the caller's bill does not change",
  "put_retention p_days": "no amount: how long the caller keeps the data of their own space",
  "quote_infra_slice p_gib_hour": "writes nothing",
  "raise_limit p_max_cost": "the limit of the caller's own turn; its hold is still taken from what the caller has",
  "raise_any_limit p_max_cost":
    "an admin's act on the limit of a turn; its hold is taken from what the turn's account has",
  "start_turn p_asked.default_hold": "as of accept_turn",
  "start_turn p_asked.max_cost": "as of accept_turn",
  "tell_budget p_amount": "must be the account's budget; no balance changes",
}

test("Procedures take amounts, prices and plans from the database, except those that only the caller can know", async () => {
  const taken = await world.sql<{ one: string }>(
    `with taken as (
       select p.proname, a.name, a.type from pg_proc p,
         unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes) a(type, name, mode)
       where p.pronamespace = $1::regnamespace and coalesce(a.mode, 'i') = 'i'
         and exists (select from unnest($3::text[]) r where has_function_privilege(r, p.oid, 'execute'))
     ), named as (
       select t.proname, t.name from taken t
       union all select t.proname, t.name || '.' || f.attname from taken t
         join pg_type y on y.oid = t.type and y.typtype = 'c' join pg_attribute f on f.attrelid = y.typrelid and f.attnum > 0
     ) select distinct proname || ' ' || name as one from named where name ~ $2 order by 1`,
    [
      RELEASE,
      "^p_.*(credit|amount|micros|plan|price|cost|hold|daily|monthly|gib|trial|days$)",
      WORKER_ROLES.map(roleOf),
    ],
  )
  expect(taken.map(({ one }) => one)).toEqual(Object.keys(TAKEN_AMOUNTS).sort())
})

test("A first sign-in that the role of auth reports books the credit of the settings, and no other amount", async () => {
  const person = {
    issuer: "messenger:turnpike",
    subject: "7",
    brand: "turnpike",
    name: "Ada",
    ref_code: null,
    ...atNow(),
  }
  const own = { signup_credit: 10 ** 16, most_credit: 10 ** 16 }
  await expect(callAsWorker("auth", "sign_in_messenger", { ...person, ...own })).rejects.toMatchObject({
    code: "42883",
  })
  const { user_id } = await callAsWorker("auth", "sign_in_messenger", person)
  const booked = await world.sql("select reason, amount_credit_micros as micros from ledger where user_id = $1", [
    user_id,
  ])
  expect(booked).toEqual([{ reason: "signup_credit", micros: String(SETTINGS.signup_credit_micros.default) }])
  const trials = await world.sql(
    "select plan, trial, ends_at - starts_at = $2::interval as usual from subscriptions where user_id = $1",
    [user_id, `${SETTINGS.trial_days.default} days`],
  )
  expect(trials).toEqual([{ plan: SETTINGS.trial_plan.default, trial: true, usual: true }])
})

test("The role of admin books no credit without the token of an admin who has just confirmed their identity", async () => {
  const credit = { user_id: owner.userId, reason: "admin_grant", amount: 10 ** 9, once_key: "a", note: "mine" }
  const grant = (token: string) => callAsWorker("admin", "grant_credit", { ...caller(token), ...credit })
  expect(await grant(admin.sessionId)).toMatchObject({ actor: null, booking: null })
  expect(await grant(owner.token)).toMatchObject({ refused: "admin", booking: null })
  await world.sql("update sessions set proved_at = $1 where session_id = $2", [
    new Date(world.clock.ms() - 3_600_000).toISOString(),
    admin.sessionId,
  ])
  expect(await grant(admin.token)).toMatchObject({ refused: "proof", booking: null })
})

test("The role of auth cannot renew a proof without the hash of the user's password", async () => {
  const before = await world.sql("select proved_at from sessions where session_id = $1", [owner.sessionId])
  const nothing = { secret: null, step: null, recovery_hash: null, resealed: null }
  const given = { ...caller(owner.token), ...nothing, password_hash: "scrypt$1" }
  expect(await callAsWorker("auth", "prove_again", given)).toMatchObject({ refused: "password" })
  expect(await callAsWorker("auth", "prove_again", { ...given, password_hash: null })).toMatchObject({
    refused: "password",
  })
  expect(await world.sql("select proved_at from sessions where session_id = $1", [owner.sessionId])).toEqual(before)
})

test.each(["v1", "account", "admin", "callbacks"])(
  "The role of %s cannot end turns of an account, key, space or end user that is still active",
  async (worker) => {
    const client = await world.createAccount()
    const sent = await client.sendTurn({ space: await client.space() })
    const { turn_id } = (await sent.json()) as { turn_id: string }
    const [turn] = await world.sql<{ key_id: string; space_id: number }>(
      "select key_id, space_id from turns where turn_id = $1",
      [turn_id],
    )
    const { moment } = atNow()
    for (const cause of ["user", "key", "space", "end_user", "expired", null]) {
      const { touched } = await callAsWorker(worker, "end_turns", {
        cause,
        user_id: client.userId,
        test: false,
        key_id: turn?.key_id,
        space_id: turn?.space_id,
        end_user: "customer-1",
        until: moment,
        event_ids: JSON.stringify(["evt_1"]),
        limit: 1,
        moment,
      })
      expect(touched, String(cause)).toEqual([])
    }
    if (worker !== "callbacks") {
      const expired = { user_id: client.userId, event_ids: JSON.stringify(["evt_1"]), limit: 1, moment }
      await expect(callAsWorker(worker, "end_expired", expired)).rejects.toMatchObject({ code: "42501" })
    }
    expect((await client.getTurn(turn_id)).state).toBe("queued")
  },
)
