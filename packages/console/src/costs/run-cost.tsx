// What a run has cost so far, if the service has prices.
import { type PriceList, type RunDetail, sumOfCosts } from '@runwright/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { explainError } from '../parts/errors/explain-error.ts'
import { useSession } from '../session/session.ts'
import { costsOf, type ModelTokens } from './costs-of.ts'
import { LeftOut } from './left-out.tsx'
import { readableCost, readableDay } from './readable-cost.ts'

interface RunCostProps {
  readonly run: RunDetail
  readonly prices: PriceList
}

export function RunCost({ run: { id, usage }, prices }: RunCostProps) {
  const { readOwn } = useSession()
  const { data, error } = useQuery({
    // Read again when the run has used more.
    queryKey: ['model-tokens', id, usage?.tokens],
    queryFn: async ({ signal }) =>
      (await readOwn(`model-tokens/${id}`, signal)) as { readonly rows: readonly ModelTokens[] },
    placeholderData: keepPreviousData,
  })
  if (error) return <>Not known: {explainError(error).message}</>
  if (!data) return <>…</>
  const sum = sumOfCosts(costsOf(prices, data.rows, () => id))
  return (
    <>
      {readableCost(sum, prices.currency)}{' '}
      <span className="text-sm text-muted">with the prices of {readableDay(prices.date)}</span>
      <LeftOut unpriced={sum.unpriced} />
    </>
  )
}
