import type { PublishOptions } from "./qstash-headers.ts"

export interface QstashMessage {
  readonly messageId: string
  readonly url: string
  readonly body: Buffer
  readonly options: PublishOptions
  /** The order of arrival. */
  readonly sequence: number
  /** Milliseconds since the epoch; of the next attempt. */
  notBefore: number
  retried: number
  isActive: boolean
}

/** The end of one attempt. A lost one (no connection, timeout) has status 0. */
export interface DeliveryOutcome {
  status: number
  /** Lower-case names. */
  headers: Record<string, string[]>
}

export const LOST_ATTEMPT: DeliveryOutcome = { status: 0, headers: {} }
