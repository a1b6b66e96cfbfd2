// What goes on when a key is revoked, with a box for each thing that is to be stopped too. Nothing is chosen at first.
import type { Runwright } from '@runwright/client'
import { type KeyLeaves, type Scope, visibleText } from '@runwright/contract'
import type { ReactNode } from 'react'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'

/** Something that goes on. */
export interface Left {
  readonly id: string
  readonly kind: keyof KeyLeaves
  readonly name: string
  readonly detail?: ReactNode
}

interface Kind {
  readonly title: string
  /** What the box does. */
  readonly action: string
  readonly scope: Scope
  readonly stop: (client: Runwright, id: string) => Promise<unknown>
}

const kinds: Readonly<Record<keyof KeyLeaves, Kind>> = {
  schedules: {
    title: 'Schedules that go on creating runs',
    action: 'Pause',
    scope: 'runs:write',
    stop: (client, id) => client.schedules.update(id, { paused: true }),
  },
  webhooks: {
    title: 'Webhooks that go on receiving messages',
    action: 'Delete',
    scope: 'webhooks:admin',
    stop: (client, id) => client.webhooks.delete(id),
  },
  keys: {
    title: 'Keys that stay valid, and whose secret this key was shown',
    action: 'Revoke',
    scope: 'keys:admin',
    stop: (client, id) => client.keys.revoke(id),
  },
}

export const stopLeft = (client: Runwright, { kind, id }: Left): Promise<unknown> => kinds[kind].stop(client, id)

export const leftOf = ({ schedules, webhooks, keys }: KeyLeaves): Left[] => [
  ...schedules.map(({ id, name, cron, time_zone, next_at }) => ({
    ...{ id, kind: 'schedules' as const, name: visibleText(name ?? cron) },
    detail: (
      <>
        {cron} {time_zone}, next run <Instant at={next_at} />
      </>
    ),
  })),
  ...webhooks.map(({ id, host }) => ({ id, kind: 'webhooks' as const, name: host })),
  ...keys.map(({ id, name }) => ({ id, kind: 'keys' as const, name: visibleText(name ?? id) })),
]

interface LeftListProps {
  readonly left: readonly Left[]
  readonly chosen: readonly Left[]
  readonly onChange: (chosen: readonly Left[]) => void
}

export function LeftList({ left, chosen, onChange }: LeftListProps) {
  if (left.length === 0) return <p>Nothing that the key has set up goes on.</p>
  return (Object.keys(kinds) as (keyof KeyLeaves)[]).map((kind) => {
    const ofKind = left.filter((one) => one.kind === kind)
    return ofKind.length > 0 && <KindList key={kind} kind={kind} left={ofKind} chosen={chosen} onChange={onChange} />
  })
}

function KindList({ kind, left, chosen, onChange }: LeftListProps & { readonly kind: keyof KeyLeaves }) {
  const { can } = useSession()
  const { title, action, scope } = kinds[kind]
  const toggle = (one: Left, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, one] : chosen.filter((other) => other !== one))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-warn">{title}</legend>
      {!can(scope) && (
        <p className="text-sm text-muted">
          The key you are signed in with does not have the scope {scope}, so you cannot stop them here.
        </p>
      )}
      {left.map((one) => (
        <label key={one.id} className="flex items-start gap-2.5">
          <input
            type="checkbox"
            className="mt-1 size-4 accent-accent"
            disabled={!can(scope)}
            checked={chosen.includes(one)}
            onChange={(event) => toggle(one, event.target.checked)}
          />
          <LeftName action={action} left={one} />
        </label>
      ))}
    </fieldset>
  )
}

function LeftName({ action, left }: { readonly action: string; readonly left: Left }) {
  return (
    <span className="min-w-0 wrap-anywhere">
      {action} <span className="font-medium">{left.name}</span>
      <span className="block font-mono text-xs text-muted">{left.id}</span>
      {left.detail && <span className="block text-sm text-muted">{left.detail}</span>}
    </span>
  )
}
