-- Tagged values are sealed: run_inputs keeps the rest in the clear. The keys that seal them are stored too, wrapped by the
-- installation's encryption key, so that changing that key means wrapping anew.

create table data_keys (
  id integer generated always as identity primary key,
  purpose text not null check (purpose in ('values', 'hashes')),
  -- Fingerprint of the encryption key that was current when it was made: a change of that key brings a new data key.
  made_under text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- Hashes must stay comparable for as long as what they are of: there is one key for them, for good.
create unique index data_keys_one_for_hashes on data_keys (purpose) where purpose = 'hashes';

-- One row for each encryption key that can unwrap it: while the key is being changed there are two.
create table data_key_wraps (
  data_key integer not null references data_keys,
  -- Fingerprint of the encryption key.
  wrapped_by text not null,
  wrapped bytea not null,
  primary key (data_key, wrapped_by)
);

alter table run_inputs
  add column sealed bytea,
  -- Which data key; 0: looked at, and nothing was secret. Null with tags: from before values were sealed.
  add column sealed_key integer,
  add constraint sealed_is_whole check ((sealed is null) = (coalesce(sealed_key, 0) = 0));

-- Find values to seal anew, oldest key first, and count them.
create index run_inputs_sealed on run_inputs (sealed_key, run_id) where sealed_key > 0;
-- Find tagged runs from before values were sealed.
create index run_inputs_unsealed on run_inputs (run_id) where sensitivity_tags is not null and sealed_key is null;
