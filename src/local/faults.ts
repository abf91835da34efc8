import type { Answer, Call, Service } from "./service.ts"

export interface FaultRule {
  service?: string
  /** The number of the first call to fault, among the matching calls since the plan was set, from 1. */
  call: number
  /** Only calls whose label contains this. */
  match?: string
  /** fail: HTTP 500. cut: the connection closes without an answer. hold: the call waits until the plan changes. */
  action: "fail" | "cut" | "hold"
  /** before: the call has no effect. after: the call takes effect, but its answer is lost. */
  when: "before" | "after"
  /** The number of consecutive calls, from `call` on. Default: 1. */
  times?: number
}

export interface SeenCall {
  n: number
  service: string
  label: string
}

/** A handler throws this to make the server close the connection without an answer. */
export class CutConnection extends Error {}

/** The fault plan of all stand-ins of one namespace, and the calls since it was set. */
export function createFaults() {
  let rules: (FaultRule & { seen: number })[] = []
  let calls: SeenCall[] = []
  let recording = false
  let open = 0
  const held: (() => void)[] = []

  /** Waits for the next plan. A held call does not count as open. */
  async function hold(): Promise<void> {
    open--
    await new Promise<void>((release) => held.push(release))
    open++
  }

  function release(): void {
    for (const goOn of held.splice(0)) goOn()
  }

  async function apply(rule: FaultRule): Promise<Answer | null> {
    if (rule.action === "cut") throw new CutConnection("cut by the fault plan")
    if (rule.action === "fail") return { status: 500, body: '{"error":"failed by the fault plan"}' }
    await hold()
    return null
  }

  async function underPlan(call: Call, service: string, handler: Service, label: string): Promise<Answer> {
    calls.push({ n: calls.length + 1, service, label })
    const due = rules.filter((rule) => {
      if ((rule.service && rule.service !== service) || (rule.match && !label.includes(rule.match))) return false
      rule.seen++
      return rule.seen >= rule.call && rule.seen < rule.call + (rule.times ?? 1)
    })
    for (const rule of due.filter((rule) => rule.when === "before")) {
      const lost = await apply(rule)
      if (lost) return lost
    }
    const answer = await handler(call)
    for (const rule of due.filter((rule) => rule.when === "after")) {
      const lost = await apply(rule)
      if (lost) return lost
    }
    return answer
  }

  return {
    /** Sets a plan and returns the calls until now. Each call is either in this list or subject to the new plan. */
    plan(next: FaultRule[]): SeenCall[] {
      const former = calls
      rules = next.map((rule) => ({ ...rule, seen: 0 }))
      calls = []
      recording = true
      release()
      return former
    },
    clear() {
      rules = []
      recording = false
      release()
    },
    calls: () => calls,
    /** The number of open calls of `counted` services. */
    open: () => open,
    /** The number of calls that wait for the next plan. */
    held: () => held.length,
    wrap(service: string, handler: Service, labelOf: (call: Call) => string): Service {
      return (call) => (recording ? underPlan(call, service, handler, labelOf(call)) : handler(call))
    },
    /** Returns the same service, with its calls counted by `open`. */
    counted(service: Service): Service {
      return async (call) => {
        open++
        try {
          return await service(call)
        } finally {
          open--
        }
      }
    },
  }
}
