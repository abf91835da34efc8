import { expect, test } from "vitest"
import { procedures } from "./source.ts"

/**
 * An update or delete that joins a subquery with a limit and `skip locked`. A nested loop runs the subquery again for
 * each row, and then skips the rows that the same statement has changed, so it picks more rows than the limit.
 */
const pickedByJoin = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|using)\s*\(\s*select[^;]*?skip locked\)\s*\w+/g)]
    .map(([found]) => found)
    .filter((found) => /\b(?:limit|offset)\b/.test(found))

test("A statement that changes some of the rows picks them once", () => {
  const found = procedures.flatMap(({ path, text }) => pickedByJoin(text).map(() => path))
  expect(found, "pick them in a WITH query, or compare with (select …) or any (array(select …))").toEqual([])
})

test("A planted join is found, and its other forms are not", () => {
  const rows = "select d.id from dues d order by d.id limit 1 for no key update skip locked"
  expect(pickedByJoin(`update dues x set tried = true from (${rows}) due where x.id = due.id;`)).toHaveLength(1)
  expect(pickedByJoin(`update dues x set tried = true where x.id = (${rows});`)).toEqual([])
  expect(pickedByJoin(`with due as (${rows}) delete from dues x using due d where x.id = d.id;`)).toEqual([])
})
