-- A user as admins see them (src/users/admin-user.ts). Amounts are credit micros.
create type turnpike.admin_user_answer as (
  user_id bigint,
  name text, -- null
  email text, -- null
  email_verified boolean,
  role text,
  brand text,
  messenger_id text, -- null: no messaging identity
  has_password boolean,
  disabled_at timestamptz, -- null: the account is in use
  balance bigint, -- null: no wallet
  low_balance bigint, -- null: no wallet
  end_user_daily bigint, -- null: no limit
  end_user_monthly bigint, -- null: no limit
  version integer,
  created_at timestamptz,
  updated_at timestamptz, -- null: never edited
  updated_by bigint -- null: the owner, or the command line
);

-- Null when there is no such user.
create function turnpike.admin_user_answer_of(p_user_id bigint) returns turnpike.admin_user_answer language sql stable as $$
  select (u.user_id, u.name, u.email, u.email_verified, u.role, u.brand,
      (select i.subject from identities i where i.user_id = u.user_id and i.issuer like 'messenger:%'
        order by i.created_at, i.subject limit 1),
      u.has_password, u.disabled_at, (select s.balance from turnpike.wallet_sums(u.user_id) s), w.low_balance_credit_micros,
      w.end_user_daily_credit_micros, w.end_user_monthly_credit_micros, u.version, u.created_at, u.updated_at,
      u.updated_by)::turnpike.admin_user_answer
    from users u left join wallets w on w.user_id = u.user_id where u.user_id = p_user_id
$$;

-- What the audit log says of a user: the fields that an edit may change.
create function turnpike.user_for_audit(p_user_id bigint) returns jsonb language sql stable as $$
  select to_jsonb(turnpike.admin_user_answer_of(p_user_id)) - array['user_id', 'created_at', 'version', 'updated_at', 'updated_by', 'balance']
$$;

-- Whether users can be of a brand: the worker's own, or one that is set up.
create function turnpike.is_brand(p_brand text, p_own_brand text) returns boolean language plpgsql stable as $$
begin
  return coalesce(p_brand = p_own_brand, false) or exists (select from brands b where b.brand = p_brand);
end $$;
