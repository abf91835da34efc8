import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import type { AccountCredential } from "./credential.ts"
import { PROVIDER_POLICY } from "./policies.ts"

interface Sealed {
  provider_id: string
  sealed: string
}

interface Opened {
  credential: AccountCredential
  at: number
}

/** Credentials that this isolate has opened within `openedMs`, so that not every call opens one. Times in milliseconds. */
export class OpenedCredentials {
  private latest = new Map<string, Opened>()
  private former = new Map<string, Opened>()
  private since = 0

  find(account: Sealed, now: number): AccountCredential | undefined {
    this.forget(now)
    const key = keyOf(account)
    const known = this.latest.get(key) ?? this.former.get(key)
    return known && now - known.at < PROVIDER_POLICY.openedMs ? known.credential : undefined
  }

  keep(account: Sealed, credential: AccountCredential, now: number): void {
    this.forget(now)
    this.latest.set(keyOf(account), { credential, at: now })
  }

  /** Lets go of what is of no use any more, in two steps. */
  private forget(now: number): void {
    if (now - this.since < PROVIDER_POLICY.openedMs) return
    this.former = this.latest
    this.latest = new Map()
    this.since = now
  }
}

/** What is sealed opens for its own account only. */
const keyOf = ({ provider_id, sealed }: Sealed) => `${provider_id} ${sealed}`

const opened = onceFor((_cooling: Context["cooling"]) => new OpenedCredentials())

/** Those of this isolate: they live as long as what it knows of cooling. */
export const openedOf = ({ cooling }: Pick<Context, "cooling">): OpenedCredentials => opened(cooling)
