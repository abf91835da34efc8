-- A slice is a part of a table, with its findings. Each slice function is stable, so it reads one snapshot.
-- Every movement of money is one transaction, so no snapshot has half of it and nothing must be locked.
-- Each slice gets a new plan for its place in the table. JIT is off, because compiling costs more than a slice.

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
  -- The number of rows that were read. It is below the requested number at the end of the table.
  rows bigint,
  -- The position after which the next slice continues.
  last text,
  findings turnpike.finding[],
  -- For turns: the last turn before the first one that had not ended in time. Null if all had ended.
  settled text
);
