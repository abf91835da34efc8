import { createUser } from "../src/ops/seed.ts"
import { hashPassword } from "../src/sign-in/password.ts"
import type { Options } from "./options.ts"
import { createSite } from "./site.ts"
import { timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** Below the limit of an account for unknown addresses, so that no login is throttled. */
const SAMPLES = { full: 50, smoke: 2 }

/** Measures a wrong password for each kind of account, each login from a new address. Ratios are of medians. */
export async function measureLogins(world: BenchWorld, { size }: Options) {
  const samples = SAMPLES[size]
  const site = await createSite(world, "logins", { runs: false })
  const passwordHash = await hashPassword("correct horse battery staple")
  const person = async (email: string, hash: object) => createUser(site.sql, { email, ...hash })
  await person("known@bench.test", { passwordHash })
  await person("without@bench.test", {})
  const disabled = await person("disabled@bench.test", { passwordHash })
  await site.sql("update users set disabled_at = now() where user_id = $1", [disabled])
  const kinds = ["known", "unknown", "without", "disabled"] as const
  const times: Record<string, number[]> = {}
  for (let n = -2; n < samples; n++) {
    // Each kind is first equally often.
    for (let turn = 0; turn < kinds.length; turn++) {
      const at = (turn + n + 2) % kinds.length
      const kind = kinds[at] as string
      const ms = await tryWrong(site.runtime.url, `${kind}@bench.test`, `203.0.${at}.${n + 2}`)
      // The first logins only warm up.
      if (n >= 0) times[kind] = [...(times[kind] ?? []), ms]
    }
  }
  const medians = Object.fromEntries(kinds.map((kind) => [kind, timesOf(times[kind] ?? []).p50]))
  const ratios = kinds
    .slice(1)
    .map((kind) => [`${kind}_of_known`, ((medians[kind] ?? 0) / (medians.known ?? 1)).toFixed(3)])
  return { samples, p50_ms: medians, ...Object.fromEntries(ratios) }
}

async function tryWrong(url: string, email: string, address: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      origin: url,
      "cf-connecting-ip": address,
    },
    body: JSON.stringify({ email, password: "wrong" }),
  })
  const text = await response.text()
  if (response.status !== 401) throw new Error(`${email}: HTTP ${response.status} ${text}`)
  return performance.now() - started
}
