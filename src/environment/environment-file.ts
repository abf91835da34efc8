import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** The environment files. For each known key of a file: the providers whose calls use it. */
export const ENVIRONMENT_FILES: Readonly<Record<string, { keys: Readonly<Record<string, readonly string[]>> }>> = {
  engines: {
    keys: {
      ANTHROPIC_API_KEY: ["anthropic"],
      ANTHROPIC_BASE_URL: [],
      OPENAI_API_KEY: ["openai", "openai-compatible"],
      OPENAI_BASE_URL: [],
    },
  },
}

const target = (file: string): SealTarget => ({
  table: "environment_files",
  column: "sealed",
  row: file,
  owner: "operator",
})

type Variables = Record<string, string>

/** Decrypts a sealed document, or throws. If its key is not the newest, seals it again in the background. */
export async function openEnvironmentFile(ctx: Context, file: string, sealed: string | null): Promise<Variables> {
  if (sealed === null) return {}
  const { text, stale } = await ctx.keyRing.open(sealed, target(file))
  if (stale) ctx.background(rewrap(ctx, { file, old: sealed, text }))
  const pairs = text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  return Object.fromEntries(pairs)
}

/** Seals a document of KEY=value lines. Values must not contain line breaks. */
export function sealEnvironmentFile(ctx: Context, file: string, variables: Variables): Promise<string> {
  const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}`)
  return ctx.keyRing.seal(lines.join("\n"), target(file))
}

async function rewrap(ctx: Context, { file, old, text }: { file: string; old: string; text: string }): Promise<void> {
  try {
    await call(ctx.db, "reseal_environment", { file, old, sealed: await ctx.keyRing.seal(text, target(file)) })
  } catch (error) {
    ctx.log("error", "environment.rewrap_failed", { file, error: describeError(error) })
  }
}
