-- How a run was routed stands in the payload of its first event. Set: from before, when it was written here as well.
alter table run_inputs alter column routing drop not null;
