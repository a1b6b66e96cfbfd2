// The wait of a run. It stays on the page if somebody else answers it, until the user closes it.
import type { AwaitingInput, RunDetail } from '@runwright/contract'
import { useState } from 'react'
import { WaitPanel } from '../answer/wait-panel.tsx'
import { focusMain } from '../parts/focus-main.ts'

export function RunWait({ run }: { readonly run: RunDetail }) {
  const [kept, setKept] = useState<AwaitingInput>()
  const [doneSeq, setDoneSeq] = useState(0)
  const current = run.awaiting_input ?? undefined
  if (current && current.seq !== kept?.seq) setKept(current)
  const wait = current ?? kept
  if (!wait || wait.seq <= doneSeq) return null
  const finish = () => {
    setDoneSeq(wait.seq)
    focusMain()
  }
  return (
    <WaitPanel
      key={wait.seq}
      run={run}
      wait={wait}
      isOver={current?.seq !== wait.seq}
      hasShortcuts
      onAnswered={finish}
      onClose={finish}
    />
  )
}
