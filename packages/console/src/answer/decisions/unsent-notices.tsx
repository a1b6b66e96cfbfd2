// After a reload: what became of the decisions that had not arrived.
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../parts/controls/button.tsx'
import { useSession } from '../../session/session.ts'
import { type Fate, fateOf } from './unsent-fate.ts'
import type { UnsentNote } from './unsent-notes.ts'

interface UnsentNoticesProps {
  readonly notes: readonly UnsentNote[]
  readonly onClose: () => void
}

export function UnsentNotices({ notes, onClose }: UnsentNoticesProps) {
  if (notes.length === 0) return null
  return (
    <section
      aria-label="Answers that were not sent"
      className="fixed inset-x-4 top-4 z-20 mx-auto flex max-w-2xl flex-col gap-2 rounded-lg border border-warn/60 bg-surface px-4 py-3 shadow-lg"
    >
      <div role="status">
        <ul className="flex flex-col gap-2">
          {notes.map((note) => (
            <Notice key={`${note.runId}:${note.awaitSeq}`} note={note} />
          ))}
        </ul>
      </div>
      <Button className="self-end" onClick={onClose}>
        Close
      </Button>
    </section>
  )
}

const verbs: Readonly<Record<UnsentNote['action'], string>> = {
  approve: 'approval of',
  reject: 'rejection of',
  submit_input: 'answer to',
}

const words: Readonly<Record<Fate | 'reading', string>> = {
  reading: 'was not finished when the page was closed.',
  waits: 'was not sent: the page was closed before. The run still awaits it.',
  arrived: 'was on its way when the page was closed, and has arrived.',
  unknown: 'was not sent: the page was closed before. The run no longer awaits it.',
}

function Notice({ note }: { readonly note: UnsentNote }) {
  const { client, signedInKey } = useSession()
  const { data } = useQuery({
    queryKey: ['unsent', note.runId, note.awaitSeq],
    queryFn: ({ signal }) => client.runs.get(note.runId, { include: ['awaiting_input', 'signals'], signal }),
  })
  return (
    <li className="wrap-anywhere">
      Your {verbs[note.action]}{' '}
      <a className="font-medium text-accent underline" href={`#/runs/${encodeURIComponent(note.runId)}`}>
        {note.name}
      </a>{' '}
      {words[data ? fateOf(note, data, signedInKey?.key_id) : 'reading']}
    </li>
  )
}
