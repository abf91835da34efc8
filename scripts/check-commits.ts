import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Earlier commits are not checked. */
const SINCE = "2026-11-28T17:20:00Z"
const MOST_SUBJECT = 72
const MOST_LINE = 100

export interface Commit {
  hash: string
  /** How many parents it has. Two or more: a merge. */
  parents: number
  /** The date of its author, ISO 8601. */
  date: string
  /** Subject, an empty line, and the body. */
  message: string
}

/**
 * The faults for which a reviewer sends a commit back. It needs a subject of `room: what changes` within 72 characters,
 * and a body that says what, why and how it is proved. A merge hides what it joins, so branches are rebased.
 */
export function faultsOf({ parents, message }: Commit): string[] {
  if (parents > 1) return ["is a merge: rebase the branch instead"]
  const [subject = "", gap = "", ...body] = message.trimEnd().split("\n")
  return [
    ...(subject.length > MOST_SUBJECT ? [`has a subject of ${subject.length} characters, over ${MOST_SUBJECT}`] : []),
    ...(/^[a-z][\w/ ,.-]*: \S/.test(subject) ? [] : ["has a subject without its room, such as `webhooks: keep types`"]),
    ...(gap === "" && body.length > 0 ? [] : ["has no body that says what, why and how it is proved"]),
    ...(body.some((line) => line.length > MOST_LINE) ? [`has a line of more than ${MOST_LINE} characters`] : []),
  ]
}

/** The commits since `SINCE`. A checkout that joins two branches to test them is no commit of the project. */
export async function newCommits(folder = "."): Promise<Commit[]> {
  const git = promisify(execFile)
  const format = "--format=%H%x00%P%x00%aI%x00%B%x01"
  const { stdout } = await git("git", ["log", format, `--since-as-filter=${SINCE}`], { cwd: folder })
  const commits = stdout.split("\u0001").flatMap((text): Commit[] => {
    const [hash = "", parents = "", date = "", message = ""] = text.trimStart().split("\0")
    return hash === "" ? [] : [{ hash, parents: parents.split(" ").filter(Boolean).length, date, message }]
  })
  return commits.filter(
    ({ date, parents }, nth) => Date.parse(date) >= Date.parse(SINCE) && !(nth === 0 && parents > 1),
  )
}

if (import.meta.main) {
  const commits = await newCommits().catch((error: { stderr?: string }) => {
    console.log(`Not a Git checkout, so no commits are checked: ${error.stderr ?? ""}`)
    return []
  })
  const faults = commits.flatMap((commit) => faultsOf(commit).map((fault) => `${commit.hash.slice(0, 9)} ${fault}`))
  for (const fault of faults) console.log(fault)
  console.log(`${commits.length} commits, ${faults.length} faults`)
  process.exit(faults.length > 0 ? 1 : 0)
}
