import { env } from "cloudflare:workers"

/** What the service's static files have at this path, with the headers that anybody gets; 404 is what goes to the worker. */
export function served(path: string): Promise<Response> {
  const { ASSETS } = env as unknown as { ASSETS: Fetcher }
  return ASSETS.fetch(`https://api.test${path}`)
}
