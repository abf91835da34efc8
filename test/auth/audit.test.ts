import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { authContextOf } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A change and its audit entry are one statement, and the entry has no secret of the rows", async () => {
  const { userId } = await world.createAccount()
  await world.sql("update users set password_hash = 'canary' where user_id = $1", [userId])
  const ctx = authContextOf(world, "203.0.113.9")
  const rename = (name: string, where = userId) =>
    world.sql(
      `with before as materialized (select * from users where user_id = $1),
         changed as (update users u set name = $2 from before where u.user_id = before.user_id returning u.*)
       select ${RELEASE}.note_change(null, 'user.update', 'user', changed.user_id::text, to_jsonb(before), to_jsonb(changed),
         $3, $4, now()) from changed, before`,
      [where, name, ctx.requestId, ctx.address],
    )
  await rename("Ada")
  await rename("Nobody", 0)
  const entries = await world.sql("select * from audit_log")
  expect(entries).toEqual([
    expect.objectContaining({
      action: "user.update",
      actor_user_id: null,
      subject_type: "user",
      subject_id: String(userId),
      before: expect.objectContaining({ user_id: userId, name: null }),
      after: expect.objectContaining({ name: "Ada" }),
      request_id: ctx.requestId,
      address: "203.0.113.9",
    }),
  ])
  expect(JSON.stringify(entries)).not.toContain("canary")
})

test("An audit entry cannot be changed or deleted", async () => {
  await expect(world.sql("update audit_log set action = 'x'")).rejects.toThrow("append-only")
  await expect(world.sql("delete from audit_log")).rejects.toThrow("append-only")
})

test("Every column with a secret-sounding name is listed as secret or as harmless", async () => {
  const HARMLESS = [
    "request_hash",
    "hint",
    "sha256",
    "fingerprint",
    "max_output_tokens",
    "mcp_tokens",
    "context_tokens",
    "has_password",
    "result_tokens",
    "tokens",
  ]
  const columns = await world.sql<{ name: string }>(
    `select distinct column_name as name from information_schema.columns where table_schema = current_schema()
       and data_type <> 'bigint' and column_name ~ 'secret|token|hash|password|sealed|credential'`,
  )
  const named = await world.sql<{ name: string }>(`select unnest(${RELEASE}.secret_columns()) as name`)
  const secret = named.map(({ name }) => name)
  expect(secret).toContain("password_hash")
  const unknown = columns.map(({ name }) => name).filter((name) => ![...secret, ...HARMLESS].includes(name))
  expect(unknown).toEqual([])
})
