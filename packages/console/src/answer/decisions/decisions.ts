// The decisions of the signed-in person, for all pages.
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import { type Decision, type DecisionBox, keyOfWait } from './decision-box.ts'
import type { ShownPanels } from './shown-panels.ts'

export interface Decisions {
  readonly box: DecisionBox
  readonly panels: ShownPanels
}

export const DecisionsContext = createContext<Decisions | undefined>(undefined)

const useContextValue = (): Decisions => {
  const decisions = useContext(DecisionsContext)
  if (!decisions) throw new Error('a decision was shown without its provider')
  return decisions
}

export const useDecisionBox = (): DecisionBox => useContextValue().box

export const useDecisions = (): readonly Decision[] => {
  const box = useDecisionBox()
  return useSyncExternalStore(box.subscribe, box.snapshot)
}

export const useDecisionOn = (wait: { readonly runId: string; readonly awaitSeq: number }): Decision | undefined => {
  const key = keyOfWait(wait)
  return useDecisions().find((one) => one.key === key)
}

/** Says that a panel of the page shows the decision on this wait. */
export const useShownPanel = (key: string): void => {
  const { panels } = useContextValue()
  useEffect(() => panels.show(key), [panels, key])
}

export const useShownPanels = (): readonly string[] => {
  const { panels } = useContextValue()
  return useSyncExternalStore(panels.subscribe, panels.snapshot)
}
