// The prices of models, if the operator has given a file with them. The service only hands it out: the console
// computes.
import type { PriceList } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'

/** Null: there is no such file. */
export const usePrices = () => {
  const { can, readOwn } = useSession()
  return useQuery({
    queryKey: ['prices'],
    queryFn: async ({ signal }) => ((await readOwn('prices', signal)) as { readonly prices: PriceList | null }).prices,
    enabled: can('usage:read'),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
