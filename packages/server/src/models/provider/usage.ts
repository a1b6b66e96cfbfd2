// The tokens of a completion as the provider counts them. Impossible counts are treated as missing.
import type { TokenUsage } from '../port/model.ts'

interface ReportedUsage {
  readonly inputTokens: { readonly total: number | undefined; readonly cacheRead?: number | undefined }
  readonly outputTokens: { readonly total: number | undefined; readonly reasoning?: number | undefined }
  readonly raw?: unknown
}

/** More than any current context window. */
const largestTotal = 10_000_000

/** Undefined if the provider reports nothing, or something impossible. */
export function readUsage({ inputTokens, outputTokens, raw }: ReportedUsage): TokenUsage | undefined {
  const [input, output] = [count(inputTokens.total), count(outputTokens.total)]
  if (input === undefined && output === undefined) return undefined
  if ([inputTokens.total, outputTokens.total].some((tokens) => tokens !== undefined && count(tokens) === undefined)) {
    return undefined
  }
  // A server that counts more than these two includes it in its total.
  const reported = count((raw as { total_tokens?: unknown } | undefined)?.total_tokens) ?? 0
  const total = Math.max((input ?? 0) + (output ?? 0), reported)
  if (total === 0 || total > largestTotal) return undefined
  const [cached, reasoning] = [count(inputTokens.cacheRead), count(outputTokens.reasoning)]
  return {
    total,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cached !== undefined && cached > 0 && { cached }),
    ...(reasoning !== undefined && reasoning > 0 && { reasoning }),
  }
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
