import { startStack } from "../src/local/stack.ts"
import { statementLabel } from "../src/local/statement-label.ts"
import { answerBench } from "./child.ts"
import { timesOf } from "./statistics.ts"

export type Question =
  | {
      ask: "namespace"
      name: string
      qstash_mode: "push" | "manual"
      qstash_parallelism?: number | undefined
      databaseUrl: string
      timed: boolean
    }
  | { ask: "statements" }
  /** The calls of Redis and of the queue since the last question, by namespaces that are timed. */
  | { ask: "calls" }
  | { ask: "connections" }

/** The times of the statements with one label, in ms, from their arrival in the stand-in until it has the rows. */
export interface StatementTimes {
  label: string
  calls: number
  mean: number
  p50: number
  p99: number
}

const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
// Every namespace gets its database from the caller, so the stack creates none.
const stack = await startStack({ dataDir: "", control: false, durable: false, databaseUrl, redisUrl })
const calls: string[] = []
const onCall = (label: string) => void calls.push(label)
let samples = new Map<string, number[]>()

answerBench<Question>(async (question) => {
  if (question.ask === "statements") return takeTimes()
  if (question.ask === "calls") return calls.splice(0)
  if (question.ask === "connections") return stack.connections()
  const { timed, ask: _, ...options } = question
  const namespace = await stack.createNamespace({ ...options, ...(timed && { onStatement: note, onCall }) })
  return namespace.env
}, stack.close)

function note(text: string, ms: number): void {
  const known = samples.get(text)
  if (known) known.push(ms)
  else samples.set(text, [ms])
}

/** Returns the times of the statements since the last call. */
function takeTimes(): StatementTimes[] {
  const byLabel = new Map<string, number[]>()
  for (const [text, times] of samples) {
    const label = statementLabel(text)
    byLabel.set(label, [...(byLabel.get(label) ?? []), ...times])
  }
  samples = new Map()
  return [...byLabel].map(([label, times]) => {
    const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
    return { label, calls: times.length, mean, ...timesOf(times) }
  })
}
