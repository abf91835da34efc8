-- Books the credit of a first sign-in, if the amount is positive.
create function turnpike.give_credit(p_user_id bigint, p_reason text, p_amount bigint, p_reference text, p_note text,
  p_moment timestamptz)
returns void language plpgsql as $$
begin
  if p_amount > 0 then
    perform turnpike.book_entry(p_user_id, p_reason, p_amount, null, p_reference, null, null, 'signup', p_note,
      p_moment);
  end if;
end $$;

-- Records a person's first sign-in; returns true if it is also the first one of the account. The
-- caller holds the identity's lock.
-- The account's row is locked, since its other identities may sign in concurrently. Returns false
-- for a disabled account.
create function turnpike.note_first_sign_in(p_issuer text, p_subject text, p_user_id bigint, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  account users;
begin
  if exists (select from first_sign_ins f where f.issuer = p_issuer and f.subject = p_subject) then
    return false;
  end if;
  select u.* into account from users u where u.user_id = p_user_id for no key update;
  if account.disabled_at is not null then
    return false;
  end if;
  insert into first_sign_ins (issuer, subject, user_id, created_at)
    values (p_issuer, p_subject, p_user_id, p_moment);
  return not exists (select from first_sign_ins f
    where f.user_id = p_user_id and (f.issuer, f.subject) is distinct from (p_issuer, p_subject));
end $$;

-- Finds or creates the brand's user for a person on the messaging platform.
-- The first sign-in creates, in one transaction: user, wallet, identity, one trial subscription, the signup
-- credit, and the referral of p_ref_code.
-- The referral's credit is given only while the referrer is below referrer_most_credited. The settings hold all
-- amounts.
-- An account that got the identity earlier, from an admin or by linking, gets the same at its first sign-in.
-- Later sign-ins record the use, and copy the person's name if it has changed on the platform. Until then, a
-- name that was edited here stays.
-- After unlinking, the person gets a new user without trial and credit.
create function turnpike.sign_in_messenger(p_issuer text, p_subject text, p_brand text, p_name text, p_ref_code text,
  p_moment timestamptz, out user_id bigint, out epoch integer, out disabled boolean) language plpgsql as $$
declare
  known users;
  identity identities;
  referrer users;
  days bigint;
begin
  -- Concurrent first sign-ins of a person wait here, and the later one finds the user. The wallets are locked later.
  perform turnpike.lock_identity(p_issuer, p_subject);
  select i.* into identity from identities i where i.issuer = p_issuer and i.subject = p_subject;
  if identity.user_id is not null then
    user_id := identity.user_id;
    update identities i set last_used_at = p_moment, name = p_name
      where i.issuer = p_issuer and i.subject = p_subject;
    if p_name is not null and p_name is distinct from identity.name then
      update users u set name = p_name where u.user_id = identity.user_id and u.name is distinct from p_name;
    end if;
    select u.* into known from users u where u.user_id = sign_in_messenger.user_id;
    epoch := known.session_epoch;
    disabled := known.disabled_at is not null;
  else
    insert into users as n (brand, name, created_at) values (p_brand, p_name, p_moment) returning n.* into known;
    user_id := known.user_id;
    epoch := known.session_epoch;
    disabled := false;
    insert into identities (issuer, subject, user_id, created_at, last_used_at, name)
    values (p_issuer, p_subject, known.user_id, p_moment, p_moment, p_name);
    perform turnpike.create_wallet(known.user_id);
  end if;
  if not turnpike.note_first_sign_in(p_issuer, p_subject, known.user_id, p_moment) then
    return;
  end if;
  days := turnpike.setting_number('trial_days');
  if days > 0 then
    insert into subscriptions (
        user_id, plan, trial, starts_at,
        ends_at, created_at, updated_at)
    values (
        known.user_id, turnpike.setting_text('trial_plan'), true, p_moment,
        p_moment + make_interval(days => days::integer), p_moment, p_moment)
    on conflict do nothing;
  end if;
  -- An unknown code, a disabled user's code and the account's own code are ignored.
  select u.* into referrer
    from users u
    where u.ref_code = p_ref_code and u.brand = p_brand and u.disabled_at is null and u.user_id <> known.user_id;
  if referrer.user_id is not null then
    insert into referrals (referred_user_id, referrer_user_id, ref_code, created_at)
    values (known.user_id, referrer.user_id, referrer.ref_code, p_moment);
  end if;
  -- Locks both wallets in the order of their ids, since two accounts may refer each other concurrently.
  -- The referrals are counted after this, so of two concurrent ones the later counts the earlier.
  perform from wallets w where w.user_id in (known.user_id, referrer.user_id) order by w.user_id for no key update;
  perform turnpike.give_credit(known.user_id, 'signup_credit',
    turnpike.setting_number('signup_credit_micros'), 'signup:' || known.user_id, null, p_moment);
  if referrer.user_id is not null and (select count(*) from referrals r where r.referrer_user_id = referrer.user_id)
    <= turnpike.setting_number('referrer_most_credited')
  then
    perform turnpike.give_credit(known.user_id, 'referral_signup_credit',
      turnpike.setting_number('referred_credit_micros'), 'referred:' || known.user_id,
      'referred by ' || referrer.user_id, p_moment);
    perform turnpike.give_credit(referrer.user_id, 'referral_signup_credit',
      turnpike.setting_number('referrer_credit_micros'), 'referrer:' || known.user_id,
      'has referred ' || known.user_id, p_moment);
  end if;
end $$;
