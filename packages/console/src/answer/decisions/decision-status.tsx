// A decision that has been made: how long it can be undone, that it is sent, or why it was not.
import { RunwrightError } from '@runwright/client'
import type { AwaitingInput } from '@runwright/contract'
import { Button } from '../../parts/controls/button.tsx'
import { linkButton } from '../../parts/controls/link-button.ts'
import { Problem } from '../../parts/errors/problem.tsx'
import { useNow } from '../../parts/values/use-now.ts'
import { useSession } from '../../session/session.ts'
import { providerSignIn } from '../../session/signed-in-key.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { type Decision, undoMs } from './decision-box.ts'
import { countedWords, wordsOf } from './decision-words.ts'
import { useDecisionBox } from './decisions.ts'

const heldWords = {
  offline: 'The browser is offline: your answer was not sent.',
  asleep: 'The computer was asleep when the time was up: your answer was not sent.',
} as const

const refusedWords = 'The service did not take your answer.'
const unknownWords = 'It is not known whether the service has your answer. It counts once, also if you send it again.'

const isRefused = (error: unknown) =>
  error instanceof RunwrightError && error.status !== undefined && error.status < 500

interface DecisionStatusProps {
  readonly decision: Decision
  /** The button that was pressed is gone, and Undo takes the focus. */
  readonly takesFocus?: boolean
}

export function DecisionStatus({ decision, takesFocus = false }: DecisionStatusProps) {
  const { state, answer } = decision
  if (state.kind === 'counting') return <Counting decision={decision} until={state.until} takesFocus={takesFocus} />
  if (state.kind === 'sending') return <p role="status">{wordsOf(answer).doing}: sending…</p>
  if (state.kind === 'sent') return <p role="status">{wordsOf(answer).done}</p>
  if (state.kind === 'counted') return <Counted wait={state.wait} />
  if (state.kind === 'held' || state.kind === 'failed') return <Unsent decision={decision} />
  return null
}

function Counted({ wait }: { readonly wait: AwaitingInput }) {
  const { signedInKey } = useSession()
  return (
    <p role="status" className="rounded-md border border-info/40 bg-info/10 px-3 py-2.5">
      <span className="font-medium">{countedWords(wait, signedInKey?.key_id)}</span> Others have to decide, too. Until
      then, another answer of yours replaces this one.
    </p>
  )
}

interface CountingProps extends Required<DecisionStatusProps> {
  readonly until: number
}

function Counting({ decision, until, takesFocus }: CountingProps) {
  const box = useDecisionBox()
  const left = Math.max(0, until - useNow(250))
  const undo = () => box.undo(decision.key)
  useShortcut('Escape', 'Undo the answer', undo)
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="min-w-0 flex-1">
        <span className="font-medium">{wordsOf(decision.answer).doing}</span>
        <span role="timer" aria-label="Time to undo" className="tabular-nums">
          : sent in {Math.ceil(left / 1_000)} s
        </span>
        <progress
          aria-hidden="true"
          max={undoMs}
          value={left}
          className="mt-1 block h-1 w-full max-w-56 accent-accent"
        />
      </p>
      <Button
        autoFocus={takesFocus}
        // The key that made the decision may still be down, and the browser repeats it here.
        onKeyDown={(event) => event.repeat && event.preventDefault()}
        onClick={undo}
      >
        Undo <kbd className="ml-1 font-mono text-xs text-muted">Esc</kbd>
      </Button>
    </div>
  )
}

const needsSignIn = (error: unknown) => error instanceof RunwrightError && error.reasonCode === 'REAUTH_REQUIRED'

/** Leads back to the question, which then has to be answered again: the answer does not outlive the page. */
function SignInAgain({ decision: { key } }: { readonly decision: Decision }) {
  const box = useDecisionBox()
  const { signedInKey } = useSession()
  if (!signedInKey?.signs_in) return null
  return (
    <a
      className={`${linkButton('primary')} self-start`}
      href={providerSignIn(window.location.hash, { isFresh: true, customer: signedInKey.customer_id })}
      onClick={() => box.undo(key)}
    >
      Sign in again
    </a>
  )
}

function Unsent({ decision }: { readonly decision: Decision }) {
  const box = useDecisionBox()
  const { state, key } = decision
  const error = state.kind === 'failed' ? state.error : undefined
  return (
    <div className="flex flex-col gap-2">
      {error !== undefined && <Problem error={error} />}
      {needsSignIn(error) && <SignInAgain decision={decision} />}
      <p role="alert">
        {state.kind === 'held' ? heldWords[state.why] : isRefused(error) ? refusedWords : unknownWords}
      </p>
      <div className="flex flex-wrap justify-between gap-3">
        <Button variant="primary" onClick={() => box.sendNow(key)}>
          Send it now
        </Button>
        <Button variant="quiet" onClick={() => box.undo(key)}>
          Drop the answer
        </Button>
      </div>
    </div>
  )
}
