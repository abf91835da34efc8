-- A brand without its bot's secrets.
create type turnpike.brand_answer as (
  brand text,
  hosts jsonb,
  landing_path text,
  bot_username text, -- null
  bot_id text, -- null
  created_at timestamptz,
  updated_at timestamptz
);

-- Creates or changes a brand. Null fields stay as they are. The bot's secrets are encrypted.
-- refused: 'host_taken' if another brand has one of the hosts.
create function turnpike.put_brand(p_brand text, p_hosts jsonb, p_landing_path text, p_bot_username text, p_bot_id text,
  p_bot_token text, p_bot_webhook_secret text, p_request_id text, p_address text, p_moment timestamptz,
  out seen turnpike.brand_answer, out refused text)
language plpgsql as $$
declare
  was brands;
  new_brand brands;
begin
  -- A host belongs to one brand. With the lock, the later of two concurrent requests sees the change of the first.
  perform pg_advisory_xact_lock(hashtext('brands'), 0);
  perform from brands o
    where o.brand <> p_brand and o.hosts ?| array(select jsonb_array_elements_text(coalesce(p_hosts, '[]')));
  if found then
    refused := 'host_taken';
    return;
  end if;
  select b.* into was from brands b where b.brand = p_brand;
  insert into brands as b (
      brand, hosts, landing_path, bot_username, bot_id, bot_token,
      bot_webhook_secret, created_at, updated_at)
  values (
      p_brand, coalesce(p_hosts, '[]'), coalesce(p_landing_path, '/chat'), p_bot_username, p_bot_id, p_bot_token,
      p_bot_webhook_secret, p_moment, p_moment)
  on conflict (brand) do update set hosts = coalesce(p_hosts, b.hosts),
    landing_path = coalesce(p_landing_path, b.landing_path), bot_username = coalesce(p_bot_username, b.bot_username),
    bot_id = case when p_bot_token is null then b.bot_id else p_bot_id end,
    bot_token = coalesce(p_bot_token, b.bot_token),
    bot_webhook_secret = coalesce(p_bot_webhook_secret, b.bot_webhook_secret), updated_at = excluded.updated_at
  returning b.* into new_brand;
  seen := (new_brand.brand, new_brand.hosts, new_brand.landing_path, new_brand.bot_username, new_brand.bot_id,
    new_brand.created_at, new_brand.updated_at);
  perform turnpike.note_change(null, 'brand.put', 'brand', p_brand,
    case when was.brand is not null then to_jsonb(was) end,
    to_jsonb(seen) || jsonb_build_object('bot_token_set', p_bot_token is not null), p_request_id, p_address, p_moment);
end $$;
