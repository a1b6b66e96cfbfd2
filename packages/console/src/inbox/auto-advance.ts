// Whether the inbox opens the next question after an answer. A choice of this browser.
import { useEffect, useState } from 'react'
import { KeptChoice, useKeptChoice } from '../parts/kept-choice.ts'

const choice = new KeptChoice('runwright.auto-advance', ['off', 'on'])
/** A person needs longer to read a question: a second press of the same key must not answer it. */
const unreadMs = 1_000

export interface AutoAdvance {
  readonly isOn: boolean
  readonly turn: (isOn: boolean) => void
  /** Says which question is opened by itself now. */
  readonly begin: (key: string) => void
  /** Then its shortcuts do not work yet. */
  readonly isJustOpened: (key: string) => boolean
}

export const useAutoAdvance = (): AutoAdvance => {
  const isOn = useKeptChoice(choice) === 'on'
  const [justOpened, setJustOpened] = useState<string>()
  useEffect(() => {
    if (justOpened === undefined) return
    const timer = setTimeout(() => setJustOpened(undefined), unreadMs)
    return () => clearTimeout(timer)
  }, [justOpened])
  return {
    isOn,
    turn: (on) => choice.choose(on ? 'on' : 'off'),
    begin: setJustOpened,
    isJustOpened: (key) => key === justOpened,
  }
}
