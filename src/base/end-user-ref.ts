import * as z from "zod"
import { isPlain, PLAIN_FAULT } from "./plain-text.ts"

/** An account's own id of one of its end users, in a body. */
export const endUserRef = z
  .string()
  .min(1)
  .max(128)
  .refine((ref) => ref !== "." && ref !== "..", "must not be . or .., because a URL path cannot contain them")
  .refine(isPlain, PLAIN_FAULT)
