-- The chat key for a group of the messaging platform.
create function turnpike.chat_key_of(p_chat_id bigint) returns text language sql immutable as $$
  select 'messenger:' || p_chat_id
$$;

-- True if a board is the chat of a space.
create function turnpike.has_space(p_chat_key text) returns boolean language plpgsql stable as $$
begin
  return exists (select from spaces s where s.chat_key = p_chat_key);
end $$;

-- Changes the chat id of a board after the platform changed the id of its group. Its members and its space stay.
-- If a board already exists under the new id, it is merged into this one.
create function turnpike.move_board(p_bot_id text, p_from bigint, p_to bigint, p_moment timestamptz) returns void
language plpgsql as $$
declare
  old boards;
  new boards;
begin
  perform from boards b where b.bot_id = p_bot_id and b.chat_id in (p_from, p_to) order by b.board_id for update;
  select b.* into old from boards b where b.bot_id = p_bot_id and b.chat_id = p_from;
  select b.* into new from boards b where b.bot_id = p_bot_id and b.chat_id = p_to;
  if old.board_id is null or p_from = p_to then
    return;
  end if;
  if new.board_id is not null then
    insert into board_members as m (
        board_id, messaging_id, present, said)
      select
        old.board_id, n.messaging_id, n.present, n.said
      from board_members n
      where n.board_id = new.board_id
      on conflict (board_id, messaging_id) do update set present = excluded.present, said = excluded.said
      where m.said < excluded.said;
    delete from boards b where b.board_id = new.board_id;
  end if;
  update boards b set chat_id = p_to, former_chat_id = p_from, updated_at = p_moment,
      chat_key = case when turnpike.has_space(b.chat_key) then b.chat_key else turnpike.chat_key_of(p_to) end,
      bot_in = coalesce(new.bot_in, b.bot_in), bot_said = coalesce(new.bot_said, b.bot_said),
      members_after = greatest(b.members_after, new.members_after)
    where b.board_id = old.board_id;
end $$;

-- Returns the board of a group, locked; inserts it if it does not exist.
-- If the bot then has more than p_most boards, one that is not the chat of a space is deleted. A board that the bot has
-- left is deleted first, then the board that changed longest ago.
create function turnpike.lock_board(p_bot_id text, p_chat_id bigint, p_bot_in boolean, p_said bigint[], p_most integer,
  p_moment timestamptz) returns boards language plpgsql as $$
declare
  current bigint := coalesce((select b.chat_id from boards b where b.bot_id = p_bot_id
    and b.former_chat_id = p_chat_id limit 1), p_chat_id);
  board boards;
begin
  select b.* into board from boards b where b.bot_id = p_bot_id and b.chat_id = current for update;
  if board.board_id is null then
    insert into boards (bot_id, chat_id, chat_key, bot_in, bot_said, created_at, updated_at)
      values (p_bot_id, current, turnpike.chat_key_of(current), p_bot_in, p_said, p_moment, p_moment)
      on conflict (bot_id, chat_id) do nothing;
    select b.* into board from boards b where b.bot_id = p_bot_id and b.chat_id = current for update;
    if (select count(*) from boards b where b.bot_id = p_bot_id) > p_most then
      delete from boards d
        where d.board_id = (select b.board_id from boards b
        where b.bot_id = p_bot_id and b.board_id <> board.board_id and not turnpike.has_space(b.chat_key)
        order by b.bot_in, b.updated_at, b.board_id limit 1 for update skip locked);
    end if;
  end if;
  return board;
end $$;

-- Applies an update of a bot to a board and its members.
-- p_update: chat_id, title, bot ("in", "out" or null), came and gone (ids of people), moved ({from, to} or null).
-- Its said_at (the platform's time in seconds) and update_id order updates.
-- An older update never overwrites a newer one, and a repeated update changes nothing. If the bot leaves, the members
-- of the board are deleted.
-- Returns the number of people who were not stored because the board already has p_most_members.
create function turnpike.note_board(p_bot_id text, p_update jsonb, p_most_boards integer, p_most_members integer,
  p_moment timestamptz)
returns integer language plpgsql as $$
declare
  mark bigint[] := array[(p_update -> 'said_at')::bigint, (p_update -> 'update_id')::bigint];
  bot text := p_update ->> 'bot';
  board boards;
  fresh integer;
  free integer := 0;
begin
  if jsonb_typeof(p_update -> 'moved') = 'object' then
    perform turnpike.move_board(p_bot_id, (p_update #> '{moved,from}')::bigint, (p_update #> '{moved,to}')::bigint,
      p_moment);
  end if;
  board := turnpike.lock_board(p_bot_id, (p_update -> 'chat_id')::bigint, bot is distinct from 'out', mark,
    p_most_boards, p_moment);
  if bot = 'out' then
    delete from board_members m where m.board_id = board.board_id and m.said < mark;
    board.members_after := greatest(board.members_after, mark);
  end if;
  -- An update from a later second than the bot's exit proves that the bot is in the group again.
  if mark > board.bot_said and (bot is not null or (not board.bot_in and mark[1] > board.bot_said[1])) then
    board.bot_in := bot is distinct from 'out';
    board.bot_said := mark;
  end if;
  update boards b set bot_in = board.bot_in, bot_said = board.bot_said, members_after = board.members_after,
      title = coalesce(p_update ->> 'title', b.title), updated_at = p_moment
    where b.board_id = board.board_id and (b.bot_in, b.bot_said, b.members_after, b.title) is distinct from
      (board.bot_in, board.bot_said, board.members_after, coalesce(p_update ->> 'title', b.title));
  if not board.bot_in or mark <= board.members_after then
    return 0;
  end if;
  select count(*) into fresh
    from jsonb_array_elements_text(p_update -> 'came' || (p_update -> 'gone')) n
    where not exists (select from board_members m where m.board_id = board.board_id and m.messaging_id = n.value);
  if fresh > 0 then
    free := p_most_members - (select count(*) from board_members m where m.board_id = board.board_id);
    if free < fresh then
      -- The members who left longest ago are deleted to make room.
      delete from board_members d
        where d.board_id = board.board_id and d.messaging_id in (select m.messaging_id from board_members m
        where m.board_id = board.board_id and not m.present order by m.said, m.messaging_id limit fresh - free);
      free := p_most_members - (select count(*) from board_members m where m.board_id = board.board_id);
    end if;
  end if;
  insert into board_members as m (
      board_id, messaging_id, present, said)
    select
      board.board_id, n.messaging_id, n.present, mark
    from (
      select p.messaging_id, p.present, k.messaging_id is not null as is_known,
          row_number() over (partition by k.messaging_id is null order by p.present desc, p.messaging_id) as place
        from (select c.value, true from jsonb_array_elements_text(p_update -> 'came') c
          union all select g.value, false from jsonb_array_elements_text(p_update -> 'gone') g) p (messaging_id,
            present)
        left join board_members k on k.board_id = board.board_id and k.messaging_id = p.messaging_id) n
    where n.is_known or n.place <= free
    on conflict (board_id, messaging_id) do update set present = excluded.present, said = excluded.said
    where m.said < excluded.said;
  return greatest(fresh - free, 0);
end $$;
