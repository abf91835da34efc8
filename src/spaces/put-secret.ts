import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential } from "../actor/actor.ts"
import { callAs, readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { secretTarget } from "../agent-config/secret.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { throwRefusedChange } from "./change-config.ts"
import { SPACE_POLICY } from "./policies.ts"

type SecretDates = Answers["secret_answer"]

export const PUT_SECRET_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "LIMIT_REACHED", "SPACE_ROLE_REQUIRED"] as const

/**
 * Encrypts and stores a secret. Throws NOT_FOUND, SPACE_ROLE_REQUIRED, SPACE_ARCHIVED, VALIDATION_FAILED,
 * LIMIT_REACHED.
 */
export async function putSecret(
  ctx: Context,
  credential: Credential,
  spaceId: string,
  { name, value }: { name: string; value: string },
): Promise<SecretDates> {
  const sealed = await ctx.keyRing.seal(value, secretTarget(spaceId, name))
  const max = SPACE_POLICY.maxSecrets
  const { row } = await callAs(ctx, credential, "put_secret", { slug: spaceId, name, sealed, max })
  throwRefusedChange(spaceId, row)
  if (!row.secret) {
    throw new TurnpikeError("VALIDATION_FAILED", `A space has at most ${max} secrets.`, { param: "name" })
  }
  return serialize(row.secret)
}

export const REMOVE_SECRET_ERRORS = ["NOT_FOUND", "SPACE_ARCHIVED", "SPACE_ROLE_REQUIRED"] as const

/** Removes a secret. Throws NOT_FOUND if the space has no secret of that name. */
export async function removeSecret(ctx: Context, credential: Credential, spaceId: string, name: string): Promise<void> {
  const { row } = await callAs(ctx, credential, "remove_secret", { slug: spaceId, name })
  throwRefusedChange(spaceId, row)
  if (row.refused === "no_entry") {
    throw new TurnpikeError("NOT_FOUND", `The space has no secret "${name}".`, { param: "name" })
  }
}

/** Names and dates of a space's secrets, sorted by name. Values are never returned. */
export async function listSecrets(ctx: Context, credential: Credential, spaceId: string): Promise<SecretDates[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((eb) =>
        jsonArrayFrom(
          eb
            .selectFrom("space_secrets as o")
            .select(["o.name", "o.created_at", "o.updated_at"])
            .whereRef("o.space_id", "=", "s.space_id")
            .orderBy("o.name"),
        ).as("secrets"),
      ),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return rows[0].secrets.map(serialize)
}

function serialize({ name, created_at, updated_at }: SecretDates): SecretDates {
  return { name, created_at: toInstant(created_at), updated_at: toInstant(updated_at) }
}
