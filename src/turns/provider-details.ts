import * as z from "zod"
import { TURN_POLICY } from "./policies.ts"

export const providerDetailsSchema = z
  .object({
    status: z.int().nullable().meta({ description: "The HTTP status of its response.", example: 400 }),
    type: z
      .string()
      .nullable()
      .meta({ description: "The kind of the error, in its words.", example: "invalid_request_error" }),
    message: z
      .string()
      .nullable()
      .meta({
        description:
          `Its message, at most ${TURN_POLICY.providerMessageLength} characters. Words that may name an account or a key are replaced by an ellipsis. ` +
          "Null: it sent none, or it " +
          "concerns only the service.",
        example: "Invalid schema for function 'lookup_order': array schema missing items.",
      }),
    file: z.string().nullable().meta({ description: "The name of the file that it refused.", example: null }),
    tool: z.string().nullable().meta({ description: "The name of the tool that it refused.", example: "lookup_order" }),
    parameter: z.string().nullable().meta({ description: "The parameter that it refused.", example: null }),
  })
  .meta({ id: "ProviderDetails", description: "The words of the model's provider about a failure." })
