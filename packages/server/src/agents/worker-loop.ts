// Decides what follows from the turns of a step so far. Pure: the engine asks after every turn, and a recovered run
// gets the same answer from its journal.
//
//   after a turn with tool calls          ask again, with their results
//   the same call and result, 3 times     ask again, and point it out; 5 times: one last turn without tools
//   the turn limit is reached             one last turn without tools; its answer is the result
//   cut at the length limit               ask to continue, up to 3 times, then fail
//   empty                                 ask once more, then fail
//   an answer, and there is a schema      check it, on another thread, and decide again
//   does not match the output schema      ask to repair it, up to 2 times, then fail
//   the judge graded it, and it is to be revised
//                                         ask again, with the judge's notes
//   otherwise                             the text of the last turn is the result
import { canonicalJson } from '../domain/json/canonical-json.ts'
import { findWholeJson, withoutReasoning } from '../domain/json/model-json.ts'
import type { JsonSchema } from '../domain/json/output-schema.ts'
import type { CallResultEntry, ReplyEntry } from '../domain/run/journal.ts'
import { readJson, repairRequest } from './read-output.ts'

export interface WorkerTurn {
  readonly reply: ReplyEntry
  /** The results of the reply's calls, in the same order. */
  readonly results: readonly CallResultEntry[]
}

export interface LoopRules {
  readonly maxTurns: number
  readonly outputSchema: JsonSchema | undefined
  /** The answers that were checked against the schema, by their last reply. */
  readonly checked: Pick<ReadonlyMap<ReplyEntry, OutputCheck>, 'get'>
  /** What the judge notes on an answer that is to be revised. Default: none is. */
  readonly notesOn?: (reply: ReplyEntry) => string | undefined
}

export type OutputCheck =
  /** What is wrong with the output; undefined: it matches. */
  | { readonly problem: string | undefined }
  /** It could not be checked. */
  | { readonly failure: { readonly reasonCode: LoopFailure; readonly message: string } }

export type LoopDecision =
  /** `say` is added to the conversation as a user message. */
  | { readonly kind: 'ask'; readonly say?: string; readonly offersTools: boolean; readonly wantsJson: boolean }
  | { readonly kind: 'done'; readonly content: string; readonly output: unknown; readonly note?: 'turn_limit' }
  | { readonly kind: 'fail'; readonly reasonCode: LoopFailure; readonly message: string }
  /** The output must be checked first, and the result noted under the last reply. */
  | { readonly kind: 'check'; readonly output: unknown }

export type LoopFailure =
  | 'empty_reply'
  | 'reply_truncated'
  | 'output_invalid'
  | 'output_schema_unusable'
  | 'output_check_limit'

const maxContinuations = 3
const maxRepairs = 2
const toldAfter = 3
const lastTurnAfter = 5

export function decideTurn(turns: readonly WorkerTurn[], rules: LoopRules): LoopDecision {
  const last = turns.at(-1)
  if (last === undefined) return ask(rules, { isLastTurn: rules.maxTurns <= 1 })
  const notes = rules.notesOn?.(last.reply)
  if (notes !== undefined) return ask(rules, { say: reviseWords(notes), isLastTurn: mustBeLast(turns, rules) })
  if (wasLastTurn(turns, rules)) return afterLastTurn(turns, rules)
  if (last.reply.calls.length > 0) return afterCalls(turns, rules)
  if (last.reply.finish === 'length') return afterCut(turns, rules)
  if (isEmpty(last.reply)) return afterEmpty(turns, rules)
  return finish(turns, rules)
}

const reviseWords = (notes: string): string =>
  `Your answer was graded, and it does not pass yet:\n\n${notes}\n\nRevise it, and give the whole answer again: only your ` +
  'next answer counts.'

/** There are no more turns, so a truncated answer cannot be continued. */
function afterLastTurn(turns: readonly WorkerTurn[], rules: LoopRules): LoopDecision {
  if (turns.at(-1)?.reply.finish !== 'length') return finish(turns, rules, 'turn_limit')
  const message = "The answer of the last turn was cut at the model's length limit."
  return { kind: 'fail', reasonCode: 'reply_truncated', message }
}

interface Asking {
  readonly say?: string | undefined
  readonly isLastTurn: boolean
}

function ask({ outputSchema }: LoopRules, { say, isLastTurn }: Asking): LoopDecision {
  const told = [...(say === undefined ? [] : [say]), ...(isLastTurn ? [lastTurnWords] : [])].join('\n\n')
  const wantsJson = outputSchema !== undefined && isLastTurn
  return { kind: 'ask', ...(told !== '' && { say: told }), offersTools: !isLastTurn, wantsJson }
}

const lastTurnWords =
  'This is your last turn in this step, and tools are no longer available. Answer now with the best result you have, and say ' +
  'what is missing.'

function afterCalls(turns: readonly WorkerTurn[], rules: LoopRules): LoopDecision {
  const repeats = repetitions(turns)
  const isLastTurn = mustBeLast(turns, rules)
  const say = repeats >= toldAfter && !isLastTurn ? repeatWords(repeats) : undefined
  return ask(rules, { say, isLastTurn })
}

const repeatWords = (times: number): string =>
  `You have made the same call ${times} times in a row with the same result. Making it again will not change that. ` +
  'Try something else, or answer with what you have.'

function afterCut(turns: readonly WorkerTurn[], rules: LoopRules): LoopDecision {
  const pieces = cutPieces(turns).length
  if (pieces > maxContinuations) {
    const message = `The answer was cut at the model's length limit ${pieces} times.`
    return { kind: 'fail', reasonCode: 'reply_truncated', message }
  }
  return ask(rules, { say: continueWords, isLastTurn: mustBeLast(turns, rules) })
}

const continueWords =
  'Your answer was cut off at the length limit. Go on exactly where it ends, without repeating anything of it.'

function afterEmpty(turns: readonly WorkerTurn[], rules: LoopRules): LoopDecision {
  const before = turns.at(-2)
  if (before !== undefined && before.reply.calls.length === 0 && isEmpty(before.reply)) {
    return { kind: 'fail', reasonCode: 'empty_reply', message: 'The model answered with nothing, twice.' }
  }
  return ask(rules, { say: emptyWords, isLastTurn: mustBeLast(turns, rules) })
}

const emptyWords = 'Your answer was empty. Answer with the result of the step, or call a tool.'

function finish(turns: readonly WorkerTurn[], rules: LoopRules, note?: 'turn_limit'): LoopDecision {
  const answer = answerOf(turns)
  const { content } = answer
  const output = turns.at(-1)?.reply.output
  if (isEmpty({ text: content, output })) {
    return { kind: 'fail', reasonCode: 'empty_reply', message: 'The model gave no answer in its last turn.' }
  }
  const noted = note === undefined ? {} : { note }
  if (rules.outputSchema === undefined) {
    return { kind: 'done', content, output: output === undefined ? answer.whole : output, ...noted }
  }
  const read = answer.json
  if (!read.ok) return afterMismatch(turns, rules, { problem: read.problem, note })
  const check = rules.checked.get((turns.at(-1) as WorkerTurn).reply)
  if (check === undefined) return { kind: 'check', output: read.value }
  if ('failure' in check) return { kind: 'fail', ...check.failure }
  if (check.problem !== undefined) return afterMismatch(turns, rules, { problem: check.problem, note })
  return { kind: 'done', content, output: read.value, ...noted }
}

interface Mismatch {
  readonly problem: string
  readonly note: 'turn_limit' | undefined
}

function afterMismatch(turns: readonly WorkerTurn[], rules: LoopRules, { problem, note }: Mismatch): LoopDecision {
  if (repairsIn(turns, rules) >= maxRepairs || note !== undefined) {
    const message = `The answer does not match the output schema: ${problem}.`
    return { kind: 'fail', reasonCode: 'output_invalid', message }
  }
  return { kind: 'ask', say: repairRequest(problem), offersTools: false, wantsJson: true }
}

/** An answer, and the JSON in it. To read a long one takes a while, and decisions are made again and again. */
class Answer {
  readonly content: string
  readonly #output: unknown
  #whole: unknown
  #json: ReturnType<typeof readJson> | undefined

  constructor(content: string, output: unknown) {
    this.content = content
    this.#output = output
  }

  /** The JSON that the answer is as a whole, or null. */
  get whole(): unknown {
    if (this.#whole === undefined) this.#whole = findWholeJson(this.content)?.value ?? null
    return this.#whole
  }

  /** The JSON that the answer contains. */
  get json(): ReturnType<typeof readJson> {
    this.#json ??= readJson({ text: this.content, output: this.#output })
    return this.#json
  }
}

/** By the last reply of the answer. */
const answers = new WeakMap<ReplyEntry, Answer>()

function answerOf(turns: readonly WorkerTurn[]): Answer {
  const { reply } = turns.at(-1) as WorkerTurn
  const answer = answers.get(reply) ?? new Answer(contentOf(turns), reply.output)
  answers.set(reply, answer)
  return answer
}

const isEmpty = ({ text, output }: Pick<ReplyEntry, 'text' | 'output'>): boolean =>
  output === undefined && withoutReasoning(text).trim() === ''

/** Whether the next turn must be the last. */
function mustBeLast(turns: readonly WorkerTurn[], { maxTurns }: LoopRules): boolean {
  return turns.length >= maxTurns - 1 || repetitions(turns) >= lastTurnAfter
}

function wasLastTurn(turns: readonly WorkerTurn[], rules: LoopRules): boolean {
  const before = turns.slice(0, -1)
  return before.length === 0 ? rules.maxTurns <= 1 : mustBeLast(before, rules)
}

/** How many repairs were requested in earlier turns, since the answer was last revised. */
function repairsIn(turns: readonly WorkerTurn[], rules: LoopRules): number {
  let repairs = 0
  const revised = turns.findLastIndex(({ reply }) => rules.notesOn?.(reply) !== undefined)
  for (let count = revised + 2; count < turns.length; count += 1) {
    const before = decideTurn(turns.slice(0, count), rules)
    if (before.kind === 'ask' && before.wantsJson && !before.offersTools) repairs += 1
  }
  return repairs
}

/** How many of the last turns in a row made the same calls with the same results. */
function repetitions(turns: readonly WorkerTurn[]): number {
  const last = turns.at(-1)
  if (last === undefined || last.reply.calls.length === 0) return 0
  const print = fingerprint(last)
  let count = 0
  while (count < turns.length && fingerprint(turns[turns.length - 1 - count] as WorkerTurn) === print) count += 1
  return count
}

const prints = new WeakMap<WorkerTurn, string>()

function fingerprint(turn: WorkerTurn): string {
  const known = prints.get(turn)
  if (known !== undefined) return known
  // A model may write the same arguments in another order. Results may be large, and tools do not reorder them.
  const calls = canonicalJson(turn.reply.calls.map(({ name, input }) => [name, input]))
  const print = `${calls} ${JSON.stringify(turn.results)}`
  prints.set(turn, print)
  return print
}

/** The last reply and the truncated ones directly before it, which form one answer. */
function cutPieces(turns: readonly WorkerTurn[]): readonly ReplyEntry[] {
  let start = turns.length - 1
  while (start > 0 && continues(turns[start - 1]?.reply)) start -= 1
  return turns.slice(start).map(({ reply }) => reply)
}

const continues = (reply: ReplyEntry | undefined): boolean => reply?.finish === 'length' && reply.calls.length === 0

/** Reasoning that a model writes into its text is not part of the result. */
function contentOf(turns: readonly WorkerTurn[]): string {
  const said = cutPieces(turns)
    .map(({ text }) => text)
    .join('')
  const content = withoutReasoning(said)
  return content === said ? said : content.trim()
}
