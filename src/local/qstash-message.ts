import type { PublishOptions } from "./qstash-headers.ts"

export interface QstashMessage {
  readonly messageId: string
  readonly url: string
  readonly body: Buffer
  readonly options: PublishOptions
  /** The order of arrival. */
  readonly sequence: number
  /** The time of the next attempt, in milliseconds since the epoch. */
  notBefore: number
  retried: number
  isActive: boolean
}

/** The result of one attempt. The status is 0 if there was no connection or a timeout. */
export interface DeliveryOutcome {
  status: number
  /** Lower-case names. */
  headers: Record<string, string[]>
}

export const LOST_ATTEMPT: DeliveryOutcome = { status: 0, headers: {} }
