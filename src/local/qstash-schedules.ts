import { randomUUID } from "node:crypto"
import { type Cron, parseCron } from "./qstash-cron.ts"
import { QstashRefusal } from "./qstash-errors.ts"
import type { PublishOptions } from "./qstash-headers.ts"
import { CALLER_IP, DEFAULT_RETRIES, type Message, serializeBody, serializeSettings } from "./qstash-message.ts"

type FiringState = "IN_PROGRESS" | "SUCCESS" | "FAIL"

export interface Schedule {
  readonly scheduleId: string
  readonly url: string
  readonly options: PublishOptions
  readonly body: Buffer
  readonly createdAt: number
  readonly expression: string
  readonly cron: Cron
  isPaused: boolean
  lastTime: number | undefined
  nextTime: number | undefined
  lastStates: Record<string, FiringState>
}

export class Schedules {
  private readonly schedules = new Map<string, Schedule>()

  /** Creates the schedule, or gives the one of that id new settings. Refuses a bad cron expression with 400. */
  put(url: string, options: PublishOptions, body: Buffer, now: number): string {
    const expression = options.cron
    if (expression === undefined) throw new QstashRefusal(400, "Upstash-Cron is missing")
    const cron = readCron(expression)
    const scheduleId = options.scheduleId ?? `scd_${randomUUID().replaceAll("-", "")}`
    const known = this.schedules.get(scheduleId)
    this.schedules.set(scheduleId, {
      scheduleId,
      url,
      options,
      body,
      createdAt: known?.createdAt ?? now,
      expression,
      cron,
      isPaused: known?.isPaused ?? false,
      lastTime: known?.lastTime,
      nextTime: cron.next(now),
      lastStates: known?.lastStates ?? {},
    })
    return scheduleId
  }

  /** Each firing that is due, in the order of time; every missed one fires, because a hosted scheduler never sleeps. */
  *takeDue(now: number): Generator<{ schedule: Schedule; time: number }> {
    for (;;) {
      const schedule = this.earliest()
      const time = schedule?.nextTime
      if (!schedule || time === undefined || time > now) return
      schedule.nextTime = schedule.cron.next(time)
      if (schedule.isPaused) continue
      schedule.lastTime = time
      schedule.lastStates = {}
      yield { schedule, time }
    }
  }

  nextDueMs(): number {
    return this.earliest()?.nextTime ?? Number.POSITIVE_INFINITY
  }

  setState(message: Message, state: FiringState): void {
    const schedule = message.scheduleId === undefined ? undefined : this.schedules.get(message.scheduleId)
    if (!schedule) return
    if (state === "IN_PROGRESS" || message.messageId in schedule.lastStates) {
      schedule.lastStates[message.messageId] = state
    }
  }

  setPaused(scheduleId: string, isPaused: boolean): void {
    this.find(scheduleId).isPaused = isPaused
  }

  delete(scheduleId: string): void {
    this.schedules.delete(scheduleId)
  }

  get(scheduleId: string): Record<string, unknown> {
    return serializeSchedule(this.find(scheduleId))
  }

  list(): Record<string, unknown>[] {
    return [...this.schedules.values()].map(serializeSchedule)
  }

  private find(scheduleId: string): Schedule {
    const schedule = this.schedules.get(scheduleId)
    if (!schedule) throw new QstashRefusal(404, `schedule ${scheduleId} not found`)
    return schedule
  }

  private earliest(): Schedule | undefined {
    let first: Schedule | undefined
    for (const schedule of this.schedules.values()) {
      if (schedule.nextTime === undefined) continue
      if (first?.nextTime === undefined || schedule.nextTime < first.nextTime) first = schedule
    }
    return first
  }
}

function readCron(expression: string): Cron {
  try {
    return parseCron(expression)
  } catch (error) {
    throw new QstashRefusal(400, `invalid cron: ${error instanceof Error ? error.message : expression}`)
  }
}

function serializeSchedule(schedule: Schedule): Record<string, unknown> {
  const { options } = schedule
  return {
    scheduleId: schedule.scheduleId,
    cron: schedule.expression,
    createdAt: schedule.createdAt,
    destination: schedule.url,
    method: options.method ?? "POST",
    header: options.headers,
    ...serializeBody("body", schedule.body),
    retries: options.retries ?? DEFAULT_RETRIES,
    delay: options.delayMs === undefined ? undefined : options.delayMs / 1000,
    callback: options.callback?.url,
    failureCallback: options.failureCallback?.url,
    callerIP: CALLER_IP,
    callerIp: CALLER_IP,
    queueName: options.queueName,
    isPaused: schedule.isPaused,
    ...serializeSettings(options),
    lastScheduleTime: schedule.lastTime,
    nextScheduleTime: schedule.nextTime,
    lastScheduleStates: schedule.lastStates,
  }
}
