// The card of a step: its task, its text as it is written, its tool calls, and what was decided about it.
import { memo } from 'react'
import { AnswerWords } from '../../answer/answer-record.tsx'
import { Icon, type IconName } from '../../parts/controls/icon.tsx'
import { Duration, Elapsed } from '../../parts/values/duration.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { plural } from '../../parts/values/plural.ts'
import type { Card } from '../story/cards.ts'
import type { Span } from '../story/spans.ts'
import type { StoryStep } from '../story/story.ts'
import { StateMark, stateFills } from './card-state.tsx'
import { Decisions } from './decisions.tsx'
import { reasonWords } from './reason-words.ts'
import { ToolCallItem } from './tool-call.tsx'

export const cardId = (key: string): string => `step-${key}`

const icons: Readonly<Partial<Record<Card['kind'], IconName>>> = {
  agent: 'agents',
  tool: 'tool',
  gate: 'person',
  planner: 'decision',
}

interface StepCardProps {
  readonly card: Card
  /** When it worked last. */
  readonly span: Span | undefined
}

const isSame = (one: StepCardProps, other: StepCardProps) =>
  one.card.step === other.card.step &&
  one.card.state === other.card.state &&
  one.card.task === other.card.task &&
  one.card.title === other.card.title &&
  one.card.error?.reason_code === other.card.error?.reason_code &&
  one.card.signal?.seq === other.card.signal?.seq &&
  one.span?.from === other.span?.from

// Memoized: while one step streams, the others are not rendered again.
export const StepCard = memo(function StepCard({ card, span }: StepCardProps) {
  const { key, title, kind, task, state, step, signal, error } = card
  const id = cardId(key)
  return (
    <article
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      className="relative min-w-0 scroll-mt-4 overflow-hidden rounded-lg border border-line bg-surface"
    >
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-1 ${stateFills[state]}`} />
      <div className="flex flex-col gap-2.5 py-3 pr-4 pl-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Icon name={icons[kind] ?? 'agents'} className="text-muted" />
          <h3 id={`${id}-title`} className="font-semibold wrap-anywhere">
            {title}
          </h3>
          <StateMark state={state} />
          {step && step.attempts.length > 1 && (
            <span className="text-sm text-warn">{plural(step.attempts.length, 'attempt')}</span>
          )}
          <span className="ml-auto text-sm text-muted">{span && <SpanTime span={span} state={state} />}</span>
        </div>
        {task !== undefined && <p className="text-sm whitespace-pre-wrap text-muted wrap-anywhere">{task}</p>}
        {step && <StepBody step={step} kind={kind} />}
        {error && step?.reasonCode === undefined && !signal && (
          <FailureWords reasonCode={error.reason_code} message={error.message ?? undefined} />
        )}
        {signal && <AnswerWords signal={signal} />}
      </div>
    </article>
  )
}, isSame)

function SpanTime({ span, state }: { readonly span: Span; readonly state: Card['state'] }) {
  if (span.to !== undefined) return <Duration ms={span.to - span.from} />
  return state === 'running' ? <Elapsed since={new Date(span.from).toISOString()} /> : null
}

function StepBody({ step, kind }: { readonly step: StoryStep; readonly kind: Card['kind'] }) {
  return (
    <>
      {step.calls.length > 0 && (
        <ul aria-label="Tool calls" className="flex flex-col gap-1.5">
          {step.calls.map((call) => (
            <ToolCallItem key={call.id} call={call} />
          ))}
        </ul>
      )}
      {/* The text of a tool step is its result as JSON, which its call shows already. */}
      {step.text !== '' && !(kind === 'tool' && step.calls.length > 0) && <Markdown text={step.text} />}
      {step.reasonCode !== undefined && <FailureWords reasonCode={step.reasonCode} message={step.message} />}
      <Decisions decisions={step.decisions} />
    </>
  )
}

interface FailureWordsProps {
  readonly reasonCode: string
  readonly message: string | undefined
}

function FailureWords({ reasonCode, message }: FailureWordsProps) {
  return (
    <div className="rounded-md bg-bad/8 px-3 py-2 text-sm">
      <p className="text-bad">{reasonWords(reasonCode)}</p>
      {message !== undefined && <p className="wrap-anywhere">{message}</p>}
    </div>
  )
}
