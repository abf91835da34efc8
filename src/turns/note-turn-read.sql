-- Records that an admin reads a turn of any account. p_reason: why, null if not said. texts: the turn's texts may be
-- shown.
-- refused: null, or 'admin'. known: false if there is no such turn.
create function turnpike.note_turn_read(p_request turnpike.request, p_turn_id text, p_reason text,
  out actor turnpike.caller, out refused text, out known boolean, out texts boolean) language plpgsql as $$
declare
  admin turnpike.admin_caller;
  read_turn turns;
begin
  {{admin.opens}}
  select t.* into read_turn from turns t where t.turn_id = p_turn_id;
  known := read_turn.turn_id is not null;
  texts := p_reason is not null or turnpike.setting_value('turn_texts_for_operators') = '"shown"';
  if known then
    perform turnpike.note_change((admin.caller).user_id, 'turn.read', 'turn', p_turn_id, null,
      jsonb_build_object('user_id', read_turn.user_id,
      'texts', texts, 'reason', p_reason), p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes}}
end $$;
