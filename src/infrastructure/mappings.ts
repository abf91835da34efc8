import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { serverName } from "../agent-config/names.ts"
import { headersSchema } from "../agent-config/request-parts.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkOperatorsUrl } from "../platform/public-url.ts"
import { sealHeaders } from "./container.ts"

const containerName = serverName.meta({
  description: "The name of the container. It is unique within the space.",
  example: "sandbox",
})
const spaceSlug = z.string().min(1).max(128).meta({ example: "spc_01k8m3v9q2x7" })

export const mappingSchema = z
  .object({
    container: containerName,
    space: spaceSlug,
    url: z.string().meta({ example: "https://sandbox.internal/mcp" }),
    header_names: z.array(z.string()).meta({
      description: "The names of the headers that are sent to the container. Their values are never shown.",
      example: ["authorization"],
    }),
    enabled: z.boolean(),
    version: z.int().meta({ description: "Increases with each change." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: changedBySchema("The admin who made the last change; null if it was the command line."),
  })
  .meta({ id: "ContainerMapping" })

type Mapping = z.infer<typeof mappingSchema>

const noPlaceholder = (texts: unknown) => !JSON.stringify(texts).includes("{{")

/** MappingUpsert of docs/contract.md. */
export const mappingUpsertSchema = z
  .strictObject({
    container: containerName,
    space: spaceSlug,
    url: z.string().min(1).max(4096).refine(noPlaceholder, "must not have placeholders").meta({
      description: "The Streamable HTTP endpoint of the container: any http(s) URL except those of this service.",
      example: "https://sandbox.internal/mcp",
    }),
    headers: headersSchema
      .refine(noPlaceholder, "must not have placeholders")
      .nullable()
      .optional()
      .meta({
        description:
          "All headers to send to the container; null for none. If omitted, the stored headers stay. Required if `url` changes to another server and headers are stored.",
        example: { authorization: "Bearer 7f3a…" },
      }),
    enabled: z.boolean().optional().meta({ description: "Default: unchanged; true for a new mapping." }),
  })
  .meta({ id: "MappingUpsert" })

type MappingRow = Answers["mapping_answer"]

function serializeMapping(row: MappingRow): Mapping {
  return {
    container: row.container,
    space: row.space,
    url: row.url,
    header_names: row.header_names,
    enabled: row.enabled,
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: serializeChangedBy(row),
  }
}

export interface MappingFilters {
  space?: string | undefined
  container?: string | undefined
}

/** A page of container mappings, oldest first, and the number of all mappings found. */
export async function listMappings(
  ctx: Context,
  credential: SessionCredential,
  { filters: { space, container }, limit, offset }: { filters: MappingFilters; limit: number; offset: number },
): Promise<{ items: Mapping[]; total: number }> {
  const mappings = (eb: ExpressionBuilder<CallerDB, "caller">) =>
    eb
      .selectFrom("container_mappings as m")
      .$if(space !== undefined, (query) =>
        query.where("m.space_id", "=", (of) =>
          of
            .selectFrom("spaces as s")
            .where("s.slug", "=", space ?? "")
            .select("s.space_id"),
        ),
      )
      .$if(container !== undefined, (query) => query.where("m.container", "=", container ?? ""))
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((eb) => {
        const page = mappings(eb).selectAll("m").orderBy("m.mapping_id").limit(limit).offset(offset).as("p")
        return [
          mappings(eb)
            .select(({ fn }) => fn.countAll<number>().as("total"))
            .as("total"),
          jsonArrayFrom(
            eb
              .selectFrom(page)
              .innerJoin("spaces as s", "s.space_id", "p.space_id")
              .leftJoin("users as u", "u.user_id", "p.updated_by")
              .select(["p.container", "s.slug as space", "p.url", "p.header_names", "p.enabled", "p.version"])
              .select(["p.created_at", "p.updated_at", "p.updated_by", "u.name as updated_by_name"])
              .orderBy("p.mapping_id"),
          ).as("items"),
        ]
      }),
    { role: "admin" },
  )
  const [row] = rows
  return { items: (row?.items ?? []).map((item) => serializeMapping(item as MappingRow)), total: row?.total ?? 0 }
}

/**
 * Maps a space to a container, from the next claimed turn on. NOT_FOUND for an unknown space; VALIDATION_FAILED for an
 * invalid URL, or if stored headers would be sent to another server.
 */
export async function putMapping(
  ctx: Context,
  credential: SessionCredential,
  { container, space, url, headers, enabled }: z.infer<typeof mappingUpsertSchema>,
  ifVersion: number | null,
): Promise<Mapping> {
  checkOperatorsUrl(ctx, url, "url")
  const sealed = headers ? await sealHeaders(ctx, { space, container, headers }) : null
  return editAs(ctx, credential, "put_mapping", {
    args: {
      container,
      space,
      url,
      enabled: enabled ?? null,
      if_version: ifVersion,
      keeps_headers: headers === undefined,
      headers: sealed,
      header_names: Object.keys(headers ?? {}).sort(),
    },
    refusals: {
      other_server: headersMissing,
      no_space: ["NOT_FOUND", `There is no space "${space}".`],
      none_yet: ["VERSION_MISMATCH", "There is no such mapping, so If-Match cannot match. Nothing was changed."],
    },
    serialize: (row: MappingRow | null) => serializeMapping(row as MappingRow),
  })
}

/** Removes a mapping and its headers. NOT_FOUND if the space has no such mapping. */
export function removeMapping(
  ctx: Context,
  credential: SessionCredential,
  { space, container, ifVersion }: { space: string; container: string; ifVersion: number | null },
): Promise<Mapping> {
  return editAs(ctx, credential, "remove_mapping", {
    args: { container, space, if_version: ifVersion },
    refusals: { not_found: ["NOT_FOUND", `The space "${space}" has no mapping to the container "${container}".`] },
    serialize: (row: MappingRow) => serializeMapping(row),
  })
}

function headersMissing(): TurnpikeError {
  const message =
    "are required, because `url` is on another server and the stored headers must not be sent to it; null sends none"
  const faults = [{ location: "body" as const, path: ["headers"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `headers: ${message}`, { param: "headers", faults })
}
