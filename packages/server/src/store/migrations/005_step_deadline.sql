-- When the step under way must have ended, as its worker said with its last renewal; any write of the run clears it. A worker
-- that hangs can't end the step itself: the sweep does, also while the lease is good. Not indexed: renewals must stay HOT.
alter table runs add column step_until timestamptz;
