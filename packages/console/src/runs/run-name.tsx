// What a run is called: its title, or its id if it has none.
import { visibleText } from '@runwright/contract'

interface NamedRun {
  readonly id: string
  readonly title?: string | null | undefined
}

export const runName = ({ title, id }: NamedRun): string => visibleText(title ?? id)

export function RunName({ run }: { readonly run: NamedRun }) {
  if (run.title) return <>{visibleText(run.title)}</>
  return <span className="font-mono text-code">{run.id}</span>
}
