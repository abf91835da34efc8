import { type RawBuilder, sql } from "kysely"
import { storable } from "../agent/storable.ts"
import type { Context } from "../context.ts"
import type { IdentityKey } from "../identity/start-session.ts"
import { violates } from "../platform/db.ts"
import type { MessengerUser } from "./launch-data.ts"
import { MAX_CREDIT_MICROS, SIGNUP_CREDIT_POLICY, TRIAL_POLICY } from "./policies.ts"

/** A user of ours, as far as a login needs it. */
export interface SignedIn {
  user_id: number
  epoch: number
  disabled: boolean
  /** Whose sign-in it is. */
  identity: IdentityKey
}

/**
 * The user of a brand who is this person on the messaging platform. Their first sign-in makes, in one statement, the user,
 * wallet and identity, one trial subscription, the signup credit, and the referral of `refCode` with its credit; a code that
 * is unknown to the brand, or of a disabled user, is nobody's. Later ones only note that they were there; one whose identity
 * was unlinked gets a new user, without any of the gifts.
 */
export async function signInMessenger(
  ctx: Context,
  brand: string,
  person: MessengerUser,
  refCode: string | null,
): Promise<SignedIn> {
  const run = async () => (await statement(ctx, brand, person, refCode).execute(ctx.db)).rows[0]
  // Of two first sign-ins at the same moment one has to wait for the other, and then finds its user.
  const found = await run().catch((error: unknown) => {
    if (violates(error, "identities_pkey")) return run()
    throw error
  })
  if (!found) throw new Error("neither a user nor a new one")
  return { ...found, identity: { issuer: issuerOf(brand), subject: person.id } }
}

const issuerOf = (brand: string) => `messenger:${brand}`

/** Characters. */
const MAX_NAME = 128

function statement(ctx: Context, brand: string, person: MessengerUser, refCode: string | null) {
  const now = sql`${ctx.clock.now()}::timestamptz`
  const issuer = issuerOf(brand)
  const name = [...storable(`${person.first_name} ${person.last_name}`).trim()].slice(0, MAX_NAME).join("") || null
  // Whatever touches another's wallet comes behind the identity, where two first sign-ins meet: so they cannot deadlock.
  return sql<Omit<SignedIn, "identity">>`with known as (
      update identities set last_used_at = ${now} where issuer = ${issuer} and subject = ${person.id} returning user_id
    ), policy as materialized (select ${policyColumns}), made as (
      insert into users (brand, name, created_at) select ${brand}, ${name}::text, ${now}
      where not exists (select 1 from known) returning user_id, session_epoch
    ), identity as (
      insert into identities (issuer, subject, user_id, created_at, last_used_at)
      select ${issuer}, ${person.id}, user_id, ${now}, ${now} from made returning user_id
    ), newcomer as (
      insert into first_sign_ins (issuer, subject, user_id, created_at)
      select ${issuer}, ${person.id}, user_id, ${now} from identity
      on conflict do nothing returning user_id
    ), trial as (
      insert into subscriptions (user_id, plan, trial, starts_at, ends_at, created_at, updated_at)
      select user_id, trial_plan, true, ${now}, ${now} + make_interval(days => trial_days::integer), ${now}, ${now}
      from newcomer, policy where trial_days > 0
    ), referrer as materialized (
      select u.user_id, u.ref_code from users u
      where u.ref_code = ${refCode} and u.brand = ${brand} and u.disabled_at is null
    ), referral as (
      insert into referrals (referred_user_id, referrer_user_id, ref_code, created_at)
      select newcomer.user_id, referrer.user_id, referrer.ref_code, ${now} from newcomer, referrer
      returning referred_user_id, referrer_user_id
    ), gifts as materialized (
      select 1 as place, newcomer.user_id, 'signup_credit' as reason, signup_credit_micros as amount, null::text as note
      from newcomer, policy where signup_credit_micros > 0
      union all select 2, referred_user_id, 'referral_signup_credit', referred_credit_micros, 'referred by ' || referrer_user_id
      from referral, policy where referred_credit_micros > 0
    ), wallet as (
      insert into wallets (user_id, balance_credit_micros)
      select user_id, (select coalesce(sum(amount), 0) from gifts) from made
    ), rewarded as (
      update wallets w set balance_credit_micros = w.balance_credit_micros + referrer_credit_micros
      from referral, policy where w.user_id = referrer_user_id and referrer_credit_micros > 0
      returning w.user_id, referrer_credit_micros as amount, w.balance_credit_micros as balance, referred_user_id
    ), entries as (
      insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, note, created_at)
      select user_id, reason, amount, balance, 'signup', note, ${now} from (
        select place, user_id, reason, amount, sum(amount) over (order by place) as balance, note from gifts
        union all select 3, user_id, 'referral_signup_credit', amount, balance, 'has referred ' || referred_user_id from rewarded
      ) entry order by place
    )
    select user_id, session_epoch as epoch, false as disabled from made
    union all select u.user_id, u.session_epoch, u.disabled_at is not null from known join users u on u.user_id = known.user_id`
}

const numberOf = (key: string, value: number, max: number) => sql`coalesce((
  select least(greatest(value::numeric, 0), ${max}::numeric)::bigint from settings
  where key = ${key} and jsonb_typeof(value) = 'number'), ${value}::bigint) as ${sql.ref(key)}`

/** The columns of the policy: each is the setting of its name, held within bounds, else the policy's own value. */
const policyColumns: RawBuilder<unknown> = sql`coalesce((
  select value #>> '{}' from settings where key = 'trial_plan' and jsonb_typeof(value) = 'string'), ${TRIAL_POLICY.trial_plan}) as trial_plan,
  ${numberOf("trial_days", TRIAL_POLICY.trial_days, TRIAL_POLICY.maxDays)},
  ${sql.join(Object.entries(SIGNUP_CREDIT_POLICY).map(([key, value]) => numberOf(key, value, MAX_CREDIT_MICROS)))}`
