// The tokens of a completion as the provider counts them. Impossible counts are treated as missing.
import type { TokenUsage } from '../../port/model.ts'

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
  const reported = Math.max(0, ...valuesAt(raw, totalNames).map((value) => count(value) ?? 0))
  const total = Math.max((input ?? 0) + (output ?? 0), reported)
  if (total === 0 || total > largestTotal) return undefined
  const cached = firstAboveZero([inputTokens.cacheRead, ...valuesAt(raw, cachedNames)])
  const reasoning = firstAboveZero([outputTokens.reasoning, ...valuesAt(raw, reasoningNames)])
  return {
    total,
    ...(input !== undefined && wasReported(raw, inputNames) && { input }),
    ...(output !== undefined && wasReported(raw, outputNames) && { output }),
    ...(cached !== undefined && { cached }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

/** The names in chat completions, in Responses and Anthropic's messages, and in Gemini. */
const inputNames = ['prompt_tokens', 'input_tokens', 'promptTokenCount']
const outputNames = ['completion_tokens', 'output_tokens', 'candidatesTokenCount', 'thoughtsTokenCount']
const totalNames = ['total_tokens', 'totalTokenCount']

/**
 * The names of other servers and gateways. The SDK knows only `prompt_tokens_details` and `completion_tokens_details`.
 */
const cachedNames = [
  'prompt_cache_hit_tokens',
  'cached_tokens',
  'cache_read_input_tokens',
  'input_tokens_details.cached_tokens',
]
const reasoningNames = ['reasoning_tokens', 'output_tokens_details.reasoning_tokens']

/** The SDK says 0 where the server says nothing. */
const wasReported = (raw: unknown, names: readonly string[]): boolean =>
  !isObject(raw) || names.some((name) => typeof raw[name] === 'number')

const valuesAt = (raw: unknown, paths: readonly string[]): unknown[] =>
  paths.map((path) => path.split('.').reduce((at, name) => (isObject(at) ? at[name] : undefined), raw))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const firstAboveZero = (values: readonly unknown[]): number | undefined =>
  values.map(count).find((tokens) => tokens !== undefined && tokens > 0)

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
