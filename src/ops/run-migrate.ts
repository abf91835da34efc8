import type pg from "pg"
import type { Phase } from "./migration-files.ts"
import { migrate } from "./migrations.ts"

/** `npm run admin -- migrate`: what it prints, and whether a deploy has to wait since something before it could not be applied. */
export async function runMigrate(client: pg.ClientBase, phase: Phase): Promise<{ text: string; isBlocked: boolean }> {
  const { applied, waiting } = await migrate(client, { phase, log: (line) => console.log(line) })
  const lines = [applied.length > 0 ? `Applied: ${applied.length}.` : "Nothing was to be applied."]
  const [next, ...behind] = waiting
  const needed = behind.find((migration) => migration.phase === "before-deploy")
  if (next) {
    lines.push(
      `${next.name} waits: it is for after the deploy. When no worker of the release before this one runs any more, run`,
    )
    lines.push("  npm run admin -- migrate --after-deploy")
  }
  if (needed) {
    lines.push(
      `Do not deploy yet: ${needed.name}, which this release needs, comes behind it. First see that the release which`,
    )
    lines.push("runs now is the one that brought it, and that all its workers are deployed.")
  }
  return { text: lines.join("\n"), isBlocked: needed !== undefined }
}
