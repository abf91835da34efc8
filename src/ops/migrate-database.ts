import type pg from "pg"
import type { SystemContext } from "../actor/context.ts"
import { noteAct } from "./audited.ts"
import { grantRelease, ROLE_PREFIX } from "./grants.ts"
import type { MigrationPhase } from "./migration-files.ts"
import { describeMigrated, migrate } from "./migrations.ts"
import { applyRelease, readRelease } from "./release.ts"

interface Migration {
  phase: MigrationPhase
  prefix?: string
  log: (line: string) => void
}

/**
 * Applies the migrations of a phase, adds the procedures of this release, and grants the existing roles their rights.
 * `isBlocked`: this release needs a migration that must wait for an earlier deploy, so nothing else was done.
 */
export async function migrateDatabase(
  client: pg.Client,
  ctx: SystemContext,
  { phase, prefix = ROLE_PREFIX, log }: Migration,
): Promise<{ text: string; isBlocked: boolean }> {
  const { text, isBlocked } = describeMigrated(await migrate(client, { phase, log }))
  if (isBlocked) return { text, isBlocked }
  const release = await readRelease()
  const isNew = await applyRelease(client, release)
  await grantRelease(client, release, { prefix, exact: phase === "after-deploy" })
  await noteAct(ctx, { action: "cli.migrate", subject: ["release", release.name], after: { phase, added: isNew } })
  const added = `The procedures of this release ${isNew ? "were added" : "exist already"}: ${release.name}.`
  return { text: `${text}\n${added}`, isBlocked }
}
