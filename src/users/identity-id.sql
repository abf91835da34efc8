-- The id of an identity, derived from its issuer and subject.
create function turnpike.identity_id(p_issuer text, p_subject text) returns text language sql immutable as $$
  select 'idn_' || left(encode(sha256(convert_to(p_issuer || chr(10) || p_subject, 'UTF8')), 'hex'), 32)
$$;
