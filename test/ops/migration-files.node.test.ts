import { expect, test } from "vitest"
import { parseMigration, splitStatements } from "../../src/ops/migration-files.ts"

const BEFORE = "-- phase: before-deploy"
const AFTER = "-- phase: after-deploy"
const ALONE = `${BEFORE}\n-- transaction: none`

test("A file without a valid name and header is refused", () => {
  expect(parseMigration("0002_a.sql", `${AFTER}\nselect 1`)).toMatchObject({ phase: "after-deploy", statements: null })
  expect(parseMigration("0002_a.sql", `${ALONE}\nselect 1;`).statements).toEqual([`${ALONE}\nselect 1`])
  expect(() => parseMigration("2_a.sql", `${BEFORE}\n`)).toThrow("must be named like")
  expect(() => parseMigration("0002_a.sql", "select 1")).toThrow("must begin with")
  expect(() => parseMigration("0002_a.sql", `${BEFORE}\n-- batch\nupdate x set y = 1;`)).toThrow("has a batch")
  expect(() => parseMigration("0002_a.sql", `${ALONE}\nselect 1`)).toThrow("no semicolon")
  const unix = parseMigration("0002_a.sql", `${BEFORE}\nselect 1`)
  expect(parseMigration("0002_a.sql", `${BEFORE}\r\nselect 1`).checksum).toBe(unix.checksum)
})

test("Semicolons in quotes and comments do not split a statement", () => {
  const statements = [
    "-- one; two\nselect 'a;''b;' as \"c;\"",
    "/* ; */ create function f() returns text language sql as $$ select ';' $$",
    "do $body$ begin perform $$;$$; end $body$",
    "",
  ]
  expect(splitStatements(`${statements.join(";")} -- the end; really`)).toEqual(statements.slice(0, -1))
})
