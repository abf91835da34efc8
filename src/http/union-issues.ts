import type * as z from "zod"
import { REQUIRED } from "./wording.ts"

type Issue = z.core.$ZodIssue
type UnionIssue = z.core.$ZodIssueInvalidUnion

/** Replaces the issue of a union by the issues of the branch that fits best, so that each names a field. */
export function issuesOfUnions(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue]
    const branches = issue.errors.map((branch) => issuesOfUnions(branch))
    if (branches.every(([first]) => first && isOtherType(first))) return [noneOfTypes(issue, branches)]
    const best = branches.reduce((least, branch) => (distanceOf(branch) < distanceOf(least) ? branch : least))
    return best.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
  })
}

const isOtherType = ({ code, path }: Issue) => code === "invalid_type" && path.length === 0

/** How far a value is from a branch. A different tag counts most, then missing and unknown fields. */
const distanceOf = (branch: Issue[]) => branch.reduce((sum, issue) => sum + weightOf(issue), 0)

function weightOf(issue: Issue): number {
  if (isOtherType(issue)) return 100
  switch (issue.code) {
    case "invalid_value":
      return issue.values.length === 1 ? 50 : 1
    case "unrecognized_keys":
      return 2 * issue.keys.length
    default:
      return issue.message === REQUIRED ? 2 : 1
  }
}

/** `must be a string or a number, not an array`. */
function noneOfTypes(issue: UnionIssue, branches: Issue[][]): Issue {
  const messages = branches.flatMap(([first]) => first?.message ?? [])
  const types = new Set(messages.map((message) => message.replace(/^must be /, "").replace(/, not .*$/, "")))
  const [, instead = ""] = /(, not .*)$/.exec(messages[0] ?? "") ?? []
  return { ...issue, message: messages.includes(REQUIRED) ? REQUIRED : `must be ${[...types].join(" or ")}${instead}` }
}
