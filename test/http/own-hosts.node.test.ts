import { expect, test } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { checkPublicUrl } from "../../src/platform/public-url.ts"

const env = {
  DATABASE_URL: "postgres://role:password@ep-cool-1.eu-central-1.aws.neon.tech/neondb",
  UPSTASH_REDIS_REST_URL: "https://some-1.upstash.io",
  UPSTASH_REDIS_REST_TOKEN: "x",
  QSTASH_TOKEN: "x",
  CALLBACKS_URL: "https://turnpike.acme.com",
  OWN_HOSTS: "turnpike.acme.com,app.brand.com",
  SECRETS_KEYS: `k1:${btoa("0123456789abcdef0123456789abcdef")}`,
  FILES: {},
}

test("Customers' URLs reach none of our hosts and not the database's HTTP address", () => {
  const { urlPolicy } = createContext(parseBaseEnv(env), () => {})
  for (const own of [
    "https://turnpike.acme.com/callbacks/turns/x",
    "https://app.brand.com/api/auth/me",
    "https://api.eu-central-1.aws.neon.tech/sql",
    "https://ep-cool-1.eu-central-1.aws.neon.tech/",
    "https://some-1.upstash.io/",
    "https://qstash.upstash.io/v2/publish/x",
  ]) {
    expect(() => checkPublicUrl(own, urlPolicy), own).toThrow(/this service itself/)
  }
  expect(checkPublicUrl("https://api.acme.com/", urlPolicy).host).toBe("api.acme.com")
})
