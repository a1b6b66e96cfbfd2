// The calls of tools, repeated ones grouped. A long group shows its calls in portions.
import { type ReactNode, useState } from 'react'
import { Icon } from '../../parts/controls/icon.tsx'
import { Duration } from '../../parts/values/duration.tsx'
import type { StoryCall } from '../story/story.ts'
import { type CallGroup, groupCalls } from './call-groups.ts'
import { ToolCallItem } from './tool-call.tsx'

/** Of groups, and of the calls of a group. */
const portion = 20

export function CallList({ calls }: { readonly calls: readonly StoryCall[] }) {
  const groups = groupCalls(calls)
  return (
    <Portions of={groups} label="Tool calls">
      {(group) =>
        group.calls.length === 1 ? (
          <ToolCallItem key={group.calls[0].id} call={group.calls[0]} />
        ) : (
          <GroupItem key={group.calls[0].id} group={group} />
        )
      }
    </Portions>
  )
}

interface PortionsProps<Item> {
  readonly of: readonly Item[]
  readonly label: string
  readonly children: (item: Item) => ReactNode
}

function Portions<Item>({ of, label, children }: PortionsProps<Item>) {
  const [shown, setShown] = useState(portion)
  return (
    <div className="flex flex-col gap-1.5">
      <ul aria-label={label} className="flex flex-col gap-1.5">
        {of.slice(0, shown).map(children)}
      </ul>
      {of.length > shown && (
        <button
          type="button"
          className="self-start text-sm text-accent underline"
          onClick={() => setShown(shown + portion)}
        >
          Show {Math.min(portion, of.length - shown)} more of {of.length}
        </button>
      )}
    </div>
  )
}

function GroupItem({ group: { name, calls, failed, unknown } }: { readonly group: CallGroup }) {
  const [isOpen, setOpen] = useState(false)
  const ms = calls.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
  return (
    <li className="rounded-md border border-line">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
          <Icon name="tool" className="text-muted" />
          <span>
            {calls.length} × <span className="font-mono font-medium">{name}</span>
          </span>
          <span className="flex flex-1 flex-wrap gap-x-3">
            {failed > 0 && <span className="font-medium text-bad">{failed} failed</span>}
            {unknown > 0 && <span className="font-medium text-warn">{unknown} with an outcome not known</span>}
            {failed + unknown === 0 && <span className="text-muted">none failed</span>}
          </span>
          <span className="text-muted">
            <Duration ms={ms} />
          </span>
        </summary>
        {isOpen && (
          <div className="border-t border-line p-2">
            <Portions of={calls} label={`Calls of ${name}`}>
              {(call) => <ToolCallItem key={call.id} call={call} />}
            </Portions>
          </div>
        )}
      </details>
    </li>
  )
}
