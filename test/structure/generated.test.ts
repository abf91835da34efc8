import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { read } from "./source.ts"

/** Git's list of lines, for a command about the files of the checkout. */
const git = (args: string[], input = "") => execFileSync("git", args, { input, encoding: "utf8" }).trim().split("\n")

test("Every generated file is marked in .gitattributes, so that a review folds it", () => {
  const files = git(["ls-files", "*.ts", "*.py", "*.sql"])
  const generated = files.filter((path) =>
    /^(\/\/|--|#|\/\*\*\n \*) ?(Generated|This file was generated) /.test(read(path)),
  )
  expect(generated.length).toBeGreaterThan(20)
  const attributes = git(["check-attr", "--stdin", "linguist-generated"], generated.join("\n"))
  expect(attributes.filter((line) => !line.endsWith(": set"))).toEqual([])
})

test("The file .gitattributes names no file that is gone", () => {
  const patterns = git(["grep", "-h", "-oE", "^[^# ]+", "--", ".gitattributes"])
  expect(patterns.filter((pattern) => git(["ls-files", pattern])[0] === "")).toEqual([])
})
