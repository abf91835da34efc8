import type { CatalogEntry, Difference } from "./catalog.ts"

export interface Repair {
  /** Which repairs come before which. */
  order: number
  /** Each is a transaction of its own, and can be repeated. */
  statements: string[]
}

/** The suffix of temporary objects of a repair. */
const ADOPTING = "_adopting"

/** Objects of earlier versions that no code has used for long. */
export const LEFT_OVERS: Record<string, string> = {
  "column wallets.last_hold_credit_micros": "alter table wallets drop column last_hold_credit_micros",
  "constraint api_keys.api_keys_window_seconds_check":
    "alter table api_keys drop constraint api_keys_window_seconds_check",
  "constraint events.events_space_id_fkey": "alter table events drop constraint events_space_id_fkey",
  "constraint events.events_turn_id_fkey": "alter table events drop constraint events_turn_id_fkey",
  "constraint events.events_user_id_fkey": "alter table events drop constraint events_user_id_fkey",
  "index events.events_of_turn": "drop index concurrently events_of_turn",
  "index spend_counters.spend_counters_to_forget": "drop index concurrently spend_counters_to_forget",
  "index turns.turns_by_end_user": "drop index concurrently turns_by_end_user",
  "index turns.turns_by_owner": "drop index concurrently turns_by_owner",
  "index turns.turns_by_space": "drop index concurrently turns_by_space",
  "index webhook_deliveries.webhook_deliveries_of_event": "drop index concurrently webhook_deliveries_of_event",
  "function first_turn_id(moment timestamp with time zone)": "drop function first_turn_id(timestamptz)",
}

const ORDER = { leftOver: 0, table: 1, column: 2, key: 3, index: 4, constraint: 5, function: 6, trigger: 7 }

/** The statements that repair a difference without a long lock and without loss; null when there are none. */
export function planRepair(difference: Difference, filled: Set<string>): Repair | null {
  const { what, wanted, actual } = difference
  if (!wanted) return dropLeftOver(what, actual as CatalogEntry)
  // It is made with its column or its constraint.
  if (!actual && (wanted.kind === "sequence" || wanted.of_constraint)) return { order: ORDER.leftOver, statements: [] }
  switch (wanted.kind) {
    case "table":
      return actual ? null : { order: ORDER.table, statements: [`create table public.${wanted.name} ()`] }
    case "column":
      return actual ? changeColumn(wanted, actual) : addColumn(wanted, filled)
    case "constraint":
      return replaceConstraint(wanted, actual)
    case "index":
      return wanted.of_constraint ? null : replaceIndex(wanted, actual)
    case "function":
      return replaceFunction(wanted, actual)
    case "trigger":
      return replaceTrigger(wanted)
    default:
      return null
  }
}

function dropLeftOver(what: string, { kind, relation, name, of_constraint }: CatalogEntry): Repair | null {
  const known = LEFT_OVERS[what]
  if (known) return { order: ORDER.leftOver, statements: [known] }
  // An overload of one of our functions, or what an interrupted run left.
  if (kind === "function") return { order: ORDER.leftOver, statements: [`drop function ${name}`] }
  if (kind === "index" && name.endsWith(ADOPTING)) {
    return { order: ORDER.leftOver, statements: [`drop index concurrently ${name}`] }
  }
  if (kind === "constraint" && name.endsWith(ADOPTING)) {
    return { order: ORDER.leftOver, statements: [`alter table ${relation} drop constraint ${name}`] }
  }
  // It is dropped with its constraint, which is a difference of its own.
  return of_constraint ? { order: ORDER.leftOver, statements: [] } : null
}

function addColumn({ relation, name, definition }: CatalogEntry, filled: Set<string>): Repair | null {
  const hasValue = /default |generated /.test(definition) || !definition.endsWith("not null")
  if (filled.has(relation) && !hasValue) return null
  return { order: ORDER.column, statements: [`alter table ${relation} add column ${name} ${definition}`] }
}

/** Changes its default, and whether it may be null. Another type is not repaired. */
function changeColumn({ relation, name, ...wanted }: CatalogEntry, actual: CatalogEntry): Repair | null {
  const [want, have] = [partsOf(wanted.definition), partsOf(actual.definition)]
  if (want.type !== have.type || /generated /.test(wanted.definition + actual.definition)) return null
  const statements: string[] = []
  const alter = `alter table ${relation}`
  if (want.default !== have.default) {
    statements.push(`${alter} alter column ${name} ${want.default ? `set default ${want.default}` : "drop default"}`)
  }
  if (have.notNull && !want.notNull) statements.push(`${alter} alter column ${name} drop not null`)
  if (want.notNull && !have.notNull) {
    // With a valid check, setting `not null` does not read the table under the lock.
    const check = `${name}${ADOPTING}`
    statements.push(
      `${alter} drop constraint if exists ${check}, add constraint ${check} check (${name} is not null) not valid`,
      `${alter} validate constraint ${check}`,
      `${alter} alter column ${name} set not null, drop constraint ${check}`,
    )
  }
  return { order: ORDER.column, statements }
}

function partsOf(definition: string) {
  const notNull = definition.endsWith(" not null")
  const rest = notNull ? definition.slice(0, -" not null".length) : definition
  const [type, ...defaults] = rest.split(" default ")
  return { type, default: defaults.join(" default "), notNull }
}

function replaceConstraint({ relation, name, definition }: CatalogEntry, actual: CatalogEntry | null): Repair | null {
  const alter = `alter table ${relation}`
  const key = /^(PRIMARY KEY|UNIQUE) (\(.*\))$/.exec(definition)
  if (key) {
    if (actual) return null
    const index = `create unique index concurrently ${name} on ${relation} ${key[2]}`
    return { order: ORDER.key, statements: [index, `${alter} add constraint ${name} ${key[1]} using index ${name}`] }
  }
  if (!/^(CHECK|FOREIGN KEY) /.test(definition)) return null
  const drop = actual ? `drop constraint ${name}, ` : ""
  const add = `${alter} ${drop}add constraint ${name} ${definition} not valid`
  const isThere = actual?.definition === `${definition} NOT VALID`
  const statements = [...(isThere ? [] : [add]), `${alter} validate constraint ${name}`]
  return { order: ORDER.constraint, statements }
}

/** The old one serves until the new one exists. */
function replaceIndex({ name, definition }: CatalogEntry, actual: CatalogEntry | null): Repair {
  const create = (as: string) =>
    definition.replace(
      /^CREATE( UNIQUE)? INDEX \S+ /,
      (_all, unique = "") => `create${unique} index concurrently ${as} `,
    )
  if (!actual) return { order: ORDER.index, statements: [create(name)] }
  const fresh = `${name}${ADOPTING}`
  const statements = [create(fresh), `drop index concurrently ${name}`, `alter index ${fresh} rename to ${name}`]
  return { order: ORDER.index, statements }
}

function replaceFunction({ name, definition }: CatalogEntry, actual: CatalogEntry | null): Repair {
  const returns = (text: string) => /^ RETURNS .*$/m.exec(text)?.[0]
  const isOther = actual && returns(actual.definition) !== returns(definition)
  // Both as one transaction.
  return { order: ORDER.function, statements: [isOther ? `drop function ${name}; ${definition}` : definition] }
}

function replaceTrigger({ relation, name, definition }: CatalogEntry): Repair {
  const create = definition.replace(/^CREATE /, "create or replace ")
  return { order: ORDER.trigger, statements: [create, `alter table ${relation} enable trigger ${name}`] }
}
