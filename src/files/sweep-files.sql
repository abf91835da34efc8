-- Marks up to p_limit uploads as deleted that started before p_until and did not finish. Skips locked rows, which are
-- finishing at this moment. Returns the number of uploads.
create function turnpike.give_up_uploads(p_until timestamptz, p_limit integer, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  given_up integer;
begin
  update files f set state = 'deleted', updated_at = p_moment
    where f.file_id = any (array(select u.file_id from files u
      where u.state = 'uploading' and u.created_at <= p_until
      order by u.created_at limit p_limit for no key update skip locked));
  get diagnostics given_up = row_count;
  return given_up;
end $$;

-- Moves deleted files whose bytes could not be removed to the end of the queue. Returns the number of files.
create function turnpike.put_files_behind(p_file_ids text[], p_moment timestamptz) returns integer
language plpgsql as $$
declare
  put integer;
begin
  update files f set updated_at = p_moment where f.file_id = any(p_file_ids) and f.state = 'deleted';
  get diagnostics put = row_count;
  return put;
end $$;
