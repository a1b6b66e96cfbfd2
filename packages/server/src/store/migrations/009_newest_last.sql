-- List runs, newest first: read backwards. New runs come last in the index, where PostgreSQL fills pages up instead of
-- splitting them in halves: it stays a third smaller, and takes less to write.
drop index runs_newest;
create index runs_newest on runs (customer_id, created_at, id);
