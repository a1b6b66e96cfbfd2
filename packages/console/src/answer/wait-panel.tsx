// A run that waits for a person: what led to the question, the question, and the answer. The draft stays if somebody
// else answers first, and if the answer is undone.
import type { AwaitingInput } from '@runwright/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { Panel } from '../parts/layout/panel.tsx'
import { type KeptFocus, useKeptFocus } from '../parts/use-kept-focus.ts'
import { Countdown } from '../parts/values/duration.tsx'
import { ShownPartsProvider, useShownParts } from '../parts/values/shown-parts.ts'
import { runName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'
import { AnswerControls } from './answer-controls.tsx'
import { AnsweredElsewhere } from './answered-elsewhere.tsx'
import { Approvers } from './approvers.tsx'
import { type Answer, type Decision, keyOfWait } from './decisions/decision-box.ts'
import { DecisionStatus } from './decisions/decision-status.tsx'
import { useDecisionBox, useDecisionOn, useShownPanel } from './decisions/decisions.ts'
import { type Draft, emptyDraft } from './draft.ts'
import { Consequences } from './evidence/consequences.tsx'
import { Evidence } from './evidence/evidence.tsx'
import { useIsEvidenceShown } from './evidence/use-evidence.ts'
import { Question } from './question.tsx'
import { useIsGrave } from './use-is-grave.ts'

interface WaitPanelProps {
  readonly run: { readonly id: string; readonly title?: string | null | undefined }
  readonly wait: AwaitingInput
  /** The run no longer waits for this answer: the panel says who answered, and keeps the draft. */
  readonly isOver?: boolean
  /** Registers the shortcuts of its buttons. Only one panel of a page may do so. */
  readonly hasShortcuts?: boolean
  /** This person has decided, and goes on elsewhere: the answer counts down there. */
  readonly onDecided?: (() => void) | undefined
  /** The service took the answer of this person. */
  readonly onAnswered?: (() => void) | undefined
  /** Closes the panel of a wait that is over. */
  readonly onClose?: (() => void) | undefined
}

/** The page may not have read the wait again since the answer was counted. */
const laterOf = (shown: AwaitingInput, decision: Decision | undefined): AwaitingInput => {
  const counted = decision?.state.kind === 'counted' ? decision.state.wait : shown
  const latest = ({ decisions }: AwaitingInput) => Date.parse(decisions.at(-1)?.at ?? '') || 0
  return latest(counted) > latest(shown) ? counted : shown
}

/** The decision on the wait. One that has not left ends when somebody else answers. */
const useDecision = ({ run, wait: shown, isOver = false, onDecided, onAnswered }: WaitPanelProps) => {
  const box = useDecisionBox()
  const about = { runId: run.id, awaitSeq: shown.seq, name: runName(run) }
  const key = keyOfWait(about)
  const decision = useDecisionOn(about)
  const kind = decision?.state.kind
  useShownPanel(key)
  useEffect(() => {
    if (isOver) box.isOver(key)
  }, [box, isOver, key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has arrived.
  useEffect(() => {
    if (kind === 'sent') onAnswered?.()
  }, [kind])
  const decide = (answer: Answer) => {
    box.decide(about, answer)
    onDecided?.()
  }
  return { decision, kind, decide, wait: laterOf(shown, decision) }
}

export function WaitPanel(props: WaitPanelProps) {
  const { run, isOver = false, hasShortcuts = false, onDecided, onClose } = props
  const mayAnswer = useSession().can('runs:signal')
  const [draft, setDraft] = useState(() => emptyDraft(props.wait))
  const { decision, kind, decide, wait } = useDecision(props)
  const { parts, unseen, offScreen, showAll } = useShownParts()
  // The inner one first: its effect gives the focus before that of the panel.
  const answerFocus = useKeptFocus<HTMLElement>()
  const keptFocus = useKeptFocus<HTMLElement>()
  const isGrave = useIsGrave(wait)
  const isEvidenceShown = useIsEvidenceShown(run.id, wait)
  const isLate = (isOver && kind !== 'sent' && kind !== 'sending') || kind === 'late'
  const isDecided = decision !== undefined && kind !== 'late' && kind !== 'failed' && kind !== 'counted'
  const giveSame = (same: Draft) => {
    setDraft(same)
    answerFocus.ref.current?.focus()
  }
  return (
    <Panel
      title={isLate ? 'This run was awaiting input' : 'This run is awaiting input'}
      tone="warn"
      aside={!isLate && <Countdown until={wait.expires_at} />}
      keptFocus={keptFocus}
    >
      <div className="flex flex-col gap-4">
        <Evidence runId={run.id} wait={wait} />
        <ShownPartsProvider value={parts}>
          <Question wait={wait} />
        </ShownPartsProvider>
        <Approvers wait={wait} onSame={isLate || isDecided || !mayAnswer ? undefined : giveSame} />
        <Consequences runId={run.id} wait={wait} />
        <AnswerSection keptFocus={answerFocus}>
          {isLate && (
            <AnsweredElsewhere runId={run.id} seq={wait.seq} isCounted={kind === 'counted'} onClose={onClose} />
          )}
          {decision && !isLate && <DecisionStatus decision={decision} takesFocus={onDecided === undefined} />}
          {!isDecided && !mayAnswer && <MayNotAnswer />}
          {/* Not before what led to the question: that would move the buttons away under the pointer. */}
          {!isDecided && mayAnswer && isEvidenceShown && (
            <AnswerControls
              wait={wait}
              draft={draft}
              onDraft={setDraft}
              isLate={isLate}
              hasShortcuts={hasShortcuts}
              care={{ isGrave, unseen, offScreen, onShowAll: showAll }}
              onAnswer={decide}
            />
          )}
        </AnswerSection>
      </div>
    </Panel>
  )
}

function MayNotAnswer() {
  return (
    <p className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
      Your key may read this run, but not answer it: it does not have the scope <code>runs:signal</code>. Sign in with
      another key, or ask somebody who has one.
    </p>
  )
}

interface AnswerSectionProps {
  readonly keptFocus: KeptFocus<HTMLElement>
  readonly children: ReactNode
}

/** Gets the focus when an answer is given or undone, so that the person need not pass the whole question again. */
function AnswerSection({ keptFocus, children }: AnswerSectionProps) {
  return (
    <section {...keptFocus} aria-label="Answer to the question" tabIndex={-1} className="flex flex-col gap-4">
      {children}
    </section>
  )
}
