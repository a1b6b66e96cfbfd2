// What a run has cost so far, from the tokens that the service has counted for it.
import { type CostRow, type PriceList, type RunDetail, sumOfCosts } from '@runwright/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'
import { costsOf, type ModelTokens } from './costs-of.ts'

export type RunCost = Omit<CostRow, 'key'>

/** Without prices, nothing is read. */
export function useRunCost({ id, usage }: Pick<RunDetail, 'id' | 'usage'>, prices: PriceList | null | undefined) {
  const { readOwn } = useSession()
  const { data, error } = useQuery({
    // Read again when the run has used more.
    queryKey: ['model-tokens', id, usage?.tokens],
    queryFn: async ({ signal }) =>
      (await readOwn(`model-tokens/${id}`, signal)) as { readonly rows: readonly ModelTokens[] },
    enabled: Boolean(prices),
    placeholderData: keepPreviousData,
  })
  const cost: RunCost | undefined = prices && data ? sumOfCosts(costsOf(prices, data.rows, () => id)) : undefined
  return { cost, error }
}
