// Verifies the whole chain in the browser, and says what that means.

import type { Runwright } from '@runwright/client'
import type { AuditEntry } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { plural } from '../parts/values/plural.ts'
import { readableNumber } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'
import { readHead, type Verdict, verifyChain } from './verify-chain.ts'

const pageSize = 200

async function* allEntries(client: Runwright, signal: AbortSignal): AsyncGenerator<AuditEntry, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await client.audit.list({ limit: pageSize, ...(cursor && { cursor }) }, { signal })
    yield* page.entries
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

const useVerify = () => {
  const { client } = useSession()
  const stopped = useRef(new AbortController())
  const [left, setLeft] = useState<number>()
  useEffect(() => () => stopped.current.abort(), [])
  const verify = useMutation({
    mutationFn: async (noted: string): Promise<Verdict> => {
      stopped.current = new AbortController()
      setLeft(undefined)
      const entries = allEntries(client, stopped.current.signal)
      return verifyChain({ entries, noted: readHead(noted), onProgress: setLeft })
    },
  })
  return { verify, left, stop: () => stopped.current.abort() }
}

export function VerifyPanel() {
  const { verify, left, stop } = useVerify()
  const [noted, setNoted] = useState('')
  const isMalformed = noted.trim() !== '' && readHead(noted) === undefined
  const change = (text: string) => {
    setNoted(text)
    // A verdict on another head.
    stop()
    verify.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    verify.mutate(noted)
  }
  return (
    <Panel title="Verify the chain">
      <form onSubmit={submit} noValidate className="flex flex-col gap-3">
        <p className="max-w-prose text-sm text-muted">
          This browser reads all entries and computes their hashes. It finds entries that were changed, added or
          deleted. It cannot find that all of them were replaced, or the newest ones cut off, unless you compare with a
          head that you noted earlier.
        </p>
        <Field
          label="A head that you noted earlier (optional)"
          error={isMalformed ? 'A head is a number, a colon and 64 hexadecimal digits.' : undefined}
        >
          {(field) => (
            <input
              {...field}
              autoComplete="off"
              spellCheck={false}
              placeholder="12:9f86d081…"
              className={`${inputClass} font-mono text-sm`}
              value={noted}
              onChange={(event) => change(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" disabled={verify.isPending || isMalformed}>
            Verify
          </Button>
          {verify.isPending && <Button onClick={stop}>Stop</Button>}
          {verify.isPending && left !== undefined && (
            <span className="text-sm text-muted">{readableNumber(left)} entries to go</span>
          )}
        </div>
        {verify.error && <Problem error={verify.error} />}
        <div role="status">{verify.data && <Outcome {...verify.data} />}</div>
      </form>
    </Panel>
  )
}

function Outcome(verdict: Verdict) {
  if (verdict.kind === 'broken') {
    return (
      <p className="font-medium text-bad">
        The chain is broken at entry {verdict.seq}. {verdict.why}
      </p>
    )
  }
  if (verdict.kind === 'not-in-chain') {
    return (
      <p className="font-medium text-bad">
        The entries match their hashes, but entry {verdict.noted.seq} with the hash that you noted is not among them.
      </p>
    )
  }
  const head = verdict.head && `${verdict.head.seq}:${verdict.head.hash}`
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium text-good">Verified {plural(verdict.count, 'entry', 'entries')}.</p>
      {head !== undefined && (
        <p className="flex flex-wrap items-center gap-1 text-sm">
          Head: <span className="font-mono text-xs wrap-anywhere">{head}</span>
          <CopyButton label="Copy the head" text={head} />
        </p>
      )}
    </div>
  )
}
