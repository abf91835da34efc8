import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkOperatorsUrl } from "../platform/public-url.ts"
import { ENVIRONMENT_FILES, openEnvironmentFile, sealEnvironmentFile } from "./environment-file.ts"
import { COUNTED_CALLS, type KeyUse, selectKeyUse, useOf } from "./key-use.ts"

/** The number of characters at the end of a value that answers show. */
export const SHOWN_OF_KEY = 4

export const externalKeySchema = z
  .object({
    key_id: z.string().meta({ description: "`file.KEY`.", example: "engines.OPENAI_API_KEY" }),
    file: z.string().meta({ example: "engines" }),
    name: z.string().meta({ example: "OPENAI_API_KEY" }),
    is_set: z.boolean().meta({
      description:
        "Whether a value is stored. If false, the environment variable of the worker with this name is used, if it exists.",
    }),
    last_four: z
      .string()
      .nullable()
      .meta({
        description: `The last ${SHOWN_OF_KEY} characters of the value; null if none is stored.`,
        example: "7f3a",
      }),
    providers: z.array(z.string()).meta({ description: "The providers whose calls use the key.", example: ["openai"] }),
    calls: z.int().meta({
      description:
        "The number of calls to these providers since the key was set, without calls that a provider account of a pool served. " +
        "Later values count on. 0 without a value.",
      example: 1204,
    }),
    tokens_input: z.int().meta({ example: 904_112 }),
    tokens_cached: z.int().meta({ example: 120_000 }),
    tokens_output: z.int().meta({ example: 88_310 }),
    cost_usd: z
      .number()
      .meta({ description: "The cost of these calls for us, at the provider's prices.", example: 12.4 }),
    last_used_at: z.iso.datetime().nullable(),
    counted_since: z.iso
      .datetime()
      .nullable()
      .meta({
        description: `Null if all calls are counted. Otherwise the time of the oldest counted call: only the newest ${COUNTED_CALLS} calls are counted.`,
      }),
    version: z.int().meta({ description: "Increases with each change. 0 if the key was never set." }),
    updated_at: z.iso.datetime().nullable(),
    updated_by: changedBySchema("The admin who last set or unset the key; null if it was the command line."),
  })
  .meta({ id: "ExternalApiKey" })

type ExternalKey = z.infer<typeof externalKeySchema>

/** UpdateApiKeyRequest of docs/contract.md. */
export const updateApiKeySchema = z
  .strictObject({
    value: z
      .string()
      .min(8)
      .max(8192)
      .regex(/^[\x21-\x7e]+$/, "must contain only printable ASCII characters without spaces")
      .meta({
        description: "8–8192 printable ASCII characters without spaces. The value is never shown again.",
        example: "sk-example-7f3a",
      }),
  })
  .meta({ id: "UpdateApiKeyRequest" })

type KeyRow = Answers["environment_key_answer"]

/** Reads all keys and their use in one statement, and decrypts the environment files. */
async function readKeys(ctx: Context, credential: SessionCredential) {
  const { rows } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select(columnsOf), { role: "admin" })
  const [row] = rows
  if (!row) throw new Error("an admin has a row")
  const files = new Map(row.files.map((file) => [file.file, file]))
  const documents = new Map<string, Record<string, string>>()
  for (const { file, sealed } of files.values()) documents.set(file, await openEnvironmentFile(ctx, file, sealed))
  const use: KeyUse = { uses: row.uses, looked: row.looked }
  return { files, documents, keys: row.keys, use }
}

type Known = Awaited<ReturnType<typeof readKeys>>

function columnsOf(eb: ExpressionBuilder<CallerDB, "caller">) {
  return [
    jsonArrayFrom(eb.selectFrom("environment_files as e").select(["e.file", "e.sealed", "e.version"])).as("files"),
    jsonArrayFrom(
      eb
        .selectFrom("environment_keys as k")
        .leftJoin("users as w", "w.user_id", "k.updated_by")
        .select([
          "k.file",
          "k.key",
          "k.version",
          "k.set_at",
          "k.updated_at",
          "k.updated_by",
          "w.name as updated_by_name",
        ]),
    ).as("keys"),
    ...selectKeyUse(eb),
  ] as const
}

function serializeKey(known: Known, file: string, name: string, row: KeyRow | null | undefined): ExternalKey {
  const providers = [...(ENVIRONMENT_FILES[file]?.keys[name] ?? [])]
  const value = known.documents.get(file)?.[name]
  const use = useOf(known.use, file, name, row?.set_at ?? null)
  return {
    key_id: `${file}.${name}`,
    file,
    name,
    is_set: value !== undefined,
    last_four: value?.slice(-SHOWN_OF_KEY) ?? null,
    providers,
    calls: use.calls,
    tokens_input: use.tokens_input,
    tokens_cached: use.tokens_cached,
    tokens_output: use.tokens_output,
    cost_usd: toUsd(use.micros),
    last_used_at: toInstant(use.last_at),
    counted_since: use.since,
    version: row?.version ?? 0,
    updated_at: row ? toInstant(row.updated_at) : null,
    updated_by: serializeChangedBy(row),
  }
}

/** All keys that engines know, and all other keys that have a value, with the usage of their calls. */
export async function listApiKeys(ctx: Context, credential: SessionCredential): Promise<ExternalKey[]> {
  const known = await readKeys(ctx, credential)
  const names = new Set(
    Object.entries(ENVIRONMENT_FILES).flatMap(([file, { keys }]) => Object.keys(keys).map((key) => `${file}.${key}`)),
  )
  for (const { file, key, set_at } of known.keys) if (set_at !== null) names.add(`${file}.${key}`)
  return [...names].sort().map((id) => {
    const { file, name } = partsOf(id)
    return serializeKey(known, file, name, rowOf(known, file, name))
  })
}

const rowOf = ({ keys }: Known, file: string, name: string) => keys.find((row) => row.file === file && row.key === name)

const partsOf = (id: string) => ({ file: id.slice(0, id.indexOf(".")), name: id.slice(id.indexOf(".") + 1) })

/** The maximum number of attempts to save a file that other requests change at the same time. */
const TRIES = 8

export const PUT_API_KEY_ERRORS = ["NOT_FOUND", "CONFLICT"] as const

interface KeyChange {
  keyId: string
  ifVersion: number | null
}

/**
 * Sets a key of a known file. The next model call uses it. NOT_FOUND for an unknown file; VALIDATION_FAILED for a name
 * that no environment variable can have, or for an invalid base URL.
 */
export async function putApiKey(
  ctx: Context,
  credential: SessionCredential,
  { value, ...change }: KeyChange & { value: string },
): Promise<ExternalKey> {
  const { name } = partsOf(change.keyId)
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name))
    throw wrongName("must have a key of capital letters, digits and _ after the dot")
  if (name.endsWith("_BASE_URL")) checkOperatorsUrl(ctx, value, "value")
  return changeKey(ctx, credential, change, value)
}

/**
 * Deletes the value of a key, so that the next model call uses the variable of its worker, if that exists. NOT_FOUND
 * for an unknown file, or a key that engines do not know and that was never set.
 */
export async function unsetApiKey(
  ctx: Context,
  credential: SessionCredential,
  change: KeyChange,
): Promise<ExternalKey> {
  return changeKey(ctx, credential, change, undefined)
}

/** Saves the file of a key with a new value, or without one. Tries again while other requests change the same file. */
async function changeKey(
  ctx: Context,
  credential: SessionCredential,
  { keyId, ifVersion }: KeyChange,
  value: string | undefined,
): Promise<ExternalKey> {
  const { file, name } = partsOf(keyId)
  for (let tries = 1; ; tries++) {
    const known = await readKeys(ctx, credential)
    checkKnown(known, { keyId, isSet: value !== undefined })
    const { [name]: former, ...others } = known.documents.get(file) ?? {}
    const changed = value === undefined ? others : { ...others, [name]: value }
    try {
      return await editAs(ctx, credential, "put_environment_key", {
        args: {
          file,
          key: name,
          sealed: former === value ? null : await sealEnvironmentFile(ctx, file, changed),
          is_set: value !== undefined,
          made_from: known.files.get(file)?.version ?? 0,
          if_version: ifVersion,
        },
        refusals: { raced: ["CONFLICT", "Other requests are changing keys of this file. Try again."] },
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

function checkKnown(known: Known, { keyId, isSet }: { keyId: string; isSet: boolean }): void {
  const { file, name } = partsOf(keyId)
  const files = Object.keys(ENVIRONMENT_FILES).join(", ")
  if (!Object.hasOwn(ENVIRONMENT_FILES, file))
    throw notFound(`There is no environment file for "${keyId}"; the files are ${files}.`)
  const isKnown = isSet || Object.hasOwn(ENVIRONMENT_FILES[file]?.keys ?? {}, name) || rowOf(known, file, name)
  if (!isKnown) throw notFound(`There is no key "${keyId}".`)
}

const notFound = (message: string) => new TurnpikeError("NOT_FOUND", message, { param: "key_id" })

function wrongName(message: string): TurnpikeError {
  const faults = [{ location: "path" as const, path: ["key_id"], type: "value_error", message }]
  return new TurnpikeError("VALIDATION_FAILED", `key_id: ${message}`, { param: "key_id", faults })
}
