// The attempts of a step side by side, each with its own time, error and text. What a lost worker left behind is not
// part of the text of the step.
import { ClampedText } from '../../parts/values/clamped.tsx'
import { Duration } from '../../parts/values/duration.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { plural } from '../../parts/values/plural.ts'
import type { StoryStep } from '../story/story.ts'
import { FailureWords } from './failure-words.tsx'

interface AttemptsProps {
  readonly step: StoryStep
  readonly chosen: number | undefined
  readonly onChoose: (attempt: number | undefined) => void
}

export function Attempts({ step, chosen, onChoose }: AttemptsProps) {
  return (
    <ol
      aria-label="Attempts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: many attempts must be scrollable by keyboard.
      tabIndex={0}
      className="flex gap-2 overflow-x-auto pb-1"
    >
      {step.attempts.map(({ left, notBefore, endedAt }, index) => {
        const isLast = index === step.attempts.length - 1
        return (
          <li
            key={notBefore}
            className={`flex min-w-56 flex-1 flex-col gap-1.5 rounded-md border px-3 py-2 text-sm ${index === chosen ? 'border-accent' : 'border-line'}`}
          >
            <button
              type="button"
              aria-pressed={index === chosen}
              className="flex justify-between gap-3 text-left font-medium"
              onClick={() => onChoose(index === chosen ? undefined : index)}
            >
              Attempt {index + 1}
              {endedAt !== undefined && (
                <span className="font-normal text-muted">
                  <Duration ms={Date.parse(endedAt) - Date.parse(notBefore)} />
                </span>
              )}
            </button>
            {isLast ? (
              <p className="text-muted">{lastWords[step.state]}</p>
            ) : (
              <LeftBehind left={left} isOpen={index === chosen} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

const lastWords: Readonly<Record<StoryStep['state'], string>> = {
  running: 'Works now, below.',
  succeeded: 'Succeeded, below.',
  retrying: 'Failed, and is repeated.',
  failed: 'Failed, below.',
  lost: 'Its worker was lost. What it wrote is below.',
  stopped: 'Ended with the run. What it wrote is below.',
}

interface LeftBehindProps {
  readonly left: StoryStep['attempts'][number]['left']
  readonly isOpen: boolean
}

function LeftBehind({ left, isOpen }: LeftBehindProps) {
  if (!left) return null
  return (
    <>
      {left.reasonCode !== undefined && <FailureWords reasonCode={left.reasonCode} message={left.message} />}
      {left.calls.length > 0 && <p className="text-muted">{plural(left.calls.length, 'tool call')}</p>}
      {left.text !== '' && (
        <ClampedText text={left.text} most={isOpen ? 4_000 : 160} fileName="attempt.md">
          {(shown) => <Markdown text={shown} />}
        </ClampedText>
      )}
    </>
  )
}
