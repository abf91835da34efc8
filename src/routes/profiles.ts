import * as z from "zod"
import {
  DELETE_PROFILE_ERRORS,
  deleteProfile,
  GET_PROFILE_ERRORS,
  getProfile,
  PUT_PROFILE_ERRORS,
  putProfile,
} from "../end-users/profile.ts"
import { profileSchema, putProfileSchema } from "../end-users/profile-schemas.ts"
import { endUserRefParam } from "../end-users/schemas.ts"
import type { App } from "../http/app.ts"
import type { Tagged } from "../http/preconditions.ts"
import { bareQuery, type Mounting, toKeys } from "./mounting.ts"

const tag = "End users"
const params = z.object({ end_user_ref: endUserRefParam })
/** The ETag changes with the profile, and not with the moment at which the same profile was set again. */
const facts: Tagged = { of: ({ profile }: { profile: unknown }) => profile }

/** The profiles of end users. Mounted for keys and for a signed-in owner. */
export function mountProfiles(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const query = bareQuery(mounting)
  const scope = toKeys(mounting, " The key needs the scope `all`.")

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}/profile`,
      id: "getEndUserProfile",
      tagged: facts,
      tag,
      summary: "Read an end user's profile",
      description: `The facts about the end user that agents and tools can use; \`{}\` without a profile.${scope}`,
      params,
      query,
      answer: { status: 200, description: "The profile.", schema: profileSchema },
      errors: GET_PROFILE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { end_user_ref } }) => getProfile(c.get("ctx"), c.get("credential"), end_user_ref),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/end-users/{end_user_ref}/profile`,
      id: "putEndUserProfile",
      tagged: facts,
      tag,
      summary: "Set an end user's profile",
      description:
        "Replaces the facts about the end user, also before the first turn. `{{profile.KEY}}` inserts them into requests of " +
        "tools and headers of MCP servers, and gives them to agents. A turn that has started keeps the facts with which it " +
        `started. See [Tools](/docs/tools).${scope}`,
      params,
      query,
      body: putProfileSchema,
      answer: { status: 200, description: "The new profile.", schema: profileSchema },
      errors: PUT_PROFILE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { end_user_ref }, body: { profile } }) =>
      putProfile(c.get("ctx"), c.get("credential"), end_user_ref, profile),
  )

  app.operation(
    {
      method: "delete",
      path: `${prefix}/end-users/{end_user_ref}/profile`,
      id: "deleteEndUserProfile",
      tagged: facts,
      tag,
      summary: "Delete an end user's profile",
      description: `Turns that start from now on have no facts about the end user.${scope}`,
      params,
      query,
      answer: { status: 200, description: "The empty profile.", schema: profileSchema },
      errors: DELETE_PROFILE_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { end_user_ref } }) => deleteProfile(c.get("ctx"), c.get("credential"), end_user_ref),
  )
}
