// The plans of the hot queries: each uses its index, whether it is planned for an empty table or for a large one. Plans
// of prepared statements are kept, so a scan that is cheap while a table is empty would stay when the table has grown.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { lists, reads, records, writes } from '../../../test/support/hot-statements.ts'
import { fillWith } from '../../../test/support/many-rows.ts'
import { logSession } from '../run-log/change-statement.ts'
import { listUsageMonths } from '../usage/months.ts'
import { Database, type Statement } from './database.ts'

/** The statements that a store function sends. They are not executed. */
async function statementsOf(work: (database: Database) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const send = async (statement: Statement) => {
    sent.push(statement)
    return []
  }
  await work({ run: send, query: send } as unknown as Database)
  return sent
}

const scannedWhole = ['usage_deltas', 'audit_queue', 'customers_moving']

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The generic plan of a statement: the one that a prepared statement keeps. */
async function planOf(database: Database, { text }: Statement): Promise<PlanNode[]> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join()})`
  return database.withConnection(async (client) => {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare planned as ${text}`)
    const { rows } = await client.query(`explain (format json) execute planned${values}`)
    await client.query('deallocate planned')
    return nodesIn(rows[0])
  })
}

const nodesIn = (row: { 'QUERY PLAN': string }): PlanNode[] =>
  JSON.parse(row['QUERY PLAN']).flatMap(({ Plan }: { Plan: PlanNode }) => nodesOf(Plan))

describe.each([0, 60, 20_000])('with %i runs', (runs) => {
  let fresh: FreshDatabase
  let log: Database
  beforeAll(async () => {
    fresh = await freshDatabase()
    log = new Database({
      connection: fresh.connection,
      maxConnections: 1,
      applicationName: 'runwright test',
      session: logSession,
    })
    for (const text of runs > 0 ? fillWith(runs) : []) await fresh.database.run({ text })
  })
  afterAll(async () => {
    await log.close()
    await fresh.drop()
  })

  async function expectIndexes(database: Database, work: (typeof reads)[number][1], indexes: readonly string[]) {
    const plans = await Promise.all((await statementsOf(work)).map((statement) => planOf(database, statement)))
    const nodes = plans.flat()
    // A scan without a condition reads the whole table or the whole index.
    const whole = nodes.filter((node) => /^Seq Scan|^Index/.test(node['Node Type']) && !node['Index Cond'])
    // Of what a job deletes within a second, the first row is enough. Hardly a customer is moving.
    const scanned = whole.map((node) => node['Index Name'] ?? node['Relation Name'])
    expect(scanned.filter((name) => !scannedWhole.includes(name ?? ''))).toEqual([])
    const used = new Set(nodes.flatMap((node) => node['Index Name'] ?? []))
    expect([...used].filter((index) => !indexes.includes(index))).toEqual([])
    expect(used).toContain(indexes[0])
    // By the whole key. Before version 17 PostgreSQL could read all runs of a customer and throw away all but one.
    const partly = nodes.filter(
      (node) =>
        /\b(?:run_)?id = ANY/.test(node.Filter ?? '') && !/\b(?:run_)?id (?:=|>=)/.test(node['Index Cond'] ?? ''),
    )
    expect(partly.map((node) => [node['Index Name'], node['Index Cond'], node.Filter])).toEqual([])
  }

  if (runs > 1_000) {
    // Otherwise it would sort all records of the customer for each page.
    test.each([
      ['all usage records', records({}), 1],
      ['usage records of a workspace', records({ workspaceId: 'w' }), 1],
      ['usage records of a subject', records({ subjectId: 's' }), 1],
      ['the first and the last record of each customer', listUsageMonths, 3],
    ])('reads %s in the order of an index', async (_, work, reads) => {
      const plans = await Promise.all((await statementsOf(work)).map((statement) => planOf(fresh.open(1), statement)))
      const merged = plans.flat().filter((node) => node['Node Type'] === 'Merge Append')
      expect(merged).toHaveLength(reads)
    })

    // Planned for the value, as it is when a client asks.
    test.each(['run.created', 'tool.invoked'])('pages through usage records of the type %s', async (eventType) => {
      const [statement] = await statementsOf(records({ eventType }))
      const explained = { text: `explain (format json) ${statement?.text}`, values: statement?.values ?? [] }
      const [row] = await fresh.database.run<{ 'QUERY PLAN': string }>(explained)
      const used = nodesIn(row ?? { 'QUERY PLAN': '[]' }).flatMap((node) => node['Index Name'] ?? [])
      expect(used).toContain('usage_rows_of_type')
      expect(used).not.toContain('usage_rows_of_customer')
    })
  }

  // Of a table of one page PostgreSQL reads the page. Statistics come with more rows, and then it plans again.
  const readOnly = runs === 0 ? reads : runs > 1_000 ? [...reads, ...lists] : []
  if (readOnly.length > 0) {
    test.each(readOnly)('%s', (_, work, indexes) => expectIndexes(fresh.open(1), work, indexes))
  }

  test.each(writes)('%s', (_, work, indexes) => expectIndexes(log, work, indexes))
})
