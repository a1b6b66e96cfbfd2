// What a run has cost so far, if the service has prices.
import type { PriceList, RunDetail } from '@runwright/contract'
import { explainError } from '../parts/errors/explain-error.ts'
import { LeftOut } from './left-out.tsx'
import { readableCost, readableDay } from './readable-cost.ts'
import { useRunCost } from './use-run-cost.ts'

interface RunCostProps {
  readonly run: Pick<RunDetail, 'id' | 'usage'>
  readonly prices: PriceList
}

export function RunCost({ run, prices }: RunCostProps) {
  const { cost, error } = useRunCost(run, prices)
  if (error) return <>Not known: {explainError(error).message}</>
  if (!cost) return <>…</>
  return (
    <>
      {readableCost(cost, prices.currency)}{' '}
      <span className="text-sm text-muted">with the prices of {readableDay(prices.date)}</span>
      <LeftOut unpriced={cost.unpriced} />
    </>
  )
}
