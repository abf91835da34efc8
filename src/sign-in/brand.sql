-- Stores a brand's secret that was sealed again with a newer key, unless the secret was changed in the meantime.
create function turnpike.reseal_brand(p_brand text, p_column text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  if p_column = 'bot_token' then
    update brands b set bot_token = p_sealed where b.brand = p_brand and b.bot_token = p_old;
  else
    update brands b set bot_webhook_secret = p_sealed where b.brand = p_brand and b.bot_webhook_secret = p_old;
  end if;
  return found;
end $$;
