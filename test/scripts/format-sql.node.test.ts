import { expect, test } from "vitest"
import { formatSql } from "../../scripts/format-sql.ts"

const procedure = (...lines: string[]) =>
  ["create function turnpike.example() returns void language plpgsql as $$", "begin", ...lines, "end $$;", ""].join(
    "\n",
  )

const isKept = (...lines: string[]) => expect(formatSql(procedure(...lines))).toBe(procedure(...lines))

test("A statement in one line stays", () => {
  isKept("  select s.held into held from turnpike.wallet_sums(p_user_id) s where s.held > 0;")
})

test("A statement with several lines has one clause a line, and joins are further to the right", () => {
  const given = procedure(
    "  select a.name, b.name into first, second from accounts a join brands b on b.brand = a.brand where a.id = p_id",
    "    and a.is_open;",
  )
  expect(formatSql(given)).toBe(
    procedure(
      "  select a.name, b.name into first, second",
      "    from accounts a",
      "      join brands b on b.brand = a.brand",
      "    where a.id = p_id",
      "    and a.is_open;",
    ),
  )
})

test("Words of other meanings begin no line: distinct from, extract from, delete from, a query in brackets", () => {
  isKept(
    "  delete from notes n",
    "    where n.name is distinct from p_name and extract(epoch from n.at) > 0",
    "      and n.id = (select m.id from marks m where m.name = 'where' limit 1);",
  )
})

test("The condition of an index in on conflict begins no line", () => {
  isKept(
    "  insert into notes (name, text)",
    "    values (p_name, p_text)",
    "    on conflict (name) where name is not null do nothing",
    "    returning * into note;",
  )
})

test("Line n of the columns of an insert has the columns of line n of the values", () => {
  const names = Array.from({ length: 7 }, (_, n) => `column_number_${n}`)
  const given = procedure(
    `  insert into notes (${names.slice(0, 6).join(", ")},`,
    `      ${names[6]})`,
    `    values (${names.map((name) => `new.${name}`).join(", ")});`,
  )
  expect(formatSql(given)).toBe(
    procedure(
      "  insert into notes (",
      "      column_number_0, column_number_1, column_number_2, column_number_3, column_number_4,",
      "      column_number_5, column_number_6)",
      "    values (",
      "      new.column_number_0, new.column_number_1, new.column_number_2, new.column_number_3, new.column_number_4,",
      "      new.column_number_5, new.column_number_6);",
    ),
  )
})

test("A long line breaks where the fewest brackets are open", () => {
  const given = procedure(
    `  perform turnpike.note_change(p_user_id, 'key.create', jsonb_build_object('name', p_name, 'space', p_space), ${"p_request_id, ".repeat(2)}p_moment);`,
  )
  const formatted = formatSql(given)
  expect(formatted.split("\n")[3]).toMatch(/^ {4}p_request_id, p_request_id, p_moment\);$/)
  expect(formatSql(formatted)).toBe(formatted)
})

test("Comments and literals keep every character", () => {
  const given = procedure(
    "  -- It's one clause from where, and a {{template.part x}} stays.",
    "  {{caller.opens row}}",
    "  say := 'a  from  b';",
  )
  expect(formatSql(given)).toBe(given)
})
