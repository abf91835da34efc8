-- phase: before-deploy
-- What the tools of MCP servers were when they were pinned. Workers of the former release do not write it: a pin names the definition of
-- the server that it is of.
alter table spaces add column if not exists mcp_pins jsonb not null default '{}';
