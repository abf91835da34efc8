import { QstashRefusal } from "./qstash-errors.ts"
import { CALLER_IP, type Message } from "./qstash-message.ts"

const PAGE = 100

/** A predicate over messages from a list or bulk request's query: OR within one filter, AND between filters. */
export function messageFilter(query: URLSearchParams, responseStatus?: number): (message: Message) => boolean {
  const ids = [...listed(query, "messageIds"), ...listed(query, "messageId")]
  const checks: Array<(message: Message) => boolean> = []
  const oneOf = (name: string, read: (message: Message) => Array<string | undefined>) => {
    const wanted = listed(query, name)
    if (wanted.length > 0) checks.push((message) => read(message).some((value) => value && wanted.includes(value)))
  }
  if (ids.length > 0) checks.push((message) => ids.includes(message.messageId))
  oneOf("url", (message) => [message.url])
  oneOf("host", (message) => [new URL(message.url).host])
  oneOf("path", (message) => [new URL(message.url).pathname])
  oneOf("label", (message) => message.options.label?.split(",").map((label) => label.trim()) ?? [])
  oneOf("queueName", (message) => [message.queueName])
  oneOf("flowControlKey", (message) => [message.options.flowControl?.key])
  oneOf("scheduleId", (message) => [message.scheduleId])
  oneOf("topicName", () => [])
  oneOf("callerIp", () => [CALLER_IP])
  oneOf("callerIP", () => [CALLER_IP])
  oneOf("responseStatus", () => [String(responseStatus)])
  const [from, to] = [query.get("fromDate"), query.get("toDate")]
  if (from !== null) checks.push((message) => message.createdAt >= Number(from))
  if (to !== null) checks.push((message) => message.createdAt <= Number(to))
  return (message) => checks.every((check) => check(message))
}

/** Repeated parameters and comma-separated ones mean the same. */
export function listed(query: URLSearchParams, name: string): string[] {
  return query.getAll(name).flatMap((value) => value.split(","))
}

export function pageSize(query: URLSearchParams): number {
  const count = Number(query.get("count") ?? PAGE)
  if (!Number.isInteger(count) || count < 1) throw new QstashRefusal(400, `invalid count: ${query.get("count")}`)
  return Math.min(count, PAGE)
}
