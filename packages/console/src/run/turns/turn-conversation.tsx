// A call to a model as a conversation. What another call had, too, is folded.
import type { Turn } from '@runwright/contract'
import { useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { ArgumentsTable } from '../../parts/values/arguments-table.tsx'
import { ClampedText } from '../../parts/values/clamped.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { plural } from '../../parts/values/plural.ts'
import { ValueActions } from '../../parts/values/value-actions.tsx'
import { type ComparedMessage, comparePrompts } from './compare-prompts.ts'
import { MessageDiff } from './message-diff.tsx'

interface TurnConversationProps {
  readonly title: string
  /** Tells two calls apart that are on the page at once. */
  readonly side?: 'left' | 'right'
  readonly turn: Turn
  /** The call that it is compared with: the one before it, or the same one of another run. */
  readonly other?: OtherTurn | undefined
}

interface OtherTurn {
  readonly turn: Turn
  /** `that the turn before had, too`. */
  readonly had: string
  /** `changed since the turn before`. */
  readonly changed: string
  /** Texts that differ are shown as a difference. */
  readonly isShown: boolean
}

export function TurnConversation({ title, side, turn, other }: TurnConversationProps) {
  const [isWhole, setWhole] = useState(false)
  const compared = comparePrompts(turn.messages, other?.turn.messages ?? [])
  const saved = side
    ? { label: `the ${side} turn`, fileName: `turn-${turn.seq}-${side}.json` }
    : { label: 'the turn', fileName: `turn-${turn.seq}.json` }
  const same = compared.filter(({ kind }) => kind === 'same').length
  return (
    <Panel title={title} aside={<ValueActions {...saved} value={turn} />}>
      <div className="flex flex-col gap-3">
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{turn.role}</span>
          <span className="font-mono text-code wrap-anywhere">{turn.model}</span>
          {turn.usage && <span>{plural(turn.usage.total, 'token')}</span>}
          {turn.try > 1 && <span>try {turn.try}</span>}
          {turn.truncated && <span className="text-warn">a very long text was cut</span>}
        </p>
        {same > 0 && (
          <Button className="self-start" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Only what differs' : `Show ${plural(same, 'message')} ${other?.had}`}
          </Button>
        )}
        {compared.map((one, index) =>
          one.kind === 'same' && !isWhole ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity, and never change.
            <Message key={index} {...one} changed={other?.changed} withBefore={(other?.isShown ?? false) && !isWhole} />
          ),
        )}
        {turn.reply && <Reply reply={turn.reply} />}
        {turn.failure && (
          <p className="rounded-md bg-bad/8 px-3 py-2 text-bad wrap-anywhere">
            {turn.failure.message} <span className="font-mono text-code">{turn.failure.reason_code}</span>
          </p>
        )}
      </div>
    </Panel>
  )
}

const headingClass = 'text-xs font-semibold text-muted first-letter:uppercase'
const longest = 4_000

const looks = {
  system: 'border-edge/60 bg-sunken/60',
  user: 'border-info/60',
  assistant: 'ml-4 border-accent',
  tool: 'ml-4 border-edge/60',
} as const

interface MessageProps extends ComparedMessage {
  readonly changed: string | undefined
  readonly withBefore: boolean
}

function Message({ message, kind, before, changed, withBefore }: MessageProps) {
  const name = message.from === 'tool' ? `Result of ${message.name}` : message.from
  return (
    <div className={`flex min-w-0 flex-col gap-1 border-l-2 py-1 pl-3 ${looks[message.from]}`}>
      <h3 className={headingClass}>
        {name}
        {kind === 'changed' && <span className="font-normal"> ({changed})</span>}
      </h3>
      {kind === 'changed' && before !== undefined && message.from !== 'tool' && withBefore ? (
        <MessageDiff before={before} after={message.text} label={`the ${name} message`} />
      ) : message.from === 'tool' ? (
        <ArgumentsTable label={name} value={message.result} />
      ) : (
        <ClampedText text={message.text} most={longest} fileName={`${name}.txt`}>
          {(shown) => <p className="text-sm whitespace-pre-wrap wrap-anywhere">{shown}</p>}
        </ClampedText>
      )}
      {message.from === 'assistant' && <Calls calls={message.tool_calls} />}
    </div>
  )
}

function Reply({ reply }: { readonly reply: NonNullable<Turn['reply']> }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-r-md border-l-2 border-accent bg-accent/5 py-2 pr-2 pl-3">
      <h3 className={headingClass}>Reply</h3>
      {reply.text !== '' && (
        <ClampedText text={reply.text} most={longest} fileName="reply.md">
          {(shown) => <Markdown text={shown} />}
        </ClampedText>
      )}
      <Calls calls={reply.tool_calls} />
      {reply.output !== undefined && <ArgumentsTable label="Structured output" value={reply.output} />}
    </div>
  )
}

function Calls({ calls }: { readonly calls: NonNullable<Turn['reply']>['tool_calls'] }) {
  return calls.map((call) => (
    <div key={call.id} className="flex flex-col gap-1">
      <p className="text-sm">
        Calls <span className="font-mono font-medium">{call.name}</span>
      </p>
      <ArgumentsTable label={`Call of ${call.name}`} value={call.input} />
    </div>
  ))
}
