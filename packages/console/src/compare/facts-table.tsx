// The figures of both runs, and by how much they differ.
import type { PriceList } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readableCost } from '../costs/readable-cost.ts'
import { RunCost } from '../costs/run-cost.tsx'
import { usePrices } from '../costs/use-prices.ts'
import { useRunCost } from '../costs/use-run-cost.ts'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { plural } from '../parts/values/plural.ts'
import { readable, readableDuration, readableNumber } from '../parts/values/readable.ts'
import { stoppedAt } from '../parts/values/run-duration.tsx'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'
import { RunName } from '../runs/run-name.tsx'
import type { ComparedRun, Pair } from './compared-run.ts'

interface Row {
  readonly name: string
  readonly left: ReactNode
  readonly right: ReactNode
  readonly difference?: ReactNode
}

const wordsOf = ({ run, sums, isCut }: ComparedRun): readonly (readonly [string, ReactNode])[] => [
  ['Status', run.awaiting_input ? <AwaitingMark key="status" /> : <StatusMark key="status" status={run.status} />],
  ['Reason', run.failure ? readable(run.failure.reason_code) : ''],
  ['Agent', run.agent?.name ?? ''],
  ['Models', `${sums.models.join(', ')}${isCut ? ', perhaps others' : ''}`],
]

const durationOf = ({ run }: ComparedRun): number => {
  const stopped = stoppedAt(run)
  return (stopped === undefined ? Date.now() : Date.parse(stopped)) - Date.parse(run.metadata.created_at)
}

interface Figure {
  readonly name: string
  readonly of: (run: ComparedRun) => number
  readonly format: (value: number) => string
}

const figuresOfRun: readonly Figure[] = [
  { name: 'Duration', of: durationOf, format: (ms) => readableDuration(ms) },
  { name: 'Tokens', of: ({ run }) => run.usage?.tokens ?? 0, format: readableNumber },
  { name: 'Steps', of: ({ run }) => run.usage?.steps ?? 0, format: readableNumber },
  { name: 'Tool calls', of: ({ run }) => run.usage?.tool_calls ?? 0, format: readableNumber },
]

/** Of the turns that were read. If there are more, they are lower bounds. */
const figuresOfTurns: readonly Figure[] = [
  { name: 'Turns', of: ({ sums }) => sums.calls, format: readableNumber },
  { name: 'Failed turns', of: ({ sums }) => sums.failed, format: readableNumber },
  { name: 'Time of models', of: ({ sums }) => sums.modelMs, format: (ms) => readableDuration(ms) },
  { name: 'Tokens in', of: ({ sums }) => sums.input, format: readableNumber },
  { name: 'Tokens out', of: ({ sums }) => sums.output, format: readableNumber },
]

const differenceOf = (left: number, right: number, format: (value: number) => string): string => {
  if (left === right) return 'same'
  const sign = right > left ? '+' : '−'
  const percent = left === 0 ? '' : ` (${sign}${Math.round((Math.abs(right - left) / left) * 100)}\u00a0%)`
  return `${sign}${format(Math.abs(right - left))}${percent}`
}

const notKnown = <span className="text-muted">not known</span>

const figureRow = ({ left, right }: Pair, { name, of, format }: Figure): Row => ({
  name,
  left: format(of(left)),
  right: format(of(right)),
  difference: differenceOf(of(left), of(right), format),
})

/** The difference of a lower bound would look exact. */
const turnsRow = (pair: Pair, figure: Figure): Row => {
  const { left, right } = pair
  const shown = (run: ComparedRun) => `${run.isCut ? '≥ ' : ''}${figure.format(figure.of(run))}`
  const row = { ...figureRow(pair, figure), left: shown(left), right: shown(right) }
  return left.isCut || right.isCut ? { ...row, difference: notKnown } : row
}

const rowsOf = ({ left, right }: Pair): readonly Row[] => {
  const others = wordsOf(right)
  return [
    ...wordsOf(left)
      .map(([name, word], index) => ({ name, left: word, right: others[index]?.[1] }))
      .filter((row) => row.left !== '' || row.right !== ''),
    ...figuresOfRun.map((figure) => figureRow({ left, right }, figure)),
    ...figuresOfTurns.map((figure) => turnsRow({ left, right }, figure)),
  ]
}

/** Sums that leave out tokens have no difference: it would look exact. */
function CostDifference({ left, right, prices }: Pair & { readonly prices: PriceList }) {
  const costs = [useRunCost(left.run, prices).cost, useRunCost(right.run, prices).cost]
  if (costs.some((cost) => cost === undefined)) return null
  if (costs.some((cost) => cost?.unpriced.length !== 0)) return notKnown
  const format = (cost: number) => readableCost({ cost, unpriced: [] }, prices.currency)
  return differenceOf(costs[0]?.cost ?? 0, costs[1]?.cost ?? 0, format)
}

const costRowOf = (pair: Pair, prices: PriceList): Row => ({
  name: 'Cost',
  left: <RunCost run={pair.left.run} prices={prices} />,
  right: <RunCost run={pair.right.run} prices={prices} />,
  difference: <CostDifference {...pair} prices={prices} />,
})

function RunLink({ compared: { run } }: { readonly compared: ComparedRun }) {
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }} className="text-accent underline wrap-anywhere">
      <RunName run={run} />
    </Link>
  )
}

interface CutTurnsProps {
  readonly side: 'left' | 'right'
  readonly compared: ComparedRun
}

function CutTurns({ side, compared: { turns, isCut } }: CutTurnsProps) {
  if (!isCut) return null
  return (
    <p className="text-sm text-muted">
      Of the {side} run, only the first {plural(turns.length, 'turn')} can be compared here.
    </p>
  )
}

export function FactsTable({ left, right }: Pair) {
  const { data: prices } = usePrices()
  const columns: readonly [Column<Row>, ...Column<Row>[]] = [
    { name: 'Fact', cell: ({ name }) => <span className="text-sm text-muted sm:whitespace-nowrap">{name}</span> },
    { name: 'Left', cell: (row) => row.left },
    { name: 'Right', cell: (row) => row.right },
    { name: 'Difference', cell: ({ difference }) => <span className="tabular-nums">{difference ?? ''}</span> },
  ]
  const rows = [
    { name: 'Run', left: <RunLink compared={left} />, right: <RunLink compared={right} /> },
    ...rowsOf({ left, right }),
    ...(prices ? [costRowOf({ left, right }, prices)] : []),
  ]
  return (
    <>
      <DataTable caption="Facts of both runs" columns={columns} rows={rows} keyOf={({ name }) => name} />
      <CutTurns side="left" compared={left} />
      <CutTurns side="right" compared={right} />
    </>
  )
}
