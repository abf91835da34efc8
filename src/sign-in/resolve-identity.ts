import { createHash, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import { sendFactorNotice } from "./notices.ts"

/** A person's identity at an issuer that we trust. */
export interface ProvedIdentity {
  issuer: string
  subject: string
  email: string | null
  /** Whether the issuer has verified the email. */
  emailVerified: boolean
  name: string | null
}

/**
 * The user of an identity and the epoch of their sessions. Makes the user when there is none, and tells a user whom the identity joins.
 * The procedure `resolve_identity` has the rule (docs/decisions/0012-linking-identities.md): an unverified email neither joins an account nor is stored. `exceptAdmins`: refuses admins'
 * accounts. LOGIN_REFUSED for these and for disabled accounts; then nothing is written.
 */
export async function resolveIdentity(
  ctx: Context,
  identity: ProvedIdentity,
  { brand, exceptAdmins = false }: { brand: string; exceptAdmins?: boolean },
): Promise<{ userId: number; epoch: number }> {
  const { issuer, subject, email, emailVerified, name } = storableIdentity(identity)
  const { outcome, user_id, epoch } = await callOne(ctx.db, "resolve_identity", {
    issuer,
    subject,
    email,
    email_verified: emailVerified,
    name,
    brand,
    except_admins: exceptAdmins,
    request_id: ctx.requestId,
    address: ctx.address,
    moment: ctx.clock.now(),
  })
  if (user_id === null || epoch === null) throw loginRefused()
  if (outcome === "joined") sendFactorNotice(ctx, user_id, { factor: "identity", change: "linked" })
  return { userId: user_id, epoch }
}

const loginRefused = () =>
  new TurnpikeError(
    "LOGIN_REFUSED",
    "This account is disabled, or the identity must be linked to it first: sign in another way and link it there.",
  )

const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,255}$/u
/** Characters that we do not store: control characters, and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** The identity in a form that can be stored. LOGIN_PROVIDER_FAILED for a subject that cannot; an invalid email is dropped. */
export function storableIdentity({ issuer, subject, email, emailVerified, name }: ProvedIdentity): ProvedIdentity {
  if (subject.length === 0 || subject.length > 255 || UNFIT.test(subject)) {
    throw new TurnpikeError("LOGIN_PROVIDER_FAILED", "The identity provider gives no usable subject.")
  }
  const address = email !== null && email.length <= 320 && EMAIL.test(email) ? email : null
  const called = name
    ?.replace(/[\p{Cc}\p{Cs}]/gu, "")
    .trim()
    .slice(0, 200)
  return {
    issuer,
    subject,
    email: address,
    emailVerified: address !== null && emailVerified,
    // A cut may leave half of a surrogate pair.
    name: called?.toWellFormed() || null,
  }
}

/** IdpSessionRequest of docs/contract.md: verified identity claims. */
export const idpSessionSchema = z
  .strictObject({
    issuer: z
      .string()
      .min(1)
      .max(512)
      .regex(/^(?!messenger:)[^\p{C}]+$/iu, "must be an issuer")
      .meta({
        description: "The issuer that signed the person in. Always spell it the same way.",
        example: "https://id.example.com",
      }),
    subject: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{C}]+$/u, "must not have control characters")
      .meta({ description: "The person's permanent id at that issuer.", example: "248289761001" }),
    email: z.email().max(320).nullish(),
    email_verified: z.boolean().default(false).meta({
      description: "Whether the issuer has verified the email. An unverified email never leads to an account.",
      example: true,
    }),
    name: z.string().max(200).nullish().meta({ example: "Ada" }),
  })
  .meta({ id: "IdpSessionRequest" })

/** Whether a header is the secret. Digests are compared in constant time, so neither content nor length can be measured. */
export function isInternalSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
