'use client'

// Starts a run, shows it while it works, and lets the user answer it.
import type { RunEvent } from '@runwright/client'
import { type FormEvent, useEffect, useState } from 'react'
import { applyEvent, emptyView, hasEnded, type RunView } from '../lib/run-view.ts'

async function post(path: string, body: object): Promise<{ id?: string; message?: string }> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

export default function Page() {
  const [id, setId] = useState<string>()
  const [problem, setProblem] = useState<string>()

  async function start(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const goal = new FormData(event.currentTarget).get('goal')
    const created = await post('/api/runs', { goal, requestKey: crypto.randomUUID() })
    setId(created.id)
    setProblem(created.message)
  }

  return (
    <main>
      <form onSubmit={start}>
        <label>
          What should the agent do? <input name="goal" required />
        </label>
        <button type="submit">Start</button>
      </form>
      {problem && <p role="alert">{problem}</p>}
      {id && <Run key={id} id={id} />}
    </main>
  )
}

function Run({ id }: { readonly id: string }) {
  const view = useRun(id)
  return (
    <section aria-live="polite">
      <p>{view.status}</p>
      <p style={{ whiteSpace: 'pre-wrap' }}>{view.text}</p>
      {view.waitSeq !== undefined && <Question key={view.waitSeq} id={id} waitSeq={view.waitSeq} />}
    </section>
  )
}

function useRun(id: string): RunView {
  const [view, setView] = useState(emptyView)
  useEffect(() => {
    let current = emptyView
    // The browser reconnects by itself, and the server continues after the last event it has sent.
    const source = new EventSource(`/api/runs/${id}/events`)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      current = applyEvent(current, JSON.parse(data) as RunEvent)
      setView(current)
      if (hasEnded(current)) source.close()
    }
    return () => source.close()
  }, [id])
  return view
}

function Question({ id, waitSeq }: { readonly id: string; readonly waitSeq: number }) {
  const [prompt, setPrompt] = useState('The run asks for approval.')
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    void fetch(`/api/runs/${id}`)
      .then((response) => response.json())
      .then(({ wait }) => setPrompt((before) => wait?.prompt ?? before))
  }, [id])
  const answer = async (action: 'approve' | 'reject') =>
    setProblem((await post(`/api/runs/${id}/signal`, { action, waitSeq })).message)
  return (
    <fieldset>
      <legend>{prompt}</legend>
      <button type="button" onClick={() => answer('approve')}>
        Approve
      </button>
      <button type="button" onClick={() => answer('reject')}>
        Reject
      </button>
      {problem && <p role="alert">{problem}</p>}
    </fieldset>
  )
}
