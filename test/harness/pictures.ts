import { type AccountCredential, sealCredential } from "../../src/providers/credential.ts"
import { contextOf } from "./context.ts"
import type { World } from "./world.ts"

/** Pictures of a few bytes each, as models may return them. */
export const PICTURES = {
  png: Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("of a cat")]),
  jpg: Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.from("of a dog")]),
  webp: Buffer.from("RIFF\x10\0\0\0WEBPof a bird", "latin1"),
}

const HOST = "media.test"
export const MEDIA_TOKEN = "canary-media-token-1"
export const MEDIA_API_KEY: AccountCredential = { kind: "api_key", api_key: MEDIA_TOKEN }

/** Logs in the account that makes pictures. */
export async function logInMedia(
  world: World,
  {
    credential = MEDIA_API_KEY,
    url = `https://${HOST}/v1/`,
  }: { credential?: AccountCredential; url?: string | null } = {},
): Promise<void> {
  const ctx = contextOf(world)
  await world.sql("delete from provider_accounts where pool = 'media'")
  await world.sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, created_at, updated_at)
     values ('media', 'media', 'Pictures', 'oauth_code', 'openai', $1, $2, $2)`,
    [url, world.clock.now()],
  )
  await world.sql("insert into provider_credentials (provider_id, sealed, updated_at) values ('media', $1, $2)", [
    await sealCredential(ctx, "media", credential),
    world.clock.now(),
  ])
}

/** Adds an enabled model for pictures. Returns its pin. */
export async function addImageModel(
  { sql }: Pick<World, "sql">,
  { model = "gpt-image-1", usd = 0.04, sortOrder = 1 }: { model?: string; usd?: number; sortOrder?: number } = {},
): Promise<string> {
  await sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, kind, price_image)
     values ('openai/' || $1, 'openai', $1, $1, true, $2, 0, 0, 0, 'image', $3)`,
    [model, sortOrder, Math.round(usd * 10_000_000)],
  )
  return `openai/${model}`
}

interface Asked {
  url: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

export const pictureAnswer = (bytes: Buffer) =>
  Response.json({ created: 1, data: [{ b64_json: bytes.toString("base64") }] })

/** Serves the images endpoint of that account and records its requests. */
export function serveImages(
  world: World,
  answer: (asked: Asked, request: Request) => Response | Promise<Response> = () => pictureAnswer(PICTURES.png),
) {
  const asked: Asked[] = []
  world.serve(HOST, async (request) => {
    const { url, headers } = request
    const one = { url, headers: Object.fromEntries(headers), body: (await request.json()) as Asked["body"] }
    asked.push(one)
    return answer(one, request)
  })
  return asked
}

/** A space whose agent may make pictures. */
export const PAINTER = { manifest: { builtin_tools: ["generate_image", "write_file", "list_files"] } }
