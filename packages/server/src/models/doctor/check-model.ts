// Finds out what a model can do, with three small calls: text, a tool call, and structured output.
import type { Model, ModelFailure, ModelOutcome, ModelReply, ModelRequest, OfferedTool } from '../port/model.ts'

/** Null: not tried, because the model did not answer at all. */
export type Feature = 'yes' | 'no' | null

export interface ModelFeatures {
  /** Whether the text arrives in pieces while it is written. */
  readonly streaming: Feature
  readonly tools: Feature
  /** Whether the model answers with JSON that matches a schema. */
  readonly structuredOutput: Feature
  /** Whether the provider reports the tokens. If not, they are estimated. */
  readonly usage: Feature
}

export interface ModelCheck extends ModelFeatures {
  /** Why the model does not work. */
  readonly failure: Pick<ModelFailure, 'reasonCode' | 'message'> | undefined
  readonly firstTokenMs: number | undefined
  readonly durationMs: number
  /** Failures of single features, in the words of the provider. */
  readonly remarks: readonly string[]
}

/** Reasoning counts as output, so a smaller limit could end the answer before it begins. */
const maxOutputTokens = 4_096

export async function checkModel(model: Model, timeoutMs: number): Promise<ModelCheck> {
  // Long enough that it does not fit into one piece at any provider.
  const text = await call(model, { prompt: 'Count from 1 to 100, separated by spaces. Write nothing else.', timeoutMs })
  const { firstTokenMs, durationMs, outcome } = text
  const measured = { firstTokenMs, durationMs }
  if (outcome.kind !== 'reply') return { ...measured, ...unanswered, failure: failureOf(outcome, timeoutMs) }
  const tools = await checkTools(model, timeoutMs)
  const structured = await checkStructuredOutput(model, timeoutMs)
  return {
    ...measured,
    failure: undefined,
    streaming: text.pieces > 1 ? 'yes' : 'no',
    usage: outcome.usage !== undefined && !outcome.usage.estimated ? 'yes' : 'no',
    tools: tools.works ? 'yes' : 'no',
    structuredOutput: structured.works ? 'yes' : 'no',
    remarks: [tools, structured].flatMap(({ remark }) => remark ?? []),
  }
}

export const unanswered = {
  streaming: null,
  tools: null,
  structuredOutput: null,
  usage: null,
  remarks: [],
} as const

interface FeatureCheck {
  readonly works: boolean
  readonly remark?: string
}

const adder: OfferedTool = {
  name: 'add_numbers',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
}

async function checkTools(model: Model, timeoutMs: number): Promise<FeatureCheck> {
  const prompt = 'Call the tool add_numbers with a = 2 and b = 3. Do not add them yourself.'
  const { outcome } = await call(model, { prompt, timeoutMs, tools: [adder] })
  return judge('tools', outcome, timeoutMs, ({ toolCalls }) =>
    toolCalls.some(({ name, input }) => name === adder.name && has(input, { a: 2, b: 3 })),
  )
}

const answerSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, country: { type: 'string' } },
  required: ['city', 'country'],
  additionalProperties: false,
}

async function checkStructuredOutput(model: Model, timeoutMs: number): Promise<FeatureCheck> {
  const prompt = 'What is the capital of France? Give the city and the country.'
  const { outcome } = await call(model, { prompt, timeoutMs, outputSchema: answerSchema })
  return judge('structured output', outcome, timeoutMs, ({ output, text }) => {
    const value = (output ?? parsed(text)) as Record<string, unknown> | undefined
    return typeof value?.city === 'string' && typeof value.country === 'string'
  })
}

function judge(
  feature: string,
  outcome: ModelOutcome,
  timeoutMs: number,
  isRight: (reply: ModelReply) => boolean,
): FeatureCheck {
  if (outcome.kind === 'reply') return { works: isRight(outcome) }
  return { works: false, remark: `The call with ${feature} failed: ${failureOf(outcome, timeoutMs).message}` }
}

interface Asked extends Partial<Pick<ModelRequest, 'tools' | 'outputSchema'>> {
  readonly prompt: string
  readonly timeoutMs: number
}

interface Answered {
  readonly outcome: ModelOutcome
  readonly pieces: number
  readonly firstTokenMs: number | undefined
  readonly durationMs: number
}

async function call(model: Model, { prompt, timeoutMs, tools = [], outputSchema }: Asked): Promise<Answered> {
  const begin = performance.now()
  let pieces = 0
  let firstTokenMs: number | undefined
  const outcome = await model.respond({
    role: 'worker',
    messages: [
      { from: 'system', text: 'You are checked for what you can do. Do exactly what you are told.' },
      { from: 'user', text: prompt },
    ],
    tools,
    outputSchema,
    maxOutputTokens,
    signal: AbortSignal.timeout(timeoutMs),
    onText: () => {
      firstTokenMs ??= Math.round(performance.now() - begin)
      pieces += 1
    },
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
  })
  return { outcome, pieces, firstTokenMs, durationMs: Math.round(performance.now() - begin) }
}

function failureOf(outcome: Exclude<ModelOutcome, ModelReply>, timeoutMs: number) {
  if (outcome.kind === 'failure') return { reasonCode: outcome.reasonCode, message: outcome.message }
  return { reasonCode: 'provider_unavailable', message: `The answer was not complete after ${timeoutMs / 1_000} s.` }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const has = (value: unknown, fields: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(fields).every(([name, expected]) => (value as Record<string, unknown> | null)?.[name] === expected)
