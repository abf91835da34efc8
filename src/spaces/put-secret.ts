import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import type { Place } from "../platform/key-ring.ts"
import { toInstant } from "../time.ts"
import { changeConfig } from "./change-config.ts"
import { spaceNotFound } from "./get-space.ts"
import { SPACE_POLICY } from "./policies.ts"

interface SecretDates {
  name: string
  created_at: string
  updated_at: string
}

/** Where a secret's ciphertext belongs: sealed for one space and one name. */
export const secretPlace = (spaceSlug: string, name: string): Place => ({
  table: "space_secrets",
  column: "sealed",
  row: name,
  owner: spaceSlug,
})

/** Stores a secret, encrypted, in place of an earlier one of that name. NOT_FOUND, CONFLICT, VALIDATION_FAILED. */
export async function putSecret(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { name, value }: { name: string; value: string },
): Promise<SecretDates> {
  const now = ctx.clock.now()
  const sealed = await ctx.keyRing.seal(value, secretPlace(spaceId, name))
  const { after, answer } = await changeConfig(ctx, credential, spaceId, {
    what: `secrets/${name}`,
    set: sql`slug = s.slug`,
    onlyIf: sql`(select count(*) from space_secrets o where o.space_id = s.space_id and o.name <> ${name})
      < ${SPACE_POLICY.maxSecrets}`,
    also: sql`kept as (
      insert into space_secrets (space_id, name, sealed, created_at, updated_at)
      select space_id, ${name}, ${sealed}, ${now}::timestamptz, ${now}::timestamptz from changed
      on conflict (space_id, name) do update set sealed = excluded.sealed, updated_at = excluded.updated_at
      returning name, created_at, updated_at
    )`,
    answer: sql`(select to_jsonb(kept) from kept)`,
  })
  if (!after) {
    throw new TurnpikeError("VALIDATION_FAILED", `A space has at most ${SPACE_POLICY.maxSecrets} secrets.`, {
      param: "name",
    })
  }
  return serialize(answer as SecretDates)
}

/** Removes a secret; NOT_FOUND when there is none of that name. */
export async function removeSecret(ctx: Context, credential: Credential, spaceId: string, name: string): Promise<void> {
  const { after } = await changeConfig(ctx, credential, spaceId, {
    what: `secrets/${name}`,
    set: sql`slug = s.slug`,
    onlyIf: sql`exists (select 1 from space_secrets o where o.space_id = s.space_id and o.name = ${name})`,
    also: sql`gone as (delete from space_secrets o using changed where o.space_id = changed.space_id and o.name = ${name})`,
  })
  if (!after) throw new TurnpikeError("NOT_FOUND", `The space has no secret "${name}".`, { param: "name" })
}

/** Names and dates of a space's secrets, by name; never a value. */
export async function listSecrets(ctx: Context, credential: Credential, spaceId: string): Promise<SecretDates[]> {
  const { row } = await queryAs<{ found: boolean; secrets: SecretDates[] }>(ctx, credential, {
    ctes: sql`target as materialized (select s.space_id from spaces s, caller where s.slug = ${spaceId} and ${inScope})`,
    select: sql`select exists (select 1 from target) as found, coalesce((
      select jsonb_agg(jsonb_build_object('name', o.name, 'created_at', o.created_at, 'updated_at', o.updated_at) order by o.name)
      from space_secrets o, target where o.space_id = target.space_id), '[]') as secrets`,
  })
  if (!row.found) throw spaceNotFound(spaceId)
  return row.secrets.map(serialize)
}

function serialize({ name, created_at, updated_at }: SecretDates): SecretDates {
  return { name, created_at: toInstant(created_at), updated_at: toInstant(updated_at) }
}
