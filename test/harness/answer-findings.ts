/** Answers of the current test that are still checked, and the violations so far (checked-answers.ts). */
const pending = new Set<Promise<void>>()
const findings: string[] = []
/** The operations that have succeeded in the current file. */
const successes = new Set<string>()

export function addCheck(check: Promise<void>): void {
  const tracked = check.finally(() => pending.delete(tracked))
  pending.add(tracked)
}

export const addFinding = (finding: string) => findings.push(finding)

export const addSuccess = (operation: string) => successes.add(operation)

/** The operations that have succeeded since the last call. */
export function takeSuccesses(): string[] {
  const taken = [...successes]
  successes.clear()
  return taken
}

/** Throws if an answer since the last call is not as its document declares. */
export async function expectAnswersFit(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending)
  const found = [...new Set(findings.splice(0))]
  if (found.length > 0) throw new Error(`Answers are not as the documents declare:\n${found.slice(0, 8).join("\n")}`)
}
