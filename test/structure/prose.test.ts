import { expect, test } from "vitest"
import { proseProblems } from "../../scripts/prose/check.ts"

const long = Array.from({ length: 31 }, (_, n) => `word${n}`).join(" ")

const problemsOf = async (path: string, text: string) =>
  (await proseProblems(path, text)).map(({ line, rule, message }) => `${line} ${rule}: ${message}`)

test("A phrase of the list is found in comments, texts, SQL and documents, with a phrase to write instead", async () => {
  const found = "phrases: anew => again"
  expect(await problemsOf("a.ts", "// Reads it anew.\nconst a = 1\n")).toEqual([`1 ${found}`])
  expect(await problemsOf("a.ts", "/**\n * Reads the file\n * anew.\n */\nconst a = 1\n")).toEqual([`3 ${found}`])
  expect(await problemsOf("a.ts", 'throw new Error("Please send it anew.")\n')).toEqual([`1 ${found}`])
  expect(await problemsOf("a.tsx", 'const a = <p title="Send anew">Send it</p>\n')).toEqual([`1 ${found}`])
  expect(await problemsOf("a.sql", "select 1;\n-- Reads it anew.\nselect 2;\n")).toEqual([`2 ${found}`])
  expect(await problemsOf("a.md", "# Title\n\nReads it anew.\n")).toEqual([`3 ${found}`])
})

test("Code, quoted words and import paths are not checked", async () => {
  expect(await problemsOf("a.ts", 'import "./behind.ts"\nconst behind = 1 // Not "anew", and not `behind`.\n')).toEqual(
    [],
  )
  expect(await problemsOf("a.sql", "select behind from anew;\n")).toEqual([])
  expect(await problemsOf("a.md", 'Not "anew", and not `behind`.\n\n```sh\nrun behind\n```\n')).toEqual([])
})

test("A sentence of more than 30 words is found, and one of 30 is not", async () => {
  expect(await problemsOf("a.ts", `/* ${long.replace(" word30", "").replace(" word15", "\nword15")}. */\n`)).toEqual([])
  const [problem = ""] = await problemsOf("a.md", `${long}.\n`)
  expect(problem).toContain("31 words in a sentence")
})

test("A statement that begins with a relative clause is found, and a question is not", async () => {
  expect(await problemsOf("a.md", "What is left of it is free for the next turn.\n")).toHaveLength(1)
  expect(await problemsOf("a.md", "What is left?\n")).toEqual([])
})

test("A comment has at most three lines, the header of a procedure ten, and tags are not counted", async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `// Line ${n} says more.\n`).join("")
  expect(await problemsOf("a.ts", `${lines(3)}const a = 1\n`)).toEqual([])
  expect(await problemsOf("a.ts", `${lines(4)}const a = 1\n`)).toHaveLength(1)
  const header = (count: number) => `${lines(count).replaceAll("//", "--")}create function f() returns void;\n`
  expect(await problemsOf("a.sql", header(10))).toEqual([])
  expect(await problemsOf("a.sql", header(11))).toHaveLength(1)
  expect(await problemsOf("a.ts", "/**\n * Reads.\n * @example\n * a\n * b\n * c\n * d\n */\nconst a = 1\n")).toEqual(
    [],
  )
})
