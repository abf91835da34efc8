-- Sums bigints to a bigint, and fails on overflow. It is several times as fast as sum(), which returns numeric.
create aggregate turnpike.added(bigint) (sfunc = int8pl, stype = bigint, combinefunc = int8pl, parallel = safe);
