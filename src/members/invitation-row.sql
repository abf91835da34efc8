-- The public facts of an invitation.
create type turnpike.invitation_answer as (
  invitation_id text,
  email text,
  role text,
  invited_by text, -- null: the owner has no name
  created_at timestamptz,
  expires_at timestamptz
);

create function turnpike.invitation_answer_of(i account_invitations) returns turnpike.invitation_answer
language plpgsql stable as $$
begin
  return row(i.invitation_id, i.email, i.role, (select u.name from users u where u.user_id = i.invited_by),
    i.created_at, i.expires_at)::turnpike.invitation_answer;
end $$;

-- The facts of an invitation for the audit log, which all people of the account read. Only owners see the email.
create function turnpike.invitation_facts(invitation turnpike.invitation_answer) returns jsonb
language sql immutable as $$
  select to_jsonb(invitation) - 'email'
$$;
