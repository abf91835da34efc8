import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import type { AccountCredential } from "./credential.ts"
import { PROVIDER_POLICY } from "./policies.ts"

interface Sealed {
  provider_id: string
  sealed: string
}

/** Credentials that this isolate has opened in the last one or two minutes, so that not every call opens one. Times in milliseconds. */
export class OpenedCredentials {
  private latest = new Map<string, AccountCredential>()
  private former = new Map<string, AccountCredential>()
  private since = 0

  find(account: Sealed, now: number): AccountCredential | undefined {
    this.forget(now)
    const key = keyOf(account)
    return this.latest.get(key) ?? this.former.get(key)
  }

  keep(account: Sealed, credential: AccountCredential, now: number): void {
    this.forget(now)
    this.latest.set(keyOf(account), credential)
  }

  private forget(now: number): void {
    const { openedMs } = PROVIDER_POLICY
    if (now - this.since < openedMs) return
    this.former = now - this.since < 2 * openedMs ? this.latest : new Map()
    this.latest = new Map()
    this.since = now
  }
}

/** What is sealed opens for its own account only. */
const keyOf = ({ provider_id, sealed }: Sealed) => `${provider_id} ${sealed}`

const opened = onceFor((_cooling: Context["cooling"]) => new OpenedCredentials())

/** Those of this isolate: they live as long as what it knows of cooling. */
export const openedOf = ({ cooling }: Pick<Context, "cooling">): OpenedCredentials => opened(cooling)
