import type { Fields } from "./fields.ts"

/** The form that a model's answer must have. The schema is of draft 2020-12. */
export interface ResultForm {
  type: "json_object" | "json_schema"
  name: string
  description?: string
  schema: Fields
}
