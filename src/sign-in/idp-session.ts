import { createHash, timingSafeEqual } from "node:crypto"
import * as z from "zod"

/** IdpSessionRequest of the contract: verified identity claims. */
export const idpSessionSchema = z
  .strictObject({
    issuer: z
      .string()
      .min(1)
      .max(512)
      .regex(/^(?!messenger:)[^\p{C}]+$/iu, "is no issuer")
      .meta({ description: "Who has signed the person in, always spelt alike.", example: "https://id.example.com" }),
    subject: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{C}]+$/u, "has control characters")
      .meta({ description: "Who they are there, for good.", example: "248289761001" }),
    email: z.email().max(320).nullish(),
    email_verified: z.boolean().default(false).meta({
      description: "Whether the issuer has verified the email. One that it has not verified never leads to an account.",
      example: true,
    }),
    name: z.string().max(200).nullish().meta({ example: "Ada" }),
  })
  .meta({ id: "IdpSessionRequest" })

/** Whether a header is the secret. Digests are compared, in constant time, so that neither content nor length shows in it. */
export function isInternalSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
