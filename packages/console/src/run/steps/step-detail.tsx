// The chosen step: its task, its text as it is written, its tool calls, its attempts side by side, and decisions.
import { visibleText } from '@runwright/contract'
import { memo } from 'react'
import { AnswerWords } from '../../answer/answer-record.tsx'
import { Icon, type IconName } from '../../parts/controls/icon.tsx'
import { ClampedText } from '../../parts/values/clamped.tsx'
import { Duration, Elapsed } from '../../parts/values/duration.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { plural } from '../../parts/values/plural.ts'
import type { Card } from '../story/cards.ts'
import type { Span } from '../story/spans.ts'
import type { StoryStep } from '../story/story.ts'
import { Attempts } from './attempts.tsx'
import { CallList } from './call-list.tsx'
import { StateMark, stateFills } from './card-state.tsx'
import { Decisions } from './decisions.tsx'
import { FailureWords } from './failure-words.tsx'

export const detailId = 'chosen-step'

const icons: Readonly<Partial<Record<Card['kind'], IconName>>> = {
  agent: 'agents',
  tool: 'tool',
  gate: 'person',
  planner: 'decision',
}

interface StepDetailProps {
  readonly card: Card
  /** When it worked last. */
  readonly span: Span | undefined
  /** Of a stalled or ended run, nothing counts up. */
  readonly isLive: boolean
  readonly attempt: number | undefined
  readonly onChooseAttempt: (attempt: number | undefined) => void
}

const isSame = (one: StepDetailProps, other: StepDetailProps) =>
  one.card.key === other.card.key &&
  one.card.step === other.card.step &&
  one.card.state === other.card.state &&
  one.card.task === other.card.task &&
  one.card.title === other.card.title &&
  one.card.error?.reason_code === other.card.error?.reason_code &&
  one.card.signal?.seq === other.card.signal?.seq &&
  one.span?.from === other.span?.from &&
  one.span?.to === other.span?.to &&
  one.isLive === other.isLive &&
  one.attempt === other.attempt

// Memoized: while another step streams, this one is not rendered again.
export const StepDetail = memo(function StepDetail({ card, span, isLive, attempt, onChooseAttempt }: StepDetailProps) {
  const { title, kind, task, state, step, signal, error } = card
  return (
    <article
      id={detailId}
      tabIndex={-1}
      aria-labelledby={`${detailId}-title`}
      className="relative min-w-0 scroll-mt-20 overflow-hidden rounded-lg border border-line bg-surface"
    >
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-1 ${stateFills[state]}`} />
      <div className="flex flex-col gap-2.5 py-3 pr-4 pl-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Icon name={icons[kind] ?? 'agents'} className="text-muted" />
          <h3 id={`${detailId}-title`} className="font-semibold wrap-anywhere">
            {visibleText(title)}
          </h3>
          <StateMark state={state} />
          {step && step.attempts.length > 1 && (
            <span className="text-sm text-muted">{plural(step.attempts.length, 'attempt')}</span>
          )}
          <span className="ml-auto text-sm text-muted">
            {span && <SpanTime span={span} isGrowing={isLive && state === 'running'} />}
          </span>
        </div>
        {task !== undefined && (
          <ClampedText text={visibleText(task)} most={800} fileName="task.txt">
            {(shown) => <p className="text-sm whitespace-pre-wrap text-muted wrap-anywhere">{shown}</p>}
          </ClampedText>
        )}
        {step && step.attempts.length > 1 && <Attempts step={step} chosen={attempt} onChoose={onChooseAttempt} />}
        {step && <StepBody step={step} card={card} />}
        {error && step?.reasonCode === undefined && !signal && (
          <FailureWords reasonCode={error.reason_code} message={error.message ?? undefined} />
        )}
        {signal && <AnswerWords signal={signal} />}
      </div>
    </article>
  )
}, isSame)

function SpanTime({ span, isGrowing }: { readonly span: Span; readonly isGrowing: boolean }) {
  if (span.to !== undefined) return <Duration ms={span.to - span.from} />
  return isGrowing ? <Elapsed since={new Date(span.from).toISOString()} /> : null
}

/** What the last attempt did. The words of a failure that a later attempt mended are with its attempt. */
function StepBody({ step, card: { kind, state, title } }: { readonly step: StoryStep; readonly card: Card }) {
  const isFailed = step.reasonCode !== undefined && state !== 'succeeded'
  return (
    <>
      {step.calls.length > 0 && <CallList calls={step.calls} />}
      {/* The text of a tool step is its result as JSON, which its call shows already. */}
      {step.text !== '' && !(kind === 'tool' && step.calls.length > 0) && (
        <ClampedText text={step.text} most={12_000} fileName={`${title}.md`}>
          {(shown) => <Markdown text={shown} />}
        </ClampedText>
      )}
      {isFailed && step.reasonCode !== undefined && (
        <FailureWords reasonCode={step.reasonCode} message={step.message} />
      )}
      <Decisions decisions={state === 'succeeded' ? mended(step) : step.decisions} />
    </>
  )
}

/** Of a step that has succeeded in the end: not that it had failed. */
const mended = ({ decisions }: StoryStep) => decisions.filter(({ reasonCode }) => reasonCode !== 'step_failed')
