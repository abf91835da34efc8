-- A user in answers to admins (src/users/admin-user.ts). Amounts are in credit micros.
create type turnpike.admin_user_answer as (
  user_id bigint,
  name text, -- null
  email text, -- null
  email_verified boolean,
  role text,
  brand text,
  messenger_id text, -- null: no messaging identity
  has_password boolean,
  disabled_at timestamptz, -- null: the account is active
  balance bigint, -- null: no wallet
  low_balance bigint, -- null: no wallet
  end_user_daily bigint, -- null: no limit
  end_user_monthly bigint, -- null: no limit
  version integer,
  created_at timestamptz,
  updated_at timestamptz, -- null: never edited
  updated_by bigint -- null: edited by the owner or the command line
);

-- Returns null if the user does not exist.
create function turnpike.admin_user_answer_of(p_user_id bigint) returns turnpike.admin_user_answer
language sql stable as $$
  select (u.user_id, u.name, u.email, u.email_verified, u.role, u.brand,
      (select i.subject from identities i where i.user_id = u.user_id and i.issuer like 'messenger:%'
        order by i.created_at, i.subject limit 1),
      u.has_password, u.disabled_at, (select s.balance from turnpike.wallet_sums(u.user_id) s),
      w.low_balance_credit_micros, w.end_user_daily_credit_micros, w.end_user_monthly_credit_micros, u.version,
      u.created_at, u.updated_at, u.updated_by)::turnpike.admin_user_answer
    from users u
      left join wallets w on w.user_id = u.user_id
    where u.user_id = p_user_id
$$;

-- The fields of a user that the audit log records: those that an edit can change.
create function turnpike.user_for_audit(p_user_id bigint) returns jsonb language sql stable as $$
  select to_jsonb(turnpike.admin_user_answer_of(p_user_id)) - array['user_id', 'created_at', 'version', 'updated_at',
    'updated_by', 'balance']
$$;

-- True if a user can have this brand: it is the brand of the worker, or it exists in brands.
create function turnpike.is_brand(p_brand text, p_own_brand text) returns boolean language plpgsql stable as $$
begin
  return coalesce(p_brand = p_own_brand, false) or exists (select from brands b where b.brand = p_brand);
end $$;

-- The account that has an email. Null if no account has it.
create function turnpike.holder_of_email(p_email text) returns turnpike.admin_user_answer language sql stable as $$
  select turnpike.admin_user_answer_of(u.user_id) from users u where folded(u.email) = folded(p_email)
$$;
