import { type Command, Option } from "commander"
import type { Me, UsageGroup, UsageSums } from "../src/operations.ts"
import type { Query } from "../src/transport.ts"
import type { CommandContext, Run } from "./run.ts"
import { connect } from "./settings.ts"
import { jsonOf, tableOf, usd } from "./terminal.ts"

const GROUPS = ["end_user_ref", "space", "model", "key", "day"] as const

interface UsageOptions {
  by?: (typeof GROUPS)[number]
  from?: string
  to?: string
  csv?: true
}

export function addReportCommands(program: Command, run: Run): void {
  program
    .command("usage")
    .description("report billed amounts")
    .addOption(new Option("--by <group>", "the groups of the report").choices(GROUPS).default("end_user_ref"))
    .option("--from <time>", "the start, a date or a time in UTC; without it, 30 days before the end")
    .option("--to <time>", "the end, exclusive; without it, the end of today")
    .option("--csv", "print CSV")
    .action(run<[UsageOptions]>(reportUsage))
  program
    .command("statements")
    .description("list the months, or show the signed statement of one")
    .argument("[month]", "a month in UTC, such as 2026-10; without it, all months")
    .action(run<[string | undefined]>(showStatements))
  program
    .command("keys")
    .description("show the API key in use: its scope, its caps and the balance; the dashboard creates keys")
    .action(run<[]>(showKey))
}

async function reportUsage({ terminal, connection, json }: CommandContext, { by, from, to, csv }: UsageOptions) {
  const turnpike = await connect(connection)
  const query: Query<"getUsage"> = { ...(by && { group_by: by }), ...(from && { from }), ...(to && { to }) }
  if (csv) return terminal.out(await (await turnpike.usage.csv(query)).text())
  const report = await turnpike.usage.get(query)
  const groups = report.has_more ? await turnpike.usage.groups(query).toArray() : report.data
  if (json) return terminal.out(`${jsonOf({ ...report, data: groups, has_more: false, next_cursor: null })}\n`)
  const cells = (name: string, one: UsageGroup | UsageSums) => [
    name,
    usd(one.billed_usd),
    String(one.turns),
    String(one.tokens_input),
    String(one.tokens_cached),
    String(one.tokens_output),
  ]
  const head = [report.group_by.toUpperCase(), "BILLED", "TURNS", "INPUT TOKENS", "CACHED", "OUTPUT TOKENS"]
  const rows = groups.map((one) => cells(one.group, one))
  terminal.out(tableOf([head, ...rows, cells("total", report.total)]))
}

async function showStatements({ terminal, connection, json }: CommandContext, month: string | undefined) {
  const { usage } = await connect(connection)
  if (month === undefined) {
    const months = await usage.statements().toArray()
    if (json) return terminal.out(`${jsonOf(months)}\n`)
    const rows = months.map((one) => [one.month, one.state, String(one.receipts ?? ""), one.total_usd ?? ""])
    return terminal.out(tableOf([["MONTH", "STATE", "RECEIPTS", "TOTAL USD"], ...rows]))
  }
  const answer = await usage.statement(month)
  if (json) return terminal.out(`${jsonOf(answer)}\n`)
  const { state, statement } = answer
  if (!statement) return terminal.err(`The statement of ${month} is ${state}.\n`)
  const { days, refunds, other_charges, total_usd } = statement.document
  terminal.out(
    tableOf([
      ["DAY", "RECEIPTS", "USD"],
      ...days.map((one) => [one.day, String(one.receipts), one.amount_usd]),
      ["refunds", String(refunds.count), `-${refunds.amount_usd}`],
      ["containers and storage", String(other_charges.count), other_charges.amount_usd],
      ["total", "", total_usd],
    ]),
  )
}

async function showKey({ terminal, connection, json }: CommandContext) {
  const me = await (await connect(connection)).me()
  terminal.out(json ? `${jsonOf(me)}\n` : tableOf(rowsOf(me)))
}

function rowsOf({ key, caps, balance }: Me): string[][] {
  return [
    ["key", key.key_id],
    ["name", key.name],
    ["mode", key.test ? "test" : "live"],
    ["scope", key.scope === "space" ? `space ${key.space}` : key.scope],
    ["created", key.created_at],
    ["expires", key.expires_at ?? "never"],
    ...caps.map((one) => [
      one.cap,
      `${usd(one.left_usd)} of ${usd(one.limit_usd)} left, resets ${one.resets_at ?? "–"}`,
    ]),
    ...(balance ? [["balance", `${usd(balance.available_usd)} available, ${usd(balance.held_usd)} held`]] : []),
  ]
}
