// The query cache. Each session has its own, so that data of one key is not shown to the next.
import { RunwrightError } from '@runwright/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

export const isRefusedKey = (error: unknown): error is RunwrightError =>
  error instanceof RunwrightError && error.status === 401

export const createQueryClient = (onRefusedKey: (error: RunwrightError) => void): QueryClient => {
  const onError = (error: unknown) => {
    if (isRefusedKey(error)) onRefusedKey(error)
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client itself retries.
    defaultOptions: { queries: { retry: false, staleTime: 1_000 }, mutations: { retry: false } },
  })
}
