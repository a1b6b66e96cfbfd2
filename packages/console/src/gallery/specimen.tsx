// How the gallery shows its components: in groups, each with the name of the component and its states.
import type { ReactNode } from 'react'
import { Panel } from '../parts/layout/panel.tsx'

export function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Panel title={title}>
      <div className="flex flex-col divide-y divide-line">{children}</div>
    </Panel>
  )
}

export function Specimen({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 py-4 first:pt-1 last:pb-1">
      <h3 className="font-mono text-code text-muted">{name}</h3>
      {children}
    </div>
  )
}

/** States side by side. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>
}
