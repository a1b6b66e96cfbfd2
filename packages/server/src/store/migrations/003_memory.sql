-- What agents save and search: embeddings as bytes, full text, and a version per customer by which caches see changes.

-- Counts the changes to a customer's memory. Whoever changes it holds this row until the commit: versions become visible in
-- their order, and two saves of one title see each other.
create table memory_versions (
  customer_id text primary key,
  version bigint not null check (version >= 1)
);

alter table memory_items
  drop constraint memory_items_check1,
  -- float32, little endian; the vector has length 1. Older rows may have theirs in `embedding`.
  add column embedding_bytes bytea check (octet_length(embedding_bytes) % 4 = 0),
  -- The customer's version when the item was last changed.
  add column version bigint not null default 0,
  -- Null for what belongs to the harness: nobody searches it, and an episode is written with every run that succeeds. The
  -- customer is a word too, so that the index finds only what is theirs; no parser makes a word that begins with @.
  add column words tsvector generated always as (
    case when not harness then
      setweight(to_tsvector('english', left(title, 1000)), 'A')
      || to_tsvector('english', left(content, 20000))
      || array_to_tsvector(array['@' || customer_id])
    end
  ) stored,
  add constraint embedding_is_whole check ((embedding_model is null) = (embedding is null and embedding_bytes is null));

-- Search by words.
create index memory_items_words on memory_items using gin (words) where status = 'active' and not harness;
-- Bring a cache of vectors up to date; read all vectors of a customer page by page.
create index memory_items_changes on memory_items (customer_id, version, id) where not harness;
-- Find what has the same title.
create index memory_items_title on memory_items (customer_id, md5(title)) where status = 'active' and not harness;
-- Find what has no embedding, or another model's.
create index memory_items_model on memory_items (embedding_model, id) where status = 'active' and not harness;
