import { MEASURES, numbersOf, ROLLUPS, type Rollup, SUMS_BEFORE } from "./rollups.ts"

/** Every number that a rollup has. */
const NUMBERS = [...new Set(ROLLUPS.flatMap(numbersOf))]

const listed = (names: readonly string[], write: (name: string) => string) => names.map(write).join(", ")
const summed = (name: string) => (name === "tokens_input_most" ? "max" : "sum")

/** Adds the rows of `from` to a rollup. They have its keys as columns. */
function upsert(rollup: Rollup, from: string): string {
  const keys = Object.keys(rollup.keys)
  const numbers = numbersOf(rollup)
  const added = (name: string) =>
    name === "tokens_input_most" ? `greatest(r.${name}, excluded.${name})` : `r.${name} + excluded.${name}`
  return `    insert into ${rollup.name} as r (${[...keys, ...numbers].join(", ")})
    select ${listed(keys, (key) => `t.${key}`)}, ${listed(numbers, (name) => `${summed(name)}(t.${name})`)}
    from ${from} t group by ${listed(keys, (key) => String(keys.indexOf(key) + 1))}
    on conflict (${keys.join(", ")}) do update set ${listed(numbers, (name) => `${name} = ${added(name)}`)}`
}

/** The upserts of all rollups, from `taken` and `before`, as the end of a statement. The last one is its main part. */
function upserts(): string {
  const all = [...ROLLUPS.map((one) => upsert(one, "taken")), ...SUMS_BEFORE.map((one) => upsert(one, "before"))]
  const names = [...ROLLUPS, ...SUMS_BEFORE].map(({ name }) => `to_${name}`)
  return `${all
    .slice(0, -1)
    .map((text, at) => `${names[at]} as (\n${text})`)
    .join(", ")}\n${all.at(-1)}`
}

/** The keys of a row as one text, without the time. */
function keyText({ keys }: Rollup, row: string): string {
  const names = Object.keys(keys).filter((key) => !["hour", "day", "until"].includes(key))
  if (names.length === 0) return "''"
  const texts = listed(names, (name) => `${row}.${name}::text`)
  return names.length === 1 ? texts : `concat_ws(' ', ${texts})`
}

const own = (rollup: Rollup, row: string) =>
  listed(NUMBERS, (name) => (numbersOf(rollup).includes(name) ? `${row}.${name}` : "null::bigint"))

/** The rows `n` of a rollup on the day p_day, whose moments are in `s`. */
function ofDay({ name, keys }: Rollup): string {
  const [first = ""] = Object.keys(keys)
  if ("day" in keys) return `${name} n, span s where n.day = p_day`
  const within = (row: string) => `${row}.hour >= s.begins and ${row}.hour < s.ends`
  if (first === "hour") return `${name} n, span s where ${within("n")}`
  // Its index begins with the space or user, so the rows are looked up.
  const days = `${first.replace(/_id$/, "")}_days`
  return `(select d.${first} from ${days} d where d.day = p_day union select r.${first} from raw r) k, span s,
      lateral (select * from ${name} o where o.${first} = k.${first} and ${within("o")}) n`
}

/** The raw records (`sides`) and the rows of each rollup, by its key. */
function bothSides(): string {
  const texts = ROLLUPS.map((rollup) => {
    const isHour = "hour" in rollup.keys
    const row = (key: string, start: string, isRaw: string, numbers: string) =>
      `select '${rollup.name}' as family, ${key} as key, '${isHour ? "hour" : "day"}' as period, ${start} as starts_at, ${isRaw} as is_raw, ${numbers}`
    const begins = isHour ? "date_trunc('hour', x.ended_at, 'UTC')" : "s.begins"
    const numbers = listed(NUMBERS, (name) =>
      numbersOf(rollup).includes(name) ? `x.${name}` : `null::bigint as ${name}`,
    )
    return `${row(keyText(rollup, "x"), begins, "x.is_raw", numbers)} from sides x, span s
    union all ${row(keyText(rollup, "n"), isHour ? "n.hour" : "s.begins", "false", own(rollup, "n"))}
    from ${ofDay(rollup)}`
  })
  return texts.join("\n    union all ")
}

/** The sums before the next mark, less the sums before the previous one and the days between them. */
function betweenMarks(): string {
  const texts = SUMS_BEFORE.map((rollup) => {
    const row = (sign: string) =>
      `select '${rollup.name}' as family, ${keyText(rollup, "n")} as key, ${listed(MEASURES, (name) => `${sign}n.${name}${sign ? "" : ` as ${name}`}`)}`
    return `${row("")} from ${rollup.name} n, marks k where n.until = k.later
    union all ${row("-")} from ${rollup.name} n, marks k where n.until = k.earlier
    union all ${row("-")} from ${rollup.name.replace("_sums", "_days")} n, marks k where n.day >= k.earlier and n.day < k.later`
  })
  return texts.join("\n    union all ")
}

/** Parts of procedures that the declaration makes: `{{rollups.numbers r}}` becomes `r.turns, r.calls, …`. */
export const ROLLUP_SQL: Record<string, (argument: string) => string> = {
  upserts,
  bothSides,
  betweenMarks,
  /** Each number of a row. */
  numbers: (row) => listed(NUMBERS, (name) => `${row}.${name}`),
  /** The sum of each number where a condition holds. */
  sums: (condition) =>
    listed(NUMBERS, (name) => {
      const sum = name === "tokens_input_most" ? "max" : "turnpike.added"
      return `${sum}(w.${name}) filter (where ${condition})`
    }),
  /** The names of these sums, as texts. */
  names: () => listed(NUMBERS, (name) => `'${name}'`),
  /** True if an account counts in a report on p_brand, which is null for all brands. */
  ofBrand: (account) =>
    `(p_brand is null or exists (select from account_brands o where o.user_id = ${account} and o.brand = p_brand))`,
  /** The measures as columns of a result. */
  columns: () => listed(MEASURES, (name) => `${name} bigint`),
  /** Each measure of a row; summed; summed and named. */
  measures: (row) => listed(MEASURES, (name) => `${row}.${name}`),
  totals: (row) => listed(MEASURES, (name) => `turnpike.added(${row}.${name})`),
  added: (row) => listed(MEASURES, (name) => `turnpike.added(${row}.${name}) as ${name}`),
  /** Each measure of a row with the sign of its part of a range, which is in `e`. */
  times: (row) => listed(MEASURES, (name) => `e.sign * ${row}.${name}`),
  namedTimes: (row) => listed(MEASURES, (name) => `e.sign * ${row}.${name} as ${name}`),
  addedTimes: (row) => listed(MEASURES, (name) => `turnpike.added(e.sign * ${row}.${name}) as ${name}`),
  /** Each measure since the row `b`, if there is one. */
  since: (row) => listed(MEASURES, (name) => `${row}.${name} - coalesce(b.${name}, 0)`),
  /** The sum of each measure of a row after its name, as arguments of jsonb_build_object. */
  namedMeasures: (row) => listed(MEASURES, (name) => `'${name}', turnpike.added(${row}.${name})`),
  /** True if a sum of the measures is not 0. */
  isNotZero: (row) => MEASURES.map((name) => `turnpike.added(${row}.${name}) <> 0`).join(" or "),
}
