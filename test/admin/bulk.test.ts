import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { join } from "../harness/account-people.ts"
import { createPerson } from "../harness/auth.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const PATH = "/api/admin/users/bulk"
const GRANT = { kind: "credit", reason: "admin_grant", amount_usd: 5 }

let world: World
let admin: Admin
let [ada, ben]: [number, number] = [0, 0]
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  await admin.json("PUT", "/api/admin/settings", {
    key: "plans",
    value: { pro: { label: "Pro", included_credit_usd: 20 } },
  })
})
beforeEach(async () => {
  ;[ada, ben] = [(await createPerson(world)).userId, (await createPerson(world)).userId]
})
afterAll(() => world.close())

interface Answer {
  code?: string
  bulk_id: string
  state: string
  changed: number
  items: { user_id: number; outcome: string; code: string | null; sub_id: number | null }[]
}

const preview = async (act: object, user_ids: number[]) => {
  const [status, answer] = await admin.json("POST", `${PATH}/preview`, { act, user_ids })
  expect([status, answer.bulk_id], JSON.stringify(answer)).toEqual([200, null])
  return answer
}
const apply = async (body: object, key: string = crypto.randomUUID(), by = admin) => {
  const response = await by.call("POST", PATH, { note: "For the outage.", ...body }, { "idempotency-key": key })
  return { status: response.status, headers: response.headers, answer: (await response.json()) as Answer }
}
const balances = async (ids: number[]) =>
  (
    await world.sql<{ usd: number }>(
      `select coalesce(w.balance_credit_micros, 0) / 1e7::float8 as usd
       from unnest($1::bigint[]) with ordinality i(id, place) left join wallets w on w.user_id = i.id order by i.place`,
      [ids],
    )
  ).map(({ usd }) => usd)
const entries = async (subject: string) =>
  world.sql<{
    action: string
    actor: number
    after: { outcomes: { user_id: number }[]; note: string }
  }>(
    "select action, actor_user_id::int as actor, after from audit_log where subject_type = 'bulk' and subject_id = $1",
    [subject],
  )
const audited = async () => Number((await world.sql<{ count: string }>("select count(*) from audit_log"))[0]?.count)
const outcomes = (answer: Pick<Answer, "items">) =>
  answer.items.map(({ user_id, outcome, code }) => [user_id, outcome, code])

describe("Credit for many users", () => {
  test("A preview says what each user gets and changes nothing; the act does it with one audit entry", async () => {
    const before = await audited()
    const seen = await preview(GRANT, [ben, ada, ada, 999_999_999])
    expect(seen).toMatchObject({ changed: 2, unchanged: 0, refused: 1 })
    expect(seen.items).toMatchObject([
      { user_id: ada, outcome: "changed", code: null, balance_before_usd: 0, balance_after_usd: 5 },
      { user_id: ben, outcome: "changed", balance_after_usd: 5 },
      { user_id: 999_999_999, outcome: "refused", code: "NOT_FOUND", balance_after_usd: null },
    ])
    expect([await balances([ada, ben]), await audited()]).toEqual([[0, 0], before])
    const done = await apply({ act: GRANT, user_ids: [ben, ada, 999_999_999], state: seen.state })
    expect([done.status, outcomes(done.answer)]).toEqual([200, outcomes(seen)])
    expect([await balances([ada, ben]), await audited()]).toEqual([[5, 5], before + 1])
    const [entry] = await entries(done.answer.bulk_id)
    expect(entry).toMatchObject({ action: "users.credit", actor: admin.userId, after: { note: "For the outage." } })
    expect(entry?.after.outcomes.map(({ user_id }) => user_id)).toEqual([ada, ben, 999_999_999])
    const history = async (id: number) =>
      (await admin.json("GET", `/api/admin/audit?changed_user_id=${id}`))[1].items.map(
        ({ subject_id }: { subject_id: string }) => subject_id,
      )
    expect([await history(ada), await history(999_999_999)]).toEqual([[done.answer.bulk_id], []])
    const [, energy] = await admin.json("GET", `/api/admin/users/${ada}/energy`)
    expect(energy.ledger.items[0]).toMatchObject({ reason: "admin_grant", amount_usd: 5, note: "For the outage." })
  })

  test("A retry with the same key credits no user again and returns the first response", async () => {
    const { state } = await preview(GRANT, [ada, ben])
    const body = { act: GRANT, user_ids: [ada, ben], state }
    const key = crypto.randomUUID()
    const first = await apply(body, key)
    const before = await audited()
    const again = await apply(body, key)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    expect(again.answer).toEqual(first.answer)
    expect([await balances([ada, ben]), await audited()]).toEqual([[5, 5], before])
    expect(await apply({ ...body, user_ids: [ada] }, key)).toMatchObject({
      status: 422,
      answer: { detail: [{ type: "idempotency_key_reused" }] },
    })
    // The key is forgotten after some days, but not the reference of the entries.
    await world.sql("delete from idempotency_keys where key = $1", [key])
    const later = await preview(GRANT, [ada, ben])
    expect((await apply({ ...body, state: later.state }, key)).answer.code).toBe("PREVIEW_OUTDATED")
    expect(await balances([ada, ben])).toEqual([5, 5])
  })

  test("An act is applied once from a preview, also by concurrent requests with keys of their own", async () => {
    const { state } = await preview(GRANT, [ada, ben])
    const body = { act: GRANT, user_ids: [ada, ben], state }
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply(body)))
    const codes = answers.map(({ status, answer }) => (status === 200 ? "done" : answer.code)).sort()
    expect(codes).toEqual([...Array(4).fill("PREVIEW_OUTDATED"), "done"])
    expect(await balances([ada, ben])).toEqual([5, 5])
    const key = crypto.randomUUID()
    const next = { ...body, state: (await preview(GRANT, [ada, ben])).state }
    const same = await Promise.all(Array.from({ length: 5 }, () => apply(next, key)))
    expect(same.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(new Set(same.map(({ answer }) => answer.bulk_id)).size).toBe(1)
    expect(await balances([ada, ben])).toEqual([10, 10])
  })

  test("A correction is refused for users without enough credit, and done for the others", async () => {
    const granted = await preview(GRANT, [ada])
    await apply({ act: GRANT, user_ids: [ada], state: granted.state })
    const act = { kind: "credit", reason: "admin_action", amount_usd: -3 }
    const seen = await preview(act, [ada, ben])
    expect(outcomes(seen)).toEqual([
      [ada, "changed", null],
      [ben, "refused", "BALANCE_TOO_LOW"],
    ])
    // The other user can pay it now, so the act is no longer the one that was seen.
    const one = await preview(GRANT, [ben])
    await apply({ act: GRANT, user_ids: [ben], state: one.state })
    const body = { act, user_ids: [ada, ben] }
    expect(await apply({ ...body, state: seen.state })).toMatchObject({
      status: 409,
      answer: { code: "PREVIEW_OUTDATED" },
    })
    expect(await balances([ada, ben])).toEqual([5, 5])
    const { status } = await apply({ ...body, state: (await preview(act, [ada, ben])).state })
    expect([status, await balances([ada, ben])]).toEqual([200, [2, 2]])
  })
})

describe("A plan for many users", () => {
  const act = { kind: "plan", plan: "pro" }

  test("Users get the plan, users with an active plan are refused, and the sweep books the credit once", async () => {
    await admin.json("POST", "/api/admin/subscriptions", { user_id: ada, plan: "pro" })
    await world.settled()
    const seen = await preview(act, [ada, ben])
    expect(seen.items).toMatchObject([
      { user_id: ada, outcome: "refused", code: "SUBSCRIPTION_ACTIVE", sub_id: expect.any(Number), plan: "pro" },
      { user_id: ben, outcome: "changed", sub_id: null, plan: "pro" },
    ])
    const done = await apply({ act, user_ids: [ada, ben], state: seen.state })
    expect(done).toMatchObject({ status: 200, answer: { changed: 1, refused: 1 } })
    await world.sweep()
    expect(await balances([ada, ben])).toEqual([20, 20])
    const [, subscription] = await admin.json("GET", `/api/admin/subscriptions/${done.answer.items[1]?.sub_id}`)
    expect(subscription).toMatchObject({ user_id: ben, plan: "pro", note: "For the outage.", trial: false })
    expect((await entries(done.answer.bulk_id)).map(({ action }) => action)).toEqual(["users.plan"])
  })

  test("A plan that is no plan, or that has ended, is refused for all", async () => {
    const ended = { ...act, ends_at: new Date(world.clock.ms() - 1).toISOString() }
    for (const wrong of [{ ...act, plan: "nothing" }, ended])
      expect(await admin.json("POST", `${PATH}/preview`, { act: wrong, user_ids: [ada] })).toMatchObject([
        422,
        { detail: [{ loc: ["body", "act", wrong === ended ? "ends_at" : "plan"] }] },
      ])
  })
})

describe("Disabling many users", () => {
  const act = { kind: "disable" }

  test("Accounts are disabled, a disabled one stays as it is, and the last admin who can sign in is refused", async () => {
    await admin.json("PUT", `/api/admin/users/${ben}`, { disabled: true })
    const admins = (await world.sql<{ id: number }>("select user_id::int as id from users where role = 'admin'")).map(
      ({ id }) => id,
    )
    const ids = [...admins, ada, ben]
    const seen = await preview(act, ids)
    expect(seen.items.filter(({ code }: { code: string }) => code === "LAST_ADMIN")).toHaveLength(1)
    expect(outcomes(seen)).toEqual(
      expect.arrayContaining([
        [ada, "changed", null],
        [ben, "unchanged", null],
      ]),
    )
    const done = await apply({ act, user_ids: [ada, ben], state: (await preview(act, [ada, ben])).state })
    expect(outcomes(done.answer)).toEqual([
      [ada, "changed", null],
      [ben, "unchanged", null],
    ])
    expect((await admin.json("GET", `/api/admin/users/${ada}`))[1].disabled_at).not.toBeNull()
    const before = await audited()
    const nothing = await apply({ act, user_ids: [ada, ben], state: (await preview(act, [ada, ben])).state })
    expect([nothing.status, nothing.answer.bulk_id, nothing.answer.changed]).toEqual([200, null, 0])
    expect(await audited()).toBe(before)
  })

  test("The user with whom the last owner of an account is disabled names the account, in the preview and the answer", async () => {
    const { userId: account } = await createPerson(world)
    await world.sql("update users set name = 'Acme' where user_id = $1", [account])
    for (const owner of [ada, ben]) await join(world, account, owner, "owner")
    await world.sql("update users set own_role = 'developer' where user_id = $1", [account])
    const named = ({ items }: { items: { user_id: number; only_owner_of?: object[] }[] }) =>
      items.map(({ user_id, only_owner_of }) => [user_id, only_owner_of])
    expect(named(await preview(act, [ada]))).toEqual([[ada, []]])
    const seen = await preview(act, [ada, ben])
    const both = [
      [ada, []],
      [ben, [{ user_id: account, name: "Acme" }]],
    ]
    expect(named(seen)).toEqual(both)
    expect(named((await apply({ act, user_ids: [ada, ben], state: seen.state })).answer)).toEqual(both)
  })
})

test("An act needs an admin, a key, a note, a state and at most 500 users", async () => {
  const body = { act: GRANT, user_ids: [ada], state: "x" }
  expect((await admin.json("POST", PATH, { ...body, note: "x" }))[1].code).toBe("IDEMPOTENCY_KEY_REQUIRED")
  for (const wrong of [
    { note: "" },
    { state: "" },
    { user_ids: [] },
    { user_ids: Array.from({ length: 501 }, (_, at) => at + 1) },
    { act: { ...GRANT, amount_usd: -1 } },
    { act: { kind: "enable" } },
  ])
    expect((await apply({ ...body, ...wrong })).status, JSON.stringify(wrong).slice(0, 60)).toBe(422)
  const unproved = await world.signIn(admin.userId)
  await world.advance(11 * 60_000)
  expect((await apply(body, "k", unproved as Admin)).answer.code).toBe("REAUTHENTICATION_REQUIRED")
  expect((await unproved.json("POST", `${PATH}/preview`, { act: GRANT, user_ids: [ada] }))[0]).toBe(200)
  const person = await world.signIn(ada)
  expect((await apply(body, "k", person as Admin)).answer.code).toBe("ADMIN_REQUIRED")
  expect((await person.json("POST", `${PATH}/preview`, { act: GRANT, user_ids: [ada] }))[1].code).toBe("ADMIN_REQUIRED")
})

test("An act on 500 users is one transaction, and the books agree", async () => {
  const ids = (
    await world.sql<{ id: number }>(
      `insert into users (name, brand, role, created_at, updated_at)
       select 'Many', brand, 'user', created_at, updated_at from users, generate_series(1, 500) where user_id = $1
       returning user_id::int as id`,
      [ada],
    )
  ).map(({ id }) => id)
  const { state, changed } = await preview(GRANT, ids)
  expect(changed).toBe(500)
  expect((await apply({ act: GRANT, user_ids: ids, state })).answer.changed).toBe(500)
  expect(new Set(await balances(ids))).toEqual(new Set([5]))
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})
