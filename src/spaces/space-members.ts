import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, type Refusals } from "../actor/edit-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { sendSharedNotices } from "../teams/shared-notice.ts"
import { getAdminSpace } from "./admin-space.ts"
import { SPACE_POLICY } from "./policies.ts"

export const putSpaceChatSchema = z
  .strictObject({
    chat_key: z
      .string()
      .regex(/^messenger:-[1-9]\d{0,15}$/, "must be the key of a group, `messenger:-100…`")
      .nullable()
      .meta({
        description:
          "`messenger:` and the group's id on the messaging platform. Null: links the space to its own web chat again.",
        example: "messenger:-1001234567890",
      }),
  })
  .meta({ id: "PutSpaceChat" })

export const addSpaceMemberSchema = z
  .strictObject({ user_id: z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ example: 42 }) })
  .meta({ id: "AddSpaceMember" })

export const spaceMemberSchema = z
  .object({
    space_id: z.int().meta({ example: 318 }),
    user_id: z.int().meta({ example: 42 }),
    name: z.string().nullable().meta({ example: "Ada" }),
    email: z.string().nullable().meta({ example: "ada@example.com" }),
    since: z.iso.datetime(),
  })
  .meta({ id: "SpaceMember" })

type SpaceMember = z.infer<typeof spaceMemberSchema>

const refusalsOf = (spaceId: number): Refusals => ({
  not_found: ["NOT_FOUND", `There is no space ${spaceId}.`],
  no_member: ["NOT_FOUND", "The space is not shared directly with this user."],
  already_member: ["ALREADY_MEMBER", "The user is the space's owner, or already a member."],
  full: ["LIMIT_REACHED", `A space has at most ${SPACE_POLICY.members} direct members. Use a workspace for more.`],
  taken: (slug) => new TurnpikeError("CONFLICT", `The space ${slug} is already linked to this chat.`),
  unknown_user: () => new TurnpikeError("VALIDATION_FAILED", "There is no such user.", { param: "user_id" }),
})

const serializeMember = ({
  space_id,
  user_id,
  name,
  email,
  created_at,
}: Answers["space_member_answer"]): SpaceMember => ({
  space_id,
  user_id,
  name,
  email,
  since: toInstant(created_at),
})

export const PUT_SPACE_CHAT_ERRORS = ["NOT_FOUND", "CONFLICT"] as const

/**
 * Links a space to a group of the messaging platform, or to its own web chat, for an admin. Throws NOT_FOUND,
 * CONFLICT.
 */
export async function putSpaceChat(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, chatKey }: { spaceId: number; chatKey: string | null },
) {
  const args = { space_id: spaceId, chat_key: chatKey }
  await editAs(ctx, credential, "put_space_chat", { args, refusals: refusalsOf(spaceId), serialize: () => null })
  return getAdminSpace(ctx, credential, spaceId)
}

export const ADD_SPACE_MEMBER_ERRORS = ["NOT_FOUND", "ALREADY_MEMBER", "LIMIT_REACHED"] as const

/**
 * Shares a space with a user for an admin, and notifies its owner. Throws NOT_FOUND, ALREADY_MEMBER, LIMIT_REACHED,
 * VALIDATION_FAILED.
 */
export async function addSpaceMember(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, userId }: { spaceId: number; userId: number },
): Promise<SpaceMember> {
  return editAs(ctx, credential, "add_space_member", {
    args: { space_id: spaceId, user_id: userId, most: SPACE_POLICY.members },
    refusals: refusalsOf(spaceId),
    serialize(row: Answers["space_member_answer"], { notices }) {
      sendSharedNotices(ctx, { notices })
      return serializeMember(row)
    },
  })
}

/** Stops sharing a space directly with a user, for an admin. Throws NOT_FOUND. */
export async function removeSpaceMember(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, userId }: { spaceId: number; userId: number },
): Promise<SpaceMember> {
  const args = { space_id: spaceId, user_id: userId }
  const reading = { refusals: refusalsOf(spaceId), serialize: serializeMember }
  return editAs(ctx, credential, "remove_space_member", { args, ...reading })
}
