import { type Command, InvalidArgumentError } from "commander"
import type { CommandContext, Run } from "./run.ts"
import { connect } from "./settings.ts"
import { jsonOf, tableOf, usd } from "./terminal.ts"

const REF = "your own id of the end user (end_user_ref)"

interface CreditOptions {
  note?: string
  idempotencyKey?: string
}

export function addCustomerCommands(program: Command, run: Run): void {
  const customers = program
    .command("customers")
    .description("add prepaid credit to customers' wallets, read them, and change profiles")
  customers
    .command("credit")
    .description("add prepaid credit to a customer's wallet; a negative amount takes it back")
    .argument("<ref>", REF)
    .argument("<usd>", "the amount in USD", amountArgument)
    .option("--note <text>", "a note, such as the number of an order; the customer does not see it")
    .option("--idempotency-key <key>", "add the same credit only once, however often the command runs")
    .action(run<[string, number, CreditOptions]>(creditCustomer))
  customers
    .command("balance")
    .description("show the wallet and the price of a customer")
    .argument("<ref>", REF)
    .action(run<[string]>(showBalance))
  customers
    .command("profile")
    .description("show the profile of a customer, or change facts of it")
    .argument("<ref>", REF)
    .argument("[facts...]", "facts to change, such as name=Ada; KEY= removes a fact", factArgument)
    .action(run<[string, Fact[] | undefined]>(changeProfile))
  customers
    .command("ledger")
    .description("list the credits, corrections and charges of a customer, newest first")
    .argument("<ref>", REF)
    .option("--limit <count>", "how many entries (default: 20)", countArgument, 20)
    .action(run<[string, { limit: number }]>(listLedger))
}

function countArgument(given: string): number {
  const count = Number(given)
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number above 0.")
  return count
}

/** An amount other than 0. Negative amounts are corrections. */
function amountArgument(given: string): number {
  const amount = Number(given)
  if (given.trim() === "" || !Number.isFinite(amount) || amount === 0)
    throw new InvalidArgumentError("It must be a number other than 0.")
  return amount
}

async function creditCustomer(
  { terminal, connection, json }: CommandContext,
  ref: string,
  amount: number,
  { note, idempotencyKey }: CreditOptions,
) {
  const { endUsers } = await connect(connection)
  const body = { amount_usd: amount, ...(note !== undefined && { note }) }
  const entry = await endUsers.credit(ref, body, { idempotencyKey, signal: terminal.signal })
  if (json) return terminal.out(`${jsonOf(entry)}\n`)
  terminal.out(
    tableOf([
      [entry.reason, usd(entry.amount_usd)],
      ["balance", usd(entry.balance_after_usd)],
    ]),
  )
}

async function showBalance({ terminal, connection, json }: CommandContext, ref: string) {
  const wallet = await (await connect(connection)).endUsers.getBalance(ref)
  if (json) return terminal.out(`${jsonOf(wallet)}\n`)
  terminal.out(
    tableOf([
      ["available", usd(wallet.available_usd)],
      ["held", usd(wallet.held_usd)],
      ["balance", usd(wallet.balance_usd)],
      ["low below", wallet.low_balance_usd === 0 ? "never" : usd(wallet.low_balance_usd)],
      ["payment", `${wallet.prepaid ? "prepaid" : "not prepaid"} (${SOURCES[wallet.prepaid_source]})`],
      ["price", `${wallet.price ?? "as billed"} (${SOURCES[wallet.price_source]})`],
    ]),
  )
}

type Fact = [key: string, value: string | number | boolean | null]

/** The facts so far and one more; null removes a fact. Numbers and truth values keep their type. */
function factArgument(given: string, before: Fact[] = []): Fact[] {
  const [, key, text] = /^([\w.-]+)=(.*)$/s.exec(given) ?? []
  if (key === undefined || text === undefined) throw new InvalidArgumentError("It must be KEY=VALUE.")
  const isTyped = /^(true|false|-?(0|[1-9]\d*)(\.\d+)?)$/.test(text)
  return [...before, [key, text === "" ? null : isTyped ? JSON.parse(text) : text]]
}

async function changeProfile({ terminal, connection, json }: CommandContext, ref: string, facts: Fact[] = []) {
  const { endUsers } = await connect(connection)
  const found = await endUsers.getProfile(ref)
  const changed = Object.entries({ ...found.profile, ...Object.fromEntries(facts) })
  const profile = Object.fromEntries(changed.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])))
  const answer = facts.length === 0 ? found : await endUsers.putProfile(ref, { profile }, { signal: terminal.signal })
  if (json) return terminal.out(`${jsonOf(answer)}\n`)
  const rows = Object.entries(answer.profile).map(([key, value]) => [key, String(value)])
  terminal.out(rows.length === 0 ? "There is no profile.\n" : tableOf(rows))
}

async function listLedger({ terminal, connection, json }: CommandContext, ref: string, { limit }: { limit: number }) {
  const { endUsers } = await connect(connection)
  const entries = await endUsers.listLedger(ref, {}, { signal: terminal.signal }).toArray(limit)
  if (json) return terminal.out(`${jsonOf(entries)}\n`)
  const rows = entries.map(({ created_at, reason, amount_usd, balance_after_usd, note, turn_id }) => [
    created_at,
    reason,
    usd(amount_usd),
    usd(balance_after_usd),
    note ?? turn_id ?? "",
  ])
  terminal.out(tableOf([["time", "entry", "amount", "balance", "note or turn"], ...rows]))
}

/** Where a setting comes from. */
const SOURCES = {
  end_user: "set for this customer",
  key: "the key's default",
  account: "the account's default",
  none: "nothing is set",
}
