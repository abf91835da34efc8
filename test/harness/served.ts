import { env } from "cloudflare:workers"

/** The static file at this path with its headers; 404 for paths that the worker serves. */
export function staticFile(path: string): Promise<Response> {
  const { ASSETS } = env as unknown as { ASSETS: Fetcher }
  return ASSETS.fetch(`https://api.test${path}`)
}
