// Parameters that a call can do without: how errors of servers name them, and where they are in a request.

/** By the name under which a refusal is remembered: the places in the request bodies of all formats. */
const places: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_tokens'],
  max_output_tokens: ['max_output_tokens', 'generationConfig.maxOutputTokens'],
  temperature: ['temperature', 'generationConfig.temperature'],
  stop: ['stop', 'stop_sequences', 'generationConfig.stopSequences'],
  seed: ['seed', 'generationConfig.seed'],
  service_tier: ['service_tier', 'serviceTier'],
  reasoning_effort: ['reasoning_effort', 'reasoning.effort', 'output_config.effort'],
  thinking: ['thinking', 'generationConfig.thinkingConfig'],
  reasoning_summary: ['reasoning.summary'],
  verbosity: ['verbosity', 'text.verbosity'],
  stream_options: ['stream_options'],
  parallel_tool_calls: ['parallel_tool_calls'],
  tool_choice: ['tool_choice'],
}

/** Other words for them, in lower case and with underscores. */
const otherNames: Readonly<Record<string, string>> = {
  stop_sequences: 'stop',
  stopsequences: 'stop',
  maxoutputtokens: 'max_output_tokens',
  servicetier: 'service_tier',
  effort: 'reasoning_effort',
  'reasoning.effort': 'reasoning_effort',
  'output_config.effort': 'reasoning_effort',
  'reasoning.summary': 'reasoning_summary',
  'text.verbosity': 'verbosity',
  adaptive_thinking: 'thinking',
  thinking_level: 'thinking',
  thinkinglevel: 'thinking',
  thinking_budget: 'thinking',
  thinkingbudget: 'thinking',
  thinking_config: 'thinking',
  thinkingconfig: 'thinking',
}

const forms = [
  // The form that Python servers use: location first, then the problem.
  /"loc": ?\[ ?"body", ?"([\w.]{2,60})" ?\][^}]{0,200}(?:not permitted|unexpected|extra|not supported)/i,
  /(?:unsupported|unknown|unrecognized|unexpected|invalid|not supported|not support)[^'"`]{0,60}['"`]([\w.]{2,60})['"`]/i,
  /['"`]([\w.]{2,60})['"`][^'"`]{0,40}(?:not supported|unsupported|unknown|not permitted|deprecated)/i,
  /\b([\w.]{2,60}): Extra inputs are not permitted/i,
  /does not support (?:the )?([\w.]{2,60}) parameter/i,
  /\b((?:adaptive |reasoning |service )?(?:thinking(?: level| budget)?|effort|tier|temperature|seed)) (?:is|are) (?:not (?:supported|available|permitted)|unsupported|deprecated)/i,
]

/** An error that has more to say is not about a parameter. */
const maxWords = 4_096

/** The parameter that an error message refuses, if a call can do without it. */
export function refusedParameter(words: string): string | undefined {
  const start = words.slice(0, maxWords)
  for (const form of forms) {
    const found = form.exec(start)?.[1]
    const parameter = found && parameterNamed(found)
    if (parameter) return parameter
  }
  return undefined
}

function parameterNamed(text: string): string | undefined {
  const whole = text.toLowerCase().replaceAll(' ', '_')
  const candidates = [whole, whole.split('.').at(-1) ?? '']
  return candidates.map((word) => otherNames[word] ?? word).find((word) => Object.hasOwn(places, word))
}

type Body = Record<string, unknown>

/** Newer models refuse `max_tokens` and accept `max_completion_tokens` instead. */
export function withoutRefused(body: Body, refused: readonly string[]): Body {
  const kept = refused.flatMap((parameter) => places[parameter] ?? []).reduce(withoutPlace, body)
  const limit = body.max_tokens
  return refused.includes('max_tokens') && limit !== undefined ? { ...kept, max_completion_tokens: limit } : kept
}

/** Leaves no empty object behind, which some servers refuse too. */
function withoutPlace(body: Body, place: string): Body {
  const [first = '', ...rest] = place.split('.')
  if (!Object.hasOwn(body, first)) return body
  const { [first]: value, ...others } = body
  if (rest.length === 0 || typeof value !== 'object' || value === null) return rest.length === 0 ? others : body
  const inner = withoutPlace(value as Body, rest.join('.'))
  return Object.keys(inner).length > 0 ? { ...body, [first]: inner } : others
}
