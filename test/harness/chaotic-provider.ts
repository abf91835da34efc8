import { accountOfProviderKey, providerKey, unified } from "./provider-accounts.ts"
import type { Random } from "./random.ts"
import type { RoutedWorld } from "./routed-world.ts"
import type { ProviderScript } from "./scripted-provider.ts"

/** The state of an account as its log shows it, and the rules that calls to it have broken. */
interface Watched {
  coolUntil: number
  /** True if the cooling is over and one call is testing the account. */
  isProbed: boolean
  isRefused: boolean
  isDisabled: boolean
  calls: number
  underWay: number
}

/**
 * Creates accounts whose provider answers at random, and a watcher that checks the rules for calls
 * to them.
 */
export function createChaos(world: RoutedWorld, random: Random, ids: string[]) {
  const accounts = new Map<string, Watched>()
  for (const id of ids) {
    const watched = { coolUntil: 0, isProbed: false, isRefused: false, isDisabled: false, calls: 0, underWay: 0 }
    accounts.set(id, watched)
  }
  const of = (id: string) => accounts.get(id) as Watched
  const violations: string[] = []
  const met: Record<string, number> = {}
  const now = () => world.clock.ms()
  const chance = (percent: number) => random.int(1000) < percent * 10
  let refusals = 0
  let cuts = 0

  function choose(): [string, ProviderScript] {
    const until = now() + 20_000 + random.int(600_000)
    if (chance(8)) {
      const other = unified("7d", random.int(80), now() + 9e6)
      return [
        "window full",
        { status: 429, headers: { ...unified("5h", 100, until), ...other, "x-until": String(until) } },
      ]
    }
    if (chance(4)) {
      const seconds = 10 + random.int(300)
      const headers = { "retry-after": String(seconds), "x-until": String(now() + seconds * 1000) }
      return ["retry after", { status: 429, headers }]
    }
    if (chance(4)) return ["429", { status: 429 }]
    if (chance(8)) return ["529", { status: 529 }]
    if (chance(2)) return ["500", { status: 500 }]
    if (chance(1)) return ["403", { status: 403 }]
    if (chance(2) && refusals < 8) {
      refusals++
      return ["401", { status: 401 }]
    }
    if (chance(3)) return ["hangs", { words: ["never"], silentAfter: 0 }]
    if (chance(3)) return ["cut early", { thinking: ["Well, "], words: ["never"], breaksAfter: 1 }]
    if (chance(3)) return ["cut late", { words: [`Begun ${++cuts} `, "and ", "lost"], breaksAfter: 2 }]
    return ["serves", { words: ["Fine."], headers: unified("5h", random.int(99), until) }]
  }

  /** Records the start of a call and the rules that it breaks. */
  function begin(id: string): void {
    const account = of(id)
    account.calls++
    if (account.isDisabled) violations.push(`${id} is disabled`)
    if (account.isRefused) violations.push(`${id} needs a login`)
    if (now() < account.coolUntil) violations.push(`${id} cools for ${account.coolUntil - now()} ms more`)
    if (account.isProbed && account.underWay > 0) violations.push(`${id} is tried by another call`)
  }

  world.heard.line = (line) => {
    if (!line.includes('"provider.failed"')) return
    const { provider_id: id, code, error } = JSON.parse(line) as { provider_id: string; code: string; error: string }
    const account = of(id)
    if (code === "unauthorized") account.isRefused = true
    if (code === "window_full" || code === "retry_after") {
      account.coolUntil = Math.max(account.coolUntil, Number(/until (\d+)/.exec(error)?.[1] ?? 0))
      account.isProbed = true
    }
  }
  world.serve("model.test", async (request) => {
    const id = accountOfProviderKey((request.headers.get("authorization") ?? "").replace("Bearer ", ""))
    begin(id)
    const account = of(id)
    account.underWay++
    try {
      const response = await world.provider.serve(request)
      const until = response.headers.get("x-until")
      // The log line of the error names the answer that caused it.
      return until === null ? response : Response.json({ error: { message: `until ${until}` } }, response)
    } finally {
      account.underWay--
    }
  })
  world.script((id) => {
    const [what, script] = choose()
    met[what] = (met[what] ?? 0) + 1
    if (what === "serves" || what === "cut late") of(id).isProbed = false
    return script
  })
  return {
    violations,
    met,
    of,
    async disable(id: string) {
      of(id).isDisabled = true
      await world.sql("update provider_accounts set disabled_at = $2 where provider_id = $1", [id, world.clock.now()])
    },
    expectNoKey(text: string) {
      for (const id of ids) if (text.includes(providerKey(id))) violations.push(`the key of ${id} was told`)
    },
  }
}
