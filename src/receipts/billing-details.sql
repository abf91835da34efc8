-- The fields of billing details that the audit log records.
create function turnpike.billing_details_facts(details billing_details) returns jsonb language sql immutable as $$
  select jsonb_build_object('company', details.company, 'address', details.address, 'tax_number', details.tax_number)
$$;

-- Replaces the billing details of an account. Returns when they were last set.
create function turnpike.put_billing_details(p_request turnpike.request, p_company text, p_address text,
  p_tax_number text, out actor turnpike.caller, out updated_at timestamptz)
language plpgsql as $$
declare
  caller turnpike.caller;
  was billing_details;
  put billing_details;
begin
  {{caller.opens}}
  select b.* into was from billing_details b where b.user_id = caller.user_id;
  insert into billing_details as b (user_id, company, address, tax_number, updated_at)
    values (caller.user_id, p_company, p_address, p_tax_number, p_request.moment)
    on conflict (user_id) do update set company = excluded.company, address = excluded.address,
      tax_number = excluded.tax_number, updated_at = excluded.updated_at
    returning b.* into put;
  updated_at := put.updated_at;
  perform turnpike.note_own_change(p_request, caller, 'billing_details.put', 'user', caller.user_id::text,
    case when was.user_id is not null then turnpike.billing_details_facts(was) end,
    turnpike.billing_details_facts(put));
  {{caller.closes}}
end $$;
