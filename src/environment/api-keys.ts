import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { type ChangedRow, changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { checkOperatorsUrl } from "../platform/public-url.ts"
import { ENVIRONMENT_FILES, openEnvironmentFile, sealEnvironmentFile } from "./environment-file.ts"

/** How many of the newest model calls of keys, and of those of web chats, are counted for the keys' use: some 10 ms each. */
const COUNTED_CALLS = 20_000

export const externalKeySchema = z
  .object({
    key_id: z.string().meta({ description: "`file.KEY`.", example: "engines.OPENAI_API_KEY" }),
    file: z.string().meta({ example: "engines" }),
    name: z.string().meta({ example: "OPENAI_API_KEY" }),
    is_set: z.boolean().meta({ description: "False: the worker's variable of that name counts, if there is one." }),
    last_four: z.string().nullable().meta({ description: "The last 4 characters of its value.", example: "7f3a" }),
    providers: z.array(z.string()).meta({ description: "Whose calls it is for.", example: ["openai"] }),
    calls: z.int().meta({ description: "The calls of these providers, whichever value served them.", example: 1204 }),
    tokens_input: z.int().meta({ example: 904_112 }),
    tokens_cached: z.int().meta({ example: 120_000 }),
    tokens_output: z.int().meta({ example: 88_310 }),
    cost_usd: z.number().meta({ description: "At the catalog's prices.", example: 12.4 }),
    last_used_at: z.iso.datetime().nullable(),
    counted_since: z.iso
      .datetime()
      .nullable()
      .meta({ description: `Null: all calls are counted. Else only the newest ${COUNTED_CALLS} calls, since then.` }),
    version: z.int().meta({ description: "Raised by each change; 0: never set." }),
    updated_at: z.iso.datetime().nullable(),
    updated_by: changedBySchema("Who set it."),
  })
  .meta({ id: "ExternalApiKey" })

type ExternalKey = z.infer<typeof externalKeySchema>

/** The contract's UpdateApiKeyRequest. */
export const updateApiKeySchema = z
  .strictObject({
    value: z
      .string()
      .min(8)
      .max(8192)
      .regex(/^[\x21-\x7e]+$/, "has a character that is not printable ASCII, or a blank")
      .meta({
        description: "8–8192 printable ASCII characters without blanks. It is never shown again.",
        example: "sk-example-7f3a",
      }),
  })
  .meta({ id: "UpdateApiKeyRequest" })

interface KeyRow extends Omit<ChangedRow, "created_at"> {
  file: string
  key: string
}

interface UseRow {
  provider: string
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  micros: number
  first_at: string
  last_at: string
}

/** Everything there is to say about the keys, in one statement: the documents too, which only we can open. */
async function readKeys(ctx: Context, credential: SessionCredential) {
  const { rows } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select(columnsOf), { role: "admin" })
  const [row] = rows
  if (!row) throw new Error("an admin has a row")
  const files = new Map(row.files.map((file) => [file.file, file]))
  const documents = new Map<string, Record<string, string>>()
  for (const { file, sealed } of files.values()) documents.set(file, await openEnvironmentFile(ctx, file, sealed))
  return { files, documents, keys: row.keys, uses: [...row.calls, ...row.chats] as UseRow[] }
}

type Known = Awaited<ReturnType<typeof readKeys>>

function columnsOf(eb: ExpressionBuilder<CallerDB, "caller">) {
  const calls = eb
    .selectFrom("usage as u")
    .select(["u.provider", "u.tokens_input", "u.tokens_cached", "u.tokens_output", "u.cost_credit_micros"])
    .select(["u.created_at", (e) => e.lit(1).as("calls")])
    .orderBy("u.usage_id", "desc")
    .limit(COUNTED_CALLS)
    .as("n")
  const chats = eb
    .selectFrom("chat_calls as c")
    .select(["c.provider", "c.tokens_input", "c.tokens_cached", "c.tokens_output", "c.cost_credit_micros"])
    .select(["c.created_at", (e) => e.lit(1).as("calls")])
    .orderBy("c.turn_id", "desc")
    .orderBy("c.step", "desc")
    .limit(COUNTED_CALLS)
    .as("n")
  return [
    jsonArrayFrom(eb.selectFrom("environment_files as e").select(["e.file", "e.sealed", "e.version"])).as("files"),
    jsonArrayFrom(
      eb
        .selectFrom("environment_keys as k")
        .leftJoin("users as w", "w.user_id", "k.updated_by")
        .select(["k.file", "k.key", "k.version", "k.updated_at", "k.updated_by", "w.name as updated_by_name"]),
    ).as("keys"),
    jsonArrayFrom(
      eb
        .selectFrom(calls)
        .select((e) => sumsOf(e))
        .groupBy("n.provider"),
    ).as("calls"),
    jsonArrayFrom(
      eb
        .selectFrom(chats)
        .select((e) => sumsOf(e))
        .groupBy("n.provider"),
    ).as("chats"),
  ] as const
}

interface Counted {
  n: {
    provider: string
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    cost_credit_micros: number
    created_at: Date
    calls: number
  }
}

const sumsOf = ({ fn }: ExpressionBuilder<Counted, "n">) =>
  [
    "n.provider" as const,
    fn.sum<number>("n.calls").as("calls"),
    fn.sum<number>("n.tokens_input").as("tokens_input"),
    fn.sum<number>("n.tokens_cached").as("tokens_cached"),
    fn.sum<number>("n.tokens_output").as("tokens_output"),
    fn.sum<number>("n.cost_credit_micros").as("micros"),
    fn.min("n.created_at").as("first_at"),
    fn.max("n.created_at").as("last_at"),
  ] as const

function serializeKey(known: Known, file: string, name: string, row: KeyRow | null | undefined): ExternalKey {
  const providers = [...(ENVIRONMENT_FILES[file]?.keys[name] ?? [])]
  const value = known.documents.get(file)?.[name]
  const uses = known.uses.filter(({ provider }) => providers.includes(provider))
  const sum = (of: (use: UseRow) => number) => uses.reduce((all, use) => all + of(use), 0)
  const all = known.uses.reduce((count, { calls }) => count + calls, 0)
  const last = uses.map(({ last_at }) => toInstant(last_at)).sort()
  const first = known.uses.map(({ first_at }) => toInstant(first_at)).sort()
  return {
    key_id: `${file}.${name}`,
    file,
    name,
    is_set: value !== undefined,
    last_four: value?.slice(-4) ?? null,
    providers,
    calls: sum(({ calls }) => calls),
    tokens_input: sum((use) => use.tokens_input),
    tokens_cached: sum((use) => use.tokens_cached),
    tokens_output: sum((use) => use.tokens_output),
    cost_usd: toUsd(sum(({ micros }) => micros)),
    last_used_at: last.at(-1) ?? null,
    counted_since: all < COUNTED_CALLS ? null : (first[0] ?? null),
    version: row?.version ?? 0,
    updated_at: row ? toInstant(row.updated_at) : null,
    updated_by: serializeChangedBy(row),
  }
}

/** All keys that engines know, and all others that were set, with what their providers' calls have used. */
export async function listApiKeys(ctx: Context, credential: SessionCredential): Promise<ExternalKey[]> {
  const known = await readKeys(ctx, credential)
  const names = new Set(
    Object.entries(ENVIRONMENT_FILES).flatMap(([file, { keys }]) => Object.keys(keys).map((key) => `${file}.${key}`)),
  )
  for (const { file, key } of known.keys) names.add(`${file}.${key}`)
  return [...names].sort().map((id) => {
    const { file, name } = partsOf(id)
    return serializeKey(known, file, name, rowOf(known, file, name))
  })
}

const rowOf = ({ keys }: Known, file: string, name: string) => keys.find((row) => row.file === file && row.key === name)

const partsOf = (id: string) => ({ file: id.slice(0, id.indexOf(".")), name: id.slice(id.indexOf(".") + 1) })

/** Edits of one document that come at the same moment are made one behind the other. */
const TRIES = 8

/**
 * Sets a key of a known file, which the next model call uses. NOT_FOUND for an unknown file, VALIDATION_FAILED for a name that no
 * variable has, or a base URL that is none.
 */
export async function putApiKey(
  ctx: Context,
  credential: SessionCredential,
  { keyId, value, ifVersion }: { keyId: string; value: string; ifVersion: number | null },
): Promise<ExternalKey> {
  for (let tries = 1; ; tries++) {
    const known = await readKeys(ctx, credential)
    const { file, name } = partsOf(keyId)
    if (!Object.hasOwn(ENVIRONMENT_FILES, file)) {
      const message = `There is no environment file for "${keyId}"; the files are ${Object.keys(ENVIRONMENT_FILES).join(", ")}.`
      throw new TurnpikeError("NOT_FOUND", message, { param: "key_id" })
    }
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) throw wrongName("names a key by capitals, digits and _ behind the dot")
    if (name.endsWith("_BASE_URL")) checkOperatorsUrl(ctx, value, "value")
    const document = known.documents.get(file) ?? {}
    const changed = { ...document, [name]: value }
    try {
      return await editAs(ctx, credential, "put_environment_key", {
        args: {
          file,
          key: name,
          sealed: document[name] === value ? null : await sealEnvironmentFile(ctx, file, changed),
          made_from: known.files.get(file)?.version ?? 0,
          if_version: ifVersion,
        },
        refusals: { raced: ["CONFLICT", "Other keys of the file are being changed at this moment."] },
        serialize: (row: KeyRow | null) => {
          const written = row?.version !== rowOf(known, file, name)?.version
          const documents = new Map([...known.documents, ...(written ? [[file, changed] as const] : [])])
          return serializeKey({ ...known, documents }, file, name, row)
        },
      })
    } catch (error) {
      if (!(error instanceof TurnpikeError && error.code === "CONFLICT") || tries === TRIES) throw error
    }
  }
}

function wrongName(message: string): TurnpikeError {
  const faults = [{ location: "path" as const, path: ["key_id"], type: "value_error", message }]
  return new TurnpikeError("VALIDATION_FAILED", `key_id: ${message}`, { param: "key_id", faults })
}
