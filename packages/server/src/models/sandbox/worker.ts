// The sandbox as worker: plays one entry of the script. An entry with tools takes two turns: the first asks for all
// tools at once, the second speaks after the results are there.
import type { SandboxStep } from '@runwright/contract'
import { sleep } from '../../runtime/backoff.ts'
import { estimateTokens } from '../port/estimate-tokens.ts'
import type { ModelOutcome, ModelRequest, Rehearsal } from '../port/model.ts'
import { isScripted, stepOf } from './script.ts'
import { speak } from './speak.ts'

const defaultSay = 'This is the sandbox: it follows a script and does not think.'
const defaultFailure = 'The sandbox failed, as its script says.'

type PlayedStep = SandboxStep & { readonly say: string; readonly tools: NonNullable<SandboxStep['tools']> }

export async function playStep(request: ModelRequest): Promise<ModelOutcome> {
  const { rehearsal, signal } = request
  const step = prepareStep(request)
  const isFirstTurn = rehearsal.turn === 0
  if (isFirstTurn && step.delay_ms) await sleep(step.delay_ms, signal)
  if (signal.aborted) return { kind: 'aborted', text: '', usage: { total: 0 } }
  if (isFirstTurn && isToFail(step, rehearsal)) return fail(step)
  return isFirstTurn && step.tools.length > 0 ? askForTools(step, rehearsal) : say(step, request)
}

function prepareStep({ rehearsal, tools: offered }: ModelRequest): PlayedStep {
  const step = stepOf(rehearsal)
  // A script may ask for any tool, for example to see it refused. The default script asks only for offered tools.
  const asksForMissingTool =
    !isScripted(rehearsal) && step.tools?.some(({ name }) => !offered.some((tool) => tool.name === name))
  if (asksForMissingTool) return { say: defaultSay, tools: [] }
  return { ...step, say: revised(step, rehearsal) ?? step.say ?? defaultSay, tools: step.tools ?? [] }
}

const revised = ({ revisions = [] }: SandboxStep, { revision = 0 }: Rehearsal): string | undefined =>
  revisions[revision - 1]

const isToFail = ({ fail }: SandboxStep, { failures }: Rehearsal): boolean =>
  fail !== undefined && failures < (fail.times ?? Number.POSITIVE_INFINITY)

const fail = ({ fail }: SandboxStep): ModelOutcome => ({
  kind: 'failure',
  reasonCode: fail?.reason_code ?? 'provider_error',
  message: fail?.message ?? defaultFailure,
  // A scripted failure fails the step and never just the call, so that clients can test the events of a failed step.
  retry: fail?.retryable ? 'step' : 'never',
  text: '',
  usage: undefined,
})

const askForTools = (step: PlayedStep, { agentStep }: Rehearsal): ModelOutcome => ({
  kind: 'reply',
  text: '',
  toolCalls: step.tools.map(({ name, input }, index) => ({
    id: `sandbox_${agentStep}_${index}`,
    name,
    input: input ?? {},
  })),
  finish: 'complete',
  usage: { total: tokensToAsk(step) },
})

async function say(step: PlayedStep, { signal, onText, rehearsal }: ModelRequest): Promise<ModelOutcome> {
  const text = await speak(step.say, { pauseMs: step.chunk_ms ?? 0, signal, onText })
  const tokens = rehearsal.revision ? tokensToRevise(step) : tokensOf(step) - tokensToAsk(step)
  if (signal.aborted) return { kind: 'aborted', text, usage: { total: Math.min(estimateTokens(text), tokens) } }
  return {
    kind: 'reply',
    text,
    toolCalls: [],
    output: step.output ?? null,
    finish: 'complete',
    usage: { total: tokens },
  }
}

/** For the whole step, however many turns it takes. */
const tokensOf = ({ tokens, say }: PlayedStep): number => tokens ?? estimateTokens(say)

/** The smaller half of a step with tools. The turn that speaks uses the rest. */
const tokensToAsk = (step: PlayedStep): number => (step.tools.length > 0 ? Math.floor(tokensOf(step) / 2) : 0)

/** The first answer has used up a number of tokens that the script gives for the step. */
const tokensToRevise = ({ tokens, say }: PlayedStep): number => (tokens === undefined ? estimateTokens(say) : 0)
