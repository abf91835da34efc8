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
  /** True if the issuer has verified the email. */
  emailVerified: boolean
  name: string | null
}

export const RESOLVE_IDENTITY_ERRORS = ["LOGIN_REFUSED", "LOGIN_PROVIDER_FAILED"] as const

/**
 * Finds or creates the user of an identity, and notifies a user whom the identity joins
 * (docs/decisions/0012-linking-identities.md). `exceptAdmins` excludes admins' accounts. Throws
 * LOGIN_REFUSED for an excluded or disabled account, and writes nothing.
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
    "This account is disabled, or this identity is not linked to it. Sign in another way and link the identity there.",
  )

const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,255}$/u
/** Characters that we do not store: control characters, and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** Makes an identity storable: drops an invalid email. Throws LOGIN_PROVIDER_FAILED for an invalid subject. */
export function storableIdentity({ issuer, subject, email, emailVerified, name }: ProvedIdentity): ProvedIdentity {
  if (subject.length === 0 || subject.length > 255 || UNFIT.test(subject)) {
    throw new TurnpikeError("LOGIN_PROVIDER_FAILED", "The identity provider sent no usable subject.")
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
    // Slicing may leave half of a surrogate pair.
    name: called?.toWellFormed() || null,
  }
}

/** IdpSessionRequest in docs/contract.md: verified identity claims. */
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
      description: "True if the issuer has verified the email. An unverified email never selects an account.",
      example: true,
    }),
    name: z.string().max(200).nullish().meta({ example: "Ada" }),
  })
  .meta({ id: "IdpSessionRequest" })
