import { expect, test } from "vitest"
import { openGuards, tablesOf } from "./guards.ts"
import { procedures, read } from "./source.ts"

const files = [{ path: "schema.sql", text: read("schema.sql") }, ...procedures]
const all = files.map(({ text }) => text).join("\n")
const tables = tablesOf(all)
/** test/ops/null-answers.test.ts checks against PostgreSQL that these never answer null. */
const booleans = new Set(
  [...all.matchAll(/create function turnpike\.(\w+)\([^$]*?\)\s+returns boolean/g)].map(([, name]) => name as string),
)

// For a null condition PL/pgSQL takes the other branch, so a call that should be refused passes.
test("No condition that refuses something can be null", () => {
  const found = files.flatMap(({ path, text }) => openGuards(path, text, { tables, booleans }))
  expect(found, "write it so that null refuses: is distinct from, is not true, coalesce").toEqual([])
})

const planted = (condition: string, branch = "refused := 'space';") =>
  openGuards(
    "planted.sql",
    `create function turnpike.planted(p_given text, p_limit bigint) returns text language plpgsql as $$
declare
  space spaces;
  caller turnpike.caller;
begin
  if ${condition} then
    ${branch}
  end if;
  p_limit := coalesce(p_limit, 1);
end $$;`,
    { tables, booleans },
  ).flatMap(({ parts }) => parts)

test.each([
  ["space.created_by_key_id <> caller.key_id", ["space.created_by_key_id <> caller.key_id"]],
  ["not (space.created_by_key_id = caller.key_id)", ["space.created_by_key_id = caller.key_id"]],
  ["space.archived_at is null or not turnpike.unknown(caller)", ["turnpike.unknown(caller)"]],
  ["space.created_by_key_id not in (select k.key_id from api_keys k)", 1],
  ["(select s.version from settings s) < 3", 1],
  ["p_limit > 5", ["p_limit > 5"]],
] as const)("A planted guard that null bypasses is found: %s", (condition, parts) => {
  expect(planted(condition)).toEqual(typeof parts === "number" ? [expect.any(String)] : parts)
  expect(planted(condition, "raise exception 'no';")).toHaveLength(1)
  expect(planted(condition, "return;")).toHaveLength(1)
})

test.each([
  "space.created_by_key_id is distinct from caller.key_id",
  "(space.created_by_key_id = caller.key_id) is not true",
  "not coalesce(space.created_by_key_id = caller.key_id, false)",
  "not turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id)",
  "space.archived_at is not null and space.archived_at > space.created_at",
  "not exists (select from api_keys k where k.key_id = caller.key_id)",
])("A guard that refuses on null passes: %s", (condition) => {
  expect(planted(condition)).toEqual([])
})

test("A condition that only leads to more work may be null", () => {
  expect(planted("p_limit > 5", "perform turnpike.work();")).toEqual([])
})
