-- The pin of the model that runs all test turns.
create function turnpike.rehearsal_pin() returns text language sql immutable as $$ select 'rehearsal/standard' $$;
