// The two runs, by their ids. The newest runs are suggested.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { runName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'
import { type CompareSearch, compareSearchOf } from './compare-search.ts'

const suggested = 50

export function RunPicker({ search }: { readonly search: CompareSearch }) {
  const { client } = useSession()
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['runs', 'suggested'],
    queryFn: ({ signal }) => client.runs.list({ limit: suggested, include: ['title'] }, { signal }),
    staleTime: 60_000,
  })
  const form = useRef<HTMLFormElement>(null)
  const { left = '', right = '' } = search
  // Not by new fields, which would lose the focus.
  useEffect(() => {
    const fields = form.current?.elements
    for (const [side, id] of [
      ['left', left],
      ['right', right],
    ] as const) {
      const field = fields?.namedItem(side)
      if (field instanceof HTMLInputElement) field.value = id
    }
  }, [left, right])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget))
    void navigate({ to: '/compare', search: compareSearchOf(fields) })
  }
  return (
    <form ref={form} onSubmit={submit} className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_auto]">
      {(['left', 'right'] as const).map((side) => (
        <Field key={side} label={side === 'left' ? 'Left run' : 'Right run'}>
          {(field) => (
            <input
              {...field}
              name={side}
              list="suggested-runs"
              autoComplete="off"
              spellCheck={false}
              placeholder="run_…"
              className={`${inputClass} font-mono text-sm`}
            />
          )}
        </Field>
      ))}
      <Button type="submit" variant="primary">
        Compare
      </Button>
      <datalist id="suggested-runs">
        {data?.runs.map((run) => (
          <option key={run.id} value={run.id}>
            {runName(run)}
          </option>
        ))}
      </datalist>
    </form>
  )
}
