-- Books the credit of a first sign-in, if any.
create function turnpike.give_credit(p_user_id bigint, p_reason text, p_amount bigint, p_reference text, p_note text, p_moment timestamptz)
returns void language plpgsql as $$
begin
  if p_amount > 0 then
    perform turnpike.book_entry(p_user_id, p_reason, p_amount, null, p_reference, null, null, 'signup', p_note, p_moment);
  end if;
end $$;

-- Whether this is the first sign-in of a person and of an account, which is noted. The caller has the identity's lock; the account's row is
-- locked, since its other identities may sign in at the same moment. A disabled account does not sign in.
create function turnpike.note_first_sign_in(p_issuer text, p_subject text, p_user_id bigint, p_moment timestamptz) returns boolean
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
  insert into first_sign_ins (issuer, subject, user_id, created_at) values (p_issuer, p_subject, p_user_id, p_moment);
  return not exists (select from first_sign_ins f
    where f.user_id = p_user_id and (f.issuer, f.subject) is distinct from (p_issuer, p_subject));
end $$;

-- The user of a brand who is this person on the messaging platform. Their first sign-in makes everything at once: user, wallet,
-- identity, one trial subscription, the credit, and the referral of p_ref_code with its credit, as long as its code has credit left to
-- give. An account that has the identity already, since an admin made it or its owner linked it, gets the same gifts at its first
-- sign-in. Later sign-ins note the use, and take over a name that the person has changed on the platform since; a name that was changed
-- here stays until then. After unlinking, the person gets a new user without these gifts. The settings say how much each of them is.
create function turnpike.sign_in_messenger(p_issuer text, p_subject text, p_brand text, p_name text, p_ref_code text,
  p_moment timestamptz, out user_id bigint, out epoch integer, out disabled boolean) language plpgsql as $$
declare
  known users;
  identity identities;
  referrer users;
  days bigint;
begin
  -- Two first sign-ins of one person wait for each other here, and the later one finds the user. The referrer's wallet is locked after
  -- this.
  perform turnpike.lock_identity(p_issuer, p_subject);
  select i.* into identity from identities i where i.issuer = p_issuer and i.subject = p_subject;
  if identity.user_id is not null then
    user_id := identity.user_id;
    update identities i set last_used_at = p_moment, name = p_name where i.issuer = p_issuer and i.subject = p_subject;
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
    insert into wallets (user_id) values (known.user_id);
  end if;
  if not turnpike.note_first_sign_in(p_issuer, p_subject, known.user_id, p_moment) then
    return;
  end if;
  days := turnpike.setting_number('trial_days');
  if days > 0 then
    insert into subscriptions (user_id, plan, trial, starts_at, ends_at, created_at, updated_at)
    values (known.user_id, turnpike.setting_text('trial_plan'), true, p_moment, p_moment + make_interval(days => days::integer), p_moment, p_moment)
    on conflict do nothing;
  end if;
  -- An unknown code, one of a disabled user, or the account's own is ignored.
  select u.* into referrer from users u
    where u.ref_code = p_ref_code and u.brand = p_brand and u.disabled_at is null and u.user_id <> known.user_id;
  if referrer.user_id is not null then
    insert into referrals (referred_user_id, referrer_user_id, ref_code, created_at)
    values (known.user_id, referrer.user_id, referrer.ref_code, p_moment);
  end if;
  -- Both wallets, by their ids: two accounts may refer each other at once. The referrer's referrals are counted after this, so of two that
  -- come at once the later one counts the earlier.
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
