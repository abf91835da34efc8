-- sum() of bigints to a bigint: it fails where that is too small for it. Several times as fast, since it makes no numerics.
create aggregate turnpike.added(bigint) (sfunc = int8pl, stype = bigint, combinefunc = int8pl, parallel = safe);
