import * as z from "zod"
import { WEBHOOK_POLICY } from "./policies.ts"
import { webhookSchema } from "./schemas.ts"

export const webhookHealthSchema = z
  .object({
    attempted: z.int().meta({ description: "How many of the newest deliveries were attempted.", example: 200 }),
    delivered: z.int().meta({ description: "How many of these were delivered.", example: 199 }),
    failed: z.int().meta({ description: "How many have failed and are not attempted again.", example: 0 }),
    retrying: z.int().meta({ description: "How many failed so far and are attempted again.", example: 1 }),
  })
  .meta({
    id: "WebhookHealth",
    description: `The results of the newest ${WEBHOOK_POLICY.healthDeliveries} deliveries, for a success rate.`,
  })

/** A webhook in the list of its owner. */
export const listedWebhookSchema = webhookSchema.extend({ health: webhookHealthSchema }).meta({ id: "ListedWebhook" })
