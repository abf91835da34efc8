import * as z from "zod"

/** The callbacks worker loads a file from a URL here, since only it may call servers of others. */
export const LOAD_URL_PATH = "/callbacks/internal/load-url"

export const loadUrlInput = z.object({ url: z.string() })

/** The answer is the file with these headers, or JSON with the reason why it cannot be loaded. */
export const LOADED = { mediaType: "turnpike-media-type" } as const

export const notLoadedSchema = z.object({ refused: z.string() })
