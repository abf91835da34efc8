export function printAnswer(title: string, answer: object): void {
  console.log(`\n${title}`)
  for (const [name, value] of Object.entries(answer)) {
    for (const line of Array.isArray(value) && typeof value[0] === "object" ? value : [value]) {
      console.log(`  ${name.padEnd(22)} ${format(line)}`)
    }
  }
}

function format(value: unknown): string {
  if (Array.isArray(value)) return value.join(" ")
  if (value === null || typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${part !== null && typeof part === "object" ? `(${format(part)})` : part}`)
    .join("  ")
}
