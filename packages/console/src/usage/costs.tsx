// Costs of the shown time by agent, run, subject, workspace, month or model. The service counts the tokens of each
// model; the console computes with the prices of the operator.
import { type CallTokens, type CostRow, type PriceList, sumOfCosts, visibleText } from '@runwright/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { costsOf } from '../costs/costs-of.ts'
import { LeftOut } from '../costs/left-out.tsx'
import { readableCost, readableDay } from '../costs/readable-cost.ts'
import { usePrices } from '../costs/use-prices.ts'
import { Problem } from '../parts/errors/problem.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'
import type { Periods } from './periods.ts'
import { changed, Segments } from './segments.tsx'
import { type CostGroup, costGroups, type UsageSearch } from './usage-search.ts'
import { usageQueryOf } from './use-usage.ts'

interface CostsProps {
  readonly search: UsageSearch
  readonly periods: Periods
}

export function Costs(props: CostsProps) {
  const { data: prices, error, refetch } = usePrices()
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  return prices ? <PricedUsage {...props} prices={prices} /> : null
}

const groupNames: Readonly<Record<CostGroup, string>> = {
  agent: 'Agent',
  run: 'Run',
  subject: 'Subject',
  workspace: 'Workspace',
  month: 'Month',
  model: 'Model',
}

function PricedUsage({ search, periods, prices }: CostsProps & { readonly prices: PriceList }) {
  const by = search.costs ?? 'agent'
  const { data, error, refetch } = useGroupTokens(search, periods, by)
  return (
    <Panel
      title="Costs"
      aside={
        <span className="text-sm text-muted">
          in {prices.currency}, with the prices of {readableDay(prices.date)}
        </span>
      }
    >
      <div className="flex flex-col gap-3">
        <Segments
          label="Costs by"
          choices={costGroups.map((group) => ({
            name: groupNames[group],
            search: changed(search, { costs: group }),
            isCurrent: group === by,
          }))}
        />
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading what="costs" />}
        {data?.rows.length === 0 && <p className="text-muted">No tokens were used in this time.</p>}
        {data && data.rows.length > 0 && <CostTable by={data.by} rows={data.rows} prices={prices} />}
      </div>
    </Panel>
  )
}

interface GroupTokens {
  readonly key: string | null
  /** The tokens of all keys that have no row of their own. */
  readonly is_rest: boolean
  readonly model: string | null
  readonly tokens: CallTokens
}

const useGroupTokens = (search: UsageSearch, periods: Periods, by: CostGroup) => {
  const { readOwn } = useSession()
  const { granularity: _, ...range } = usageQueryOf(search, periods)
  const query = String(new URLSearchParams({ by, ...range }))
  return useQuery({
    queryKey: ['model-tokens', query],
    queryFn: async ({ signal }) => {
      const { rows } = (await readOwn(`model-tokens?${query}`, signal)) as { readonly rows: readonly GroupTokens[] }
      return { by, rows }
    },
    placeholderData: keepPreviousData,
  })
}

const [none, rest, total] = ['none', 'rest', 'total']

/** A label of a client may be any text, so what is no label is told apart by its first letter. */
const nameOf = ({ key, is_rest }: GroupTokens): string => (is_rest ? rest : key === null ? none : `=${key}`)

const withoutKey: Readonly<Record<CostGroup, string>> = {
  agent: 'no agent',
  run: 'removed runs',
  subject: 'no subject',
  workspace: 'no workspace',
  month: 'no month',
  model: 'no record',
}

const shownName = (name: string, by: CostGroup): ReactNode => {
  if (name === total) return 'Total'
  if (name === rest) return 'all others'
  if (name === none) return withoutKey[by]
  const key = name.slice(1)
  if (by !== 'run') return visibleText(key)
  return (
    <Link to="/runs/$runId" params={{ runId: key }} className="font-mono text-code text-accent underline">
      {key}
    </Link>
  )
}

const inOrder = (by: CostGroup) => (one: CostRow, other: CostRow) => {
  if ((one.key === rest) !== (other.key === rest)) return one.key === rest ? 1 : -1
  return by === 'month' ? (one.key < other.key ? 1 : -1) : other.cost - one.cost || other.tokens - one.tokens
}

interface CostTableProps {
  readonly by: CostGroup
  readonly rows: readonly GroupTokens[]
  readonly prices: PriceList
}

function CostTable({ by, rows, prices }: CostTableProps) {
  const costs = costsOf(prices, rows, nameOf)
  const sum = sumOfCosts(costs)
  const columns: readonly [Column<CostRow>, ...Column<CostRow>[]] = [
    { name: groupNames[by], cell: ({ key }) => <span className="wrap-anywhere">{shownName(key, by)}</span> },
    { name: 'Tokens', isNumeric: true, cell: ({ tokens }) => readableNumber(tokens) },
    { name: 'Cost', isNumeric: true, cell: (row) => readableCost(row, prices.currency) },
  ]
  return (
    <>
      <DataTable
        caption={`Costs by ${by}`}
        columns={columns}
        rows={[...[...costs].sort(inOrder(by)), { ...sum, key: total }]}
        keyOf={({ key }) => key}
      />
      <LeftOut unpriced={sum.unpriced} />
    </>
  )
}
