-- phase: before-deploy
-- transaction: none
-- Operators' lists of spaces are sorted by title unless they ask for another order.
create index concurrently if not exists spaces_by_title on spaces (lower(title) collate "C", space_id)
  include (title, origin, brand, user_id, workspace_id, archived_at);
