import { CALL_COUNT_NAMES, CALL_COUNTS, COUNT_NAMES, countOf } from "../agent/token-names.ts"

/** The whole counts, which no count of a call reads alone. */
const WHOLE = { tokensInput: "prompt", tokensOutput: "completion" } as const

/** The names of each count of a call in providers' answers, as a table in Markdown. A dot leads into an object. */
export function usageNamesTable(): string {
  const rows = CALL_COUNT_NAMES.map((name) => {
    const reads = countOf(name).reads ?? WHOLE[name as keyof typeof WHOLE]
    const names = COUNT_NAMES[reads].map((one) => `\`${one}\``).join(", ")
    return `| ${CALL_COUNTS[name].title} | ${names} |`
  })
  return ["| Count | Names in providers' answers |", "| --- | --- |", ...rows].join("\n")
}
