// Adds the parameters and options of a model to a call, under the names of its wire format.
import type { SdkOptions } from '../../config/provider-config.ts'
import { type ModelParameters, type ModelRequest, reasoningEfforts } from '../../port/model.ts'
import type { ProviderCall, WireFormat } from '../sdk/language-model.ts'

export interface ModelTuning {
  readonly format: WireFormat
  readonly model: string
  readonly parameters?: ModelParameters | undefined
  readonly options?: SdkOptions | undefined
  /** The most tokens that the model can write. Undefined: not known. */
  readonly largestOutput?: number | undefined
}

/** Where the SDK packages look for their options. */
const optionsKeys: Readonly<Record<WireFormat, string>> = {
  openai: 'openai',
  'openai-chat': 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'openai-compatible': 'openaiCompatible',
}

/** The part of a request that concerns its parameters. */
export type AskedParameters = Pick<ModelRequest, 'parameters' | 'maxOutputTokens'>

export function tuneCall(call: ProviderCall, request: AskedParameters, tuning: ModelTuning): ProviderCall {
  const parameters = { ...tuning.parameters, ...request.parameters }
  const { temperature, stop, seed } = parameters
  const maxOutputTokens = outputLimit(call, request, { parameters, largestOutput: tuning.largestOutput })
  const key = optionsKeys[tuning.format]
  const options = { ...optionsFor(parameters, tuning), ...tuning.options }
  return {
    ...call,
    ...(temperature !== undefined && { temperature }),
    ...(stop && { stopSequences: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(Object.keys(options).length > 0 && {
      providerOptions: { ...call.providerOptions, [key]: { ...call.providerOptions?.[key], ...options } },
    }),
  }
}

interface Limits {
  readonly parameters: ModelParameters
  readonly largestOutput: number | undefined
}

/**
 * What the run may still use is sent only if the model can write that much, because servers refuse a larger number.
 * `call` has it if every server accepts it.
 */
function outputLimit(
  call: ProviderCall,
  { maxOutputTokens: left = Number.POSITIVE_INFINITY }: AskedParameters,
  { parameters, largestOutput = 0 }: Limits,
): number | undefined {
  if (parameters.maxOutputTokens !== undefined) return Math.min(parameters.maxOutputTokens, left)
  return left <= largestOutput ? left : call.maxOutputTokens
}

type OptionsOf = (parameters: ModelParameters, effort: Effort | undefined, model: string) => SdkOptions
type Effort = (typeof reasoningEfforts)[number]

function optionsFor(parameters: ModelParameters, { format, model }: ModelTuning): SdkOptions {
  const effort = reasoningEfforts.find((level) => level === parameters.reasoningEffort)
  return optionsOf[format](parameters, effort, model)
}

const openAi: OptionsOf = ({ serviceTier }, effort) => ({
  ...(effort && { reasoningEffort: effort }),
  ...(serviceTier !== undefined && { serviceTier }),
})

const optionsOf: Readonly<Record<WireFormat, OptionsOf>> = {
  openai: openAi,
  'openai-chat': openAi,
  anthropic: (_, effort, model) => (effort ? anthropicEffort(effort, model) : {}),
  google: ({ serviceTier }, effort, model) => ({
    ...(effort && { thinkingConfig: googleEffort(effort, model) }),
    ...(serviceTier !== undefined && { serviceTier }),
  }),
  'openai-compatible': ({ serviceTier }, effort) => ({
    ...(effort && { reasoningEffort: effort }),
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
  }),
}

/** Models before these levels of effort take a budget of tokens. The budgets are those of Google's own mapping. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

const takesBudget = /claude-(?:3|(?:sonnet|opus|haiku)-4(?:$|@|-\d{8}|-[015](?:$|@|-)))/

function anthropicEffort(effort: Effort, model: string): SdkOptions {
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  if (takesBudget.test(model)) return { thinking: { type: 'enabled', budgetTokens: budgets[effort] } }
  return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort }
}

function googleEffort(effort: Effort, model: string): SdkOptions {
  if (/gemini-2/.test(model)) return { thinkingBudget: budgets[effort] }
  if (effort === 'none') return { thinkingLevel: 'minimal' }
  return { thinkingLevel: effort === 'xhigh' || effort === 'max' ? 'high' : effort }
}

/** Fields of the request body that the SDK package has no option for. */
export const bodyAdditions = ({ format, parameters }: ModelTuning): Record<string, unknown> =>
  format === 'anthropic' && parameters?.serviceTier !== undefined ? { service_tier: parameters.serviceTier } : {}
