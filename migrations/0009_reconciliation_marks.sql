-- phase: before-deploy
-- Passes of the reconciliation remember how large their slices may be, and how far the books were settled (src/billing/reconcile.sql).
alter table reconciliations
  add column scope text not null default 'all' check (scope in ('all', 'recent')),
  add column sizes jsonb not null default '{}',
  add column turn_from text not null default '',
  add column ledger_from bigint not null default 0,
  add column settled_before timestamptz,
  add column turn_mark text,
  add column ledger_mark bigint;
