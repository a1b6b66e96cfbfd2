// What must hold of every run in a database, whatever happened to the processes: each rule is a query for what breaks
// it.
import { expect } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { auditUsage } from '../../src/store/usage/audit.ts'

/** Every status that an event says a run went to; a limit ends a run without saying so in its payload. */
const moves = `
  select customer_id, run_id, seq, type, at, payload->>'from_status' as from_status,
    case type when 'run.created' then 'queued' when 'run.limit_exceeded' then 'failed' else payload->>'to_status' end as to_status
  from events
  where type in ('run.created', 'run.limit_exceeded') or payload->>'to_status' is not null`

const steps = `
  select *, lag(to_status) over (partition by run_id order by seq) as before
  from (${moves}) m`

const allowed = `(values
  ('run.worker.started', 'queued', 'running'),
  ('run.worker.succeeded', 'running', 'succeeded'),
  ('run.worker.failed', 'running', 'failed'),
  ('run.worker.stalled', 'running', 'stalled'),
  ('run.worker.retry_scheduled', 'failed', 'queued'),
  ('run.resumed', 'stalled', 'running'),
  ('run.resumed', 'stalled', 'queued'),
  ('run.cancelled', 'queued', 'cancelled'),
  ('run.cancelled', 'running', 'cancelled'),
  ('run.cancelled', 'stalled', 'cancelled'),
  ('run.limit_exceeded', 'queued', 'failed'),
  ('run.limit_exceeded', 'running', 'failed'),
  ('run.limit_exceeded', 'stalled', 'failed')) as allowed(type, from_status, to_status)`

const ofRun = (alias: string) => `${alias}.customer_id = r.customer_id and ${alias}.run_id = r.id`
const usageOf = (type: string) =>
  `(select count(*) from usage_records u where ${ofRun('u')} and u.event_type = '${type}')`
const eventsOf = (condition: string) => `(select count(*) from events e where ${ofRun('e')} and ${condition})`
const journalOf = (kind: string) => `(select count(*) from journal j where ${ofRun('j')} and j.key like '${kind}:%')`
const stepSucceeded = "e.type = 'step.done' and e.payload->>'outcome' = 'succeeded'"

const partsOfRuns = ['run_inputs', 'run_results', 'event_rows', 'journal', 'signals', 'usage_rows']
  .map((table) => `select '${table}' as name, customer_id, run_id from ${table}`)
  .join(' union all ')

/** Name of the rule → a query for the runs that break it, with a word on how. */
const rules: Readonly<Record<string, string>> = {
  'I1 seq is 1..n': `
    select run_id as run, min(seq) || '..' || max(seq) || ' in ' || count(*) as how
    from events
    group by run_id
    having min(seq) <> 1 or max(seq) <> count(*)`,
  'I2 the counter equals n': `
    select r.id as run, r.next_seq - 1 || ' is not ' || ${eventsOf('true')} as how
    from runs r
    where r.next_seq - 1 <> ${eventsOf('true')}`,
  'I3 one end per attempt, and it is the last': `
    select run_id as run, 'attempt ' || attempt || ' has ' || count(*) filter (where terminal) as how
    from events
    group by run_id, attempt
    having count(*) filter (where terminal) > 1
      or max(seq) filter (where terminal) <> max(seq)
      or count(*) filter (where terminal <> (type in
        ('run.worker.succeeded', 'run.worker.failed', 'run.cancelled', 'run.limit_exceeded'))) > 0`,
  'I4 the status is where the last move went': `
    select r.id as run, r.state || ' after a move to ' || m.to_status as how
    from runs r
    join lateral (select to_status from (${moves}) m where ${ofRun('m')} order by seq desc limit 1) m on true
    where replace(r.state, 'awaiting_input', 'running') <> m.to_status`,
  'I5 moves follow each other as the table allows': `
    select s.run_id as run, s.seq || ' ' || s.type || ' from ' || coalesce(s.from_status, '-') || ' after ' || coalesce(s.before, '-') as how
    from (${steps}) s
    where case
      when s.seq = 1 then s.type <> 'run.created'
      when s.type = 'run.created' then true
      else s.before is distinct from coalesce(s.from_status, s.before)
        or not exists (select from ${allowed} where allowed.type = s.type
          and allowed.from_status = s.before and allowed.to_status = s.to_status)
    end`,
  'I6 only a running run has a lease': `
    select id as run, state as how
    from runs
    where (worker_id is not null or lease_until is not null) and state <> 'running'`,
  'I7 a running run is held or can be claimed': `
    select id as run, 'lease until ' || coalesce(lease_until::text, 'never') as how
    from runs
    where state = 'running' and ready_at is null
      and (lease_until is null or lease_until < clock_timestamp() - interval '31 s')`,
  'I8 tokens are the sum of their records': `
    select r.id as run, r.tokens || ' is not ' || sum(u.quantity) as how
    from runs r
    left join usage_records u on ${ofRun('u')} and u.event_type = 'tokens.consumed'
    group by r.customer_id, r.id
    having r.tokens <> coalesce(sum(u.quantity), 0)`,
  'I8 every finished call and step is counted once': `
    select r.id as run, format('calls: %s used, %s events, %s journaled; steps: %s used, %s events, %s journaled; created: %s',
      ${usageOf('tool.invoked')}, ${eventsOf("e.type = 'run.tool.invoked'")}, ${journalOf('result')},
      ${usageOf('task.completed')}, ${eventsOf(stepSucceeded)}, ${journalOf('done')}, ${usageOf('run.created')}) as how
    from runs r
    where ${usageOf('tool.invoked')} <> ${eventsOf("e.type = 'run.tool.invoked'")}
      or ${usageOf('tool.invoked')} <> ${journalOf('result')}
      or ${usageOf('task.completed')} <> ${eventsOf(stepSucceeded)}
      or ${usageOf('task.completed')} <> ${journalOf('done')}
      or ${usageOf('run.created')} <> 1`,
  'I9 a call starts, ends and is told of once, in this order': `
    select run_id as run, call || ' ' || string_agg(what, ', ' order by seq) as how
    from (
      select run_id, seq, payload->>'tool_call_id' as call, coalesce(payload->>'kind', type) as what
      from events
      where payload->>'tool_call_id' is not null
    ) c
    group by run_id, call
    having string_agg(what, ', ' order by seq) not in
      ('tool_call_start, tool_call_done, run.tool.invoked', 'tool_call_start')`,
  'I9 a step succeeds once': `
    select run_id as run, payload->>'task_id' as how
    from events e
    where ${stepSucceeded}
    group by run_id, payload->>'task_id'
    having count(*) > 1`,
  'I10 time goes on along seq': `
    select run_id as run, 'at ' || seq as how
    from (select run_id, seq, at, lag(at) over (partition by run_id order by seq) as before from events) e
    where at < before`,
  'I10 a run was updated when its last event came': `
    select r.id as run, r.updated_at || ' is not ' || max(e.at) as how
    from runs r
    join events e on ${ofRun('e')}
    group by r.customer_id, r.id
    having r.updated_at <> max(e.at)`,
  'I11 a wait is answered before anything else happens': `
    select run_id as run, seq || ' is followed by ' || coalesce(next, 'nothing') as how
    from (
      select e.*, lead(type) over o as next, lead(payload->>'decision_type') over o as decision
      from events e
      window o as (partition by run_id order by seq)
    ) e
    where type = 'run.awaiting_input' and not coalesce(
      next in ('run.signal_applied', 'run.input_received', 'run.cancelled', 'run.limit_exceeded', 'run.worker.failed')
      or decision = 'replan',
      exists (select from runs r where ${ofRun('e')} and r.state = 'awaiting_input' and r.await_seq = e.seq))`,
  'I12 all that belongs to a run belongs to its customer': `
    select r.id as run, part.name || ' of ' || coalesce(part.customer_id, 'no customer') as how
    from runs r
    join (${partsOfRuns}) part on part.run_id = r.id
    where part.customer_id <> r.customer_id
    union all
    select r.id, 'no inputs'
    from runs r
    where not exists (select from run_inputs i where ${ofRun('i')})`,
}

/** What is broken, as `rule: run, how`; empty when all is well. */
export async function brokenInvariants(database: Database): Promise<string[]> {
  const broken: string[] = []
  for (const [rule, text] of Object.entries(rules)) {
    const rows = await database.query<{ run: string; how: string }>({ text: `${text}\nlimit 5` })
    broken.push(...rows.map(({ run, how }) => `${rule}: ${run}, ${how}`))
  }
  const { differences } = await auditUsage(database)
  broken.push(...differences.slice(0, 5).map((difference) => `I8 usage adds up: ${JSON.stringify(difference)}`))
  return broken
}

export async function expectInvariants(database: Database): Promise<void> {
  expect(await brokenInvariants(database)).toEqual([])
}
