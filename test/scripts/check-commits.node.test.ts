import { execFileSync } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { faultsOf, newCommits } from "../../scripts/check-commits.ts"

const commit = (message: string, parents = 1) => ({
  hash: "0".repeat(40),
  parents,
  date: "2026-12-01T00:00:00Z",
  message,
})
const BODY = "A type was lost. It is kept now.\n\ntest/webhooks/types passes, and failed before."

test("A commit with a room, a short subject and a body passes", () => {
  expect(faultsOf(commit(`webhooks: keep unknown types\n\n${BODY}\n`))).toEqual([])
  expect(faultsOf(commit(`turns, waits: one answer for a repeat\n\n${BODY}`))).toEqual([])
})

test.each([
  [`webhooks: ${"x".repeat(63)}\n\n${BODY}`, /73 characters/],
  ["webhooks: keep unknown types", /no body/],
  [`webhooks: keep unknown types\n${BODY}`, /no body/],
  [`Keep unknown types\n\n${BODY}`, /without its room/],
  [`webhooks: keep unknown types\n\n${"word ".repeat(30)}`, /more than 100/],
])("A commit that cannot be reviewed is named with its fault: %j", (message, fault) => {
  expect(faultsOf(commit(message))).toEqual([expect.stringMatching(fault)])
})

test("New commits of a repository are read with their bodies, and a merge only below the head", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-commits-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const git = (date: string, ...args: string[]) =>
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@acme.com", "-c", "init.defaultBranch=main", ...args],
      {
        cwd: folder,
        stdio: "ignore",
        env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      },
    )
  const subjects = async () =>
    (await newCommits(folder)).map(({ message, parents }) => [message.split("\n")[0], parents])
  const later = "2026-12-01T00:00:00Z"
  git(later, "init")
  git("2026-11-01T00:00:00Z", "commit", "--allow-empty", "-m", "old")
  git(later, "checkout", "-b", "other")
  git(later, "commit", "--allow-empty", "-m", "other: a step", "-m", BODY)
  git(later, "checkout", "main")
  git(later, "commit", "--allow-empty", "-m", "main: a step", "-m", BODY)
  git(later, "merge", "--no-ff", "-m", "Merge branch 'other'", "other")
  expect((await subjects()).toSorted()).toEqual([
    ["main: a step", 1],
    ["other: a step", 1],
  ])
  git(later, "commit", "--allow-empty", "-m", "main: the next step", "-m", BODY)
  expect(await subjects()).toContainEqual(["Merge branch 'other'", 2])
  expect((await newCommits(folder)).flatMap(faultsOf)).toEqual([expect.stringMatching(/is a merge/)])
})
