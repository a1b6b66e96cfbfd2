// Adds to the usage that is left of removed runs.

const labels = 'customer_id, hour, event_type, workspace_id, subject_id, agent, model'

/** The columns of an insert, in this order. */
export const removedUsageColumns = `${labels}, input, output, cached, count, quantity`

/** The end of an insert into `removed_usage as kept`: rows of the same key are added up. */
export const addToRemovedUsage = `
  on conflict (${labels}, (input is null), (output is null)) do update
  set count = kept.count + excluded.count,
    quantity = kept.quantity + excluded.quantity,
    input = kept.input + excluded.input,
    output = kept.output + excluded.output,
    cached = coalesce(kept.cached + excluded.cached, kept.cached, excluded.cached)`
