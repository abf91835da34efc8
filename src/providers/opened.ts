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

/**
 * Credentials that this isolate opened within the last `openedMs`, so that most calls need no
 * decryption. Times are in milliseconds.
 */
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

  /** Drops old entries in two generations. */
  private forget(now: number): void {
    if (now - this.since < PROVIDER_POLICY.openedMs) return
    this.former = this.latest
    this.latest = new Map()
    this.since = now
  }
}

/** A sealed text can be opened for its own account only, so the key has both. */
const keyOf = ({ provider_id, sealed }: Sealed) => `${provider_id} ${sealed}`

const opened = onceFor((_cooling: Context["cooling"]) => new OpenedCredentials())

/** The opened credentials of this isolate. They live as long as its map of cooling accounts. */
export const openedOf = ({ cooling }: Pick<Context, "cooling">): OpenedCredentials => opened(cooling)
