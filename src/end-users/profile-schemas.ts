import * as z from "zod"
import { profileValues } from "../base/profile.ts"

export const putProfileSchema = z
  .strictObject({ profile: profileValues })
  .meta({ id: "PutEndUserProfile", description: "Replaces the whole profile." })

export const profileSchema = z
  .object({
    end_user_ref: z.string(),
    profile: profileValues,
    changed_at: z.iso.datetime().nullable().meta({ description: "When it was set. Null: there is no profile." }),
  })
  .meta({ id: "EndUserProfile" })

export type EndUserProfile = z.infer<typeof profileSchema>
