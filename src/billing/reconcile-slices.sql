-- A part of a table, and what is wrong in it. Each function that gives one is stable: all of it is of one snapshot. Whatever moves
-- money is one transaction, so no snapshot has half of it, and nothing has to stand still. Each is planned anew, for the place in the
-- table that it looks at, and never compiled: that costs more than a slice.

create type turnpike.finding as (
  kind text,
  user_id bigint,
  turn_id text,
  ledger_id bigint,
  counter jsonb,
  expected bigint,
  found bigint
);

create type turnpike.books_slice as (
  -- What was looked at: as many as were asked for, or the last ones of the table.
  rows bigint,
  -- Where the next slice goes on.
  last text,
  findings turnpike.finding[],
  -- Of turns: the last one before the first that had not ended in time, or null: all had.
  settled text
);
