// The agents and tools that runs can use: what is installed, from where, and what policy says.
import { type ReactNode, useId } from 'react'
import { Page } from '../parts/layout/page.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { AgentList } from './agent-list.tsx'
import { ToolList } from './tool-list.tsx'

export function AgentsView() {
  const { can } = useSession()
  return (
    <Page title="Agents and tools">
      {can('runs:read') ? (
        <>
          <Part title="Agents">
            <AgentList />
          </Part>
          <Part title="Tools">
            <ToolList />
          </Part>
        </>
      ) : (
        <MissingScope scope="runs:read" allows="see agents and tools" />
      )}
    </Page>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h2 id={id} className="text-base font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}
