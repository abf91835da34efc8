import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SessionCredential } from "../../src/actor/actor.ts"
import { ENDING_POLICY } from "../../src/ending/causes.ts"
import { TOKEN_POLICY } from "../../src/sign-in/policies.ts"
import { mintMagicLink } from "../../src/sign-in/sign-in-token.ts"
import { changeUser, changeUserAsSystem, type UserChange } from "../../src/users/change-user.ts"
import { askAuth, authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { enrol } from "../harness/second-factor.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function admin() {
  const { userId } = await createPerson(world, { role: "admin" })
  const { token, context } = await world.signIn(userId)
  const credential: SessionCredential = { kind: "session", token, test: false }
  const change = (id: number, what: UserChange) => changeUser(context, credential, id, what)
  return { userId, change }
}

const audit = (userId: number) =>
  world.sql(
    "select action, actor_user_id::int as actor, before, after from audit_log where subject_id = $1 order by audit_id",
    [String(userId)],
  )

describe("Disabling an account", () => {
  test("Disabling an account ends its turns, frees their holds, and bills the completed work", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const browser = await world.signIn(client.userId)
    const running = await turnOf(await client.sendTurn({ space, text: "[steps 2]\n[think 35000 ms]" }))
    const working = world.drain()
    await world.clock.sleeping(1, 35_000)
    const queued = await turnOf(await client.sendTurn({ space, end_user_ref: "two" }))
    const [, chat] = await browser.json("POST", "/api/account/chat/turns", { space, text: "hello" })
    // The command line disables the account, and the sweeper ends its turns.
    await changeUserAsSystem(authContextOf(world), client.userId, "disable")
    await world.sweep()
    await world.advance(35_000)
    await working
    await world.drain()
    const turns = await world.sql("select turn_id, state, status_reason, billed_credit_micros > 0 as billed from turns")
    const ended = { state: "cancelled", status_reason: "account_disabled" }
    expect(turns).toEqual(
      expect.arrayContaining([
        { turn_id: running.turn_id, ...ended, billed: true },
        { turn_id: queued.turn_id, ...ended, billed: false },
        { turn_id: chat.turn_id, ...ended, billed: false },
      ]),
    )
    await expectPromises(world, client.userId)
    const ending = () => world.sql("select 1 from users where ending_turns")
    expect(await ending()).toHaveLength(1)
    await world.advance(ENDING_POLICY.settlesMs)
    await world.sweep()
    expect(await ending()).toHaveLength(0)
  })

  test("A disable that races with acceptances leaves no open turn, and the books agree", async () => {
    const { change } = await admin()
    for (let round = 0; round < 20; round++) {
      const client = await world.createAccount({ usd: 2 })
      const space = await client.space()
      const send = (n: number) => client.sendTurn({ space, end_user_ref: `c${n % 3}`, max_cost_usd: 0.1 })
      await Promise.all([0, 1, 2].map(send))
      const [, ...answers] = await Promise.all([change(client.userId, "disable"), ...[3, 4, 5, 6].map(send)])
      for (const { status } of answers) expect([202, 401]).toContain(status)
      await world.settled()
      await world.sweep()
      const open = await world.sql("select 1 from turns where user_id = $1 and state = 'queued'", [client.userId])
      expect(open).toEqual([])
      await expectBooks(world, client.userId)
    }
  })

  test("Disabling stops the account's webhooks, which continue when it is enabled; endpoints that were disabled stay disabled", async () => {
    const { change } = await admin()
    const client = await world.createAccount()
    const hook = async (name: string) => {
      const made = await client.call("POST", "/v1/webhooks", { url: `https://hooks.customer.com/${name}` })
      return ((await made.json()) as { webhook_id: string }).webhook_id
    }
    const [on, off] = [await hook("on"), await hook("off")]
    await client.call("PATCH", `/v1/webhooks/${off}`, { enabled: false })
    await client.sendTurn({ space: await client.space() })
    await change(client.userId, "disable")
    await world.settled()
    await world.sweep()
    const deliveries = await world.sql(
      "select distinct state, status_reason from webhook_deliveries where webhook_id = $1",
      [on],
    )
    expect(deliveries).toEqual([{ state: "failed", status_reason: "account_disabled" }])
    await change(client.userId, "enable")
    const read = async (id: string) => (await client.call("GET", `/v1/webhooks/${id}`)).json()
    expect(await read(on)).toMatchObject({ enabled: true, disabled_reason: null })
    expect(await read(off)).toMatchObject({ enabled: false, disabled_reason: "customer" })
  })

  test("A disabled account cannot sign in by password, earlier token or any session", async () => {
    const { change, userId: adminId } = await admin()
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const browser = await world.signIn(userId)
    const [, { token }] = await browser.json("POST", "/api/auth/app-token")
    const link = await mintMagicLink(authContextOf(world), { userId, origin: "https://app.test/x" })
    await change(userId, "disable")
    expect((await postLogin(world, email, PASSWORD)).answer.code).toBe("INVALID_CREDENTIALS")
    const magic = link.url.split("#token=")[1] as string
    for (const one of [token, magic]) {
      const { status, answer, headers } = await askAuth(world, "/api/auth/magic", { body: { token: one } })
      expect([status, answer.code, headers.get("set-cookie")]).toEqual([401, "INVALID_TOKEN", null])
    }
    await expect(mintMagicLink(authContextOf(world), { userId, origin: "https://app.test" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    })
    await change(userId, "enable")
    expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(401)
    await world.sql("update users set role = 'admin' where user_id = $1", [userId])
    expect(await audit(userId)).toEqual([
      {
        action: "user.disable",
        actor: adminId,
        before: { role: "user", disabled_at: null },
        after: { role: "user", disabled_at: expect.any(String) },
      },
      { action: "user.enable", actor: adminId, before: expect.anything(), after: { role: "user", disabled_at: null } },
    ])
  })
})

describe("A magic link", () => {
  test("A magic link opens the dashboard with its token hidden from servers, and starts one session within 10 minutes", async () => {
    const { userId } = await createPerson(world)
    const make = async () => (await mintMagicLink(authContextOf(world), { userId, origin: "https://app.test/x" })).url
    const [used, late] = [await make(), await make()]
    expect(used).toMatch(/^https:\/\/app\.test\/magic#token=[\w-]{43}$/)
    const exchange = (url: string) => askAuth(world, "/api/auth/magic", { body: { token: url.split("=")[1] } })
    await world.advance(TOKEN_POLICY.sign_in.ttlMs - 1)
    const answers = await Promise.all(Array.from({ length: 100 }, () => exchange(used)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await world.sql("select 1 from sessions where user_id = $1", [userId])).toHaveLength(1)
    await world.advance(1)
    expect((await exchange(late)).answer.code).toBe("INVALID_TOKEN")
  })
})

describe("Permission to change users", () => {
  test("Only a current admin can change a user, and a refused change leaves no audit entry", async () => {
    const { userId } = await createPerson(world)
    const { token, context } = await world.signIn((await createPerson(world)).userId)
    const credential: SessionCredential = { kind: "session", token, test: false }
    for (const change of ["disable", "enable", { role: "admin" }] as const) {
      await expect(changeUser(context, credential, userId, change)).rejects.toMatchObject({ code: "ADMIN_REQUIRED" })
    }
    expect(await audit(userId)).toEqual([])
    expect(await world.sql("select role, disabled_at from users where user_id = $1", [userId])).toEqual([
      { role: "user", disabled_at: null },
    ])
  })

  test("A repeated change has no further effect, and an unknown user is NOT_FOUND", async () => {
    const { change } = await admin()
    const { userId } = await createPerson(world)
    expect(await change(userId, { role: "admin" })).toMatchObject({ user_id: userId, role: "admin" })
    expect(await change(userId, { role: "admin" })).toMatchObject({ user_id: userId, role: "admin" })
    expect(await audit(userId)).toHaveLength(1)
    await expect(change(0, "disable")).rejects.toMatchObject({ code: "NOT_FOUND" })
  })

  test("The last admin who can sign in stays an admin, whatever other admins exist", async () => {
    const own = await createWorld()
    try {
      const [real, other] = [
        await createPerson(own, { role: "admin", password: "correct horse battery staple" }),
        await createPerson(own, { role: "admin" }),
      ]
      const { context } = await own.signIn(real.userId)
      const demote = (userId: number) => changeUserAsSystem(context, userId, { role: "user" })
      const make = (userId: number) => changeUserAsSystem(context, userId, { role: "admin" })
      await expect(demote(real.userId)).rejects.toMatchObject({ code: "LAST_ADMIN" })
      expect((await demote(other.userId)).role).toBe("user")
      await make(other.userId)
      await own.sql(
        "insert into identities (issuer, subject, user_id, created_at) values ('https://id.test', 'x', $1, now())",
        [other.userId],
      )
      expect((await demote(real.userId)).role).toBe("user")
      await make(real.userId)
      // With the setting, only one of them can act as an admin.
      await enrol(own, real.userId)
      await own.sql("insert into settings (key, value) values ('admin_second_factor', '\"required\"')")
      await expect(demote(real.userId)).rejects.toMatchObject({ code: "LAST_ADMIN" })
      expect((await demote(other.userId)).role).toBe("user")
    } finally {
      await own.close()
    }
  })

  test("The last admin stays an admin when two admins demote each other concurrently", async () => {
    const own = await createWorld()
    try {
      for (let round = 0; round < 20; round++) {
        await own.sql("update users set role = 'user'")
        const [a, b] = await Promise.all(
          [0, 1].map(async () => {
            const { userId } = await createPerson(own, { role: "admin" })
            const { token, context } = await own.signIn(userId)
            return { userId, context, credential: { kind: "session", token, test: false } as const }
          }),
        )
        if (!a || !b) throw new Error("two were made")
        const lose: UserChange = round % 2 ? "disable" : { role: "user" }
        const outcomes = await Promise.allSettled([
          changeUser(a.context, a.credential, b.userId, lose),
          changeUser(b.context, b.credential, a.userId, lose),
        ])
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") {
            expect(["LAST_ADMIN", "ADMIN_REQUIRED", "SESSION_REQUIRED"]).toContain(outcome.reason.code)
          }
        }
        expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
        expect(await own.sql("select 1 from users where role = 'admin' and disabled_at is null")).toHaveLength(1)
        const [left] = await own.sql<{ user_id: string }>(
          "select user_id from users where role = 'admin' and disabled_at is null",
        )
        await expect(changeUserAsSystem(a.context, Number(left?.user_id), lose)).rejects.toMatchObject({
          code: "LAST_ADMIN",
        })
      }
    } finally {
      await own.close()
    }
  })
})
