-- A user as admins see them (src/users/admin-user.ts); null when there is none. Amounts are credit micros.
create function turnpike.admin_user_json(p_user_id bigint) returns jsonb language sql stable as $$
  select turnpike.user_json(u) || jsonb_build_object('disabled_at', u.disabled_at, 'has_password', u.has_password,
      'version', u.version, 'updated_at', u.updated_at, 'updated_by', u.updated_by,
      'messenger_id', (select i.subject from identities i where i.user_id = u.user_id and i.issuer like 'messenger:%'
        order by i.created_at, i.subject limit 1),
      'balance', (select s.balance from turnpike.wallet_sums(u.user_id) s), 'low_balance', w.low_balance_credit_micros,
      'end_user_daily', w.end_user_daily_credit_micros, 'end_user_monthly', w.end_user_monthly_credit_micros)
    from users u left join wallets w on w.user_id = u.user_id where u.user_id = p_user_id
$$;

-- What the audit log says of a user: the fields that an edit may change.
create function turnpike.user_for_audit(p_user_id bigint) returns jsonb language sql stable as $$
  select j - array['user_id', 'created_at', 'version', 'updated_at', 'updated_by', 'balance'] from turnpike.admin_user_json(p_user_id) j
$$;

-- Whether users can be of a brand: the worker's own, or one that is set up.
create function turnpike.is_brand(p_brand text, p_own_brand text) returns boolean language plpgsql stable as $$
begin
  return coalesce(p_brand = p_own_brand, false) or exists (select from brands b where b.brand = p_brand);
end $$;
