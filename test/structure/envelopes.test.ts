import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { read } from "./source.ts"

/** Procedures that open and do not record the caller's use at their end. The list may only become shorter. */
const UNCLOSED = "call_schema change_password confirm_second_factor end_sessions finish_media_login take_media_login"

/** Procedures that spell a part of the envelope, because theirs differs. The list may only become shorter. */
const SPELLED = "accept_turn act_as change_user find_admin finish_media_login own_proofs try_accept_turn"

const files = readdirSync("src", { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".sql"))
  .sort()

/** The procedures as they are written, before their templates are filled in. */
const written = files.flatMap((path) => {
  const text = read(join("src", path))
  return [...text.matchAll(/^create function turnpike\.([\w{}]+)\([\s\S]*?\$\$[\s\S]*?\$\$;/gm)].map(
    ([body, name = ""]) => ({ name, body }),
  )
})

/** The procedures that open and do not close in the same form. */
function unclosed(all: typeof written): string[] {
  return all.flatMap(({ name, body }) => {
    const [opened, who, form = ""] = /\{\{(caller|admin)\.opens( row)?\}\}/.exec(body) ?? []
    return opened && !body.endsWith(`  {{${who}.closes${form}}}\nend $$;`) ? [name] : []
  })
}

const spelled = (all: typeof written) =>
  all
    .filter(({ body }) => /(perform turnpike\.note_use\(|\bcaller\)?\.usable is not true)/.test(body))
    .map(({ name }) => name)

test("A procedure that opens for a caller closes in the same form, but for those that are listed", () => {
  expect(written.length).toBeGreaterThan(600)
  expect(unclosed(written).sort().join(" ")).toBe(UNCLOSED)
})

test("No procedure spells what the envelope of a caller says, but for those that are listed", () => {
  expect(spelled(written).sort().join(" ")).toBe(SPELLED)
})

test("A procedure that does not close, and one that spells its refusal, are found", () => {
  const body = "create function turnpike.planted() as $$\nbegin\n  {{caller.opens}}\nend $$;"
  const closed = body.replace("\nend", "\n  {{caller.closes}}\nend")
  expect(unclosed([{ name: "planted", body }])).toEqual(["planted"])
  expect(unclosed([{ name: "planted", body: closed }])).toEqual([])
  expect(unclosed([{ name: "planted", body: closed.replace("closes", "closes row") }])).toEqual(["planted"])
  expect(spelled([{ name: "planted", body: "if caller.usable is not true then" }])).toEqual(["planted"])
})
