import * as z from "zod"

/** A form of a reply, and the value that the rehearsal model answers. */
export const Place = z.object({ city: z.string(), size: z.enum(["small", "large"]), tags: z.array(z.string()) })
export const PLACE = { city: "text", size: "small", tags: ["text"] }

/** The parameters of `lookupOrder`. */
export const Order = z.object({ id: z.string() })
