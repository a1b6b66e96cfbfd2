// The sign-in page: asks for an API key and checks it before it is stored.
import { RunwrightError } from '@runwright/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Field, inputClass } from '../parts/field.tsx'
import { Mark } from '../parts/mark.tsx'
import { Problem } from '../parts/problem.tsx'
import { useTitle } from '../parts/use-title.ts'
import { isWellFormedKey } from './api-key.ts'
import { createClient } from './session.ts'

interface SignInProps {
  readonly notice: string | undefined
  readonly onSignedIn: (key: string) => void
}

/** A key without `runs:read` is accepted, because it may have access to other views. */
const isUsable = (error: unknown) => error instanceof RunwrightError && error.reasonCode === 'SCOPE_DENIED'

const tryKey = async (key: string): Promise<void> => {
  try {
    await createClient(key).runs.list({ limit: 1 })
  } catch (error) {
    if (!isUsable(error)) throw error
  }
}

const useSignIn = (onSignedIn: (key: string) => void) => {
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [isMalformed, setMalformed] = useState(false)
  const signIn = async (key: string) => {
    setProblem(undefined)
    setMalformed(!isWellFormedKey(key))
    if (!isWellFormedKey(key)) return
    setTrying(true)
    try {
      await tryKey(key)
      onSignedIn(key)
    } catch (error) {
      setProblem(error)
      setTrying(false)
    }
  }
  return { signIn, isTrying, problem, isMalformed }
}

export function SignIn({ notice, onSignedIn }: SignInProps) {
  useTitle('Sign in')
  const [key, setKey] = useState('')
  const { signIn, isTrying, problem, isMalformed } = useSignIn(onSignedIn)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn(key.trim())
  }
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-5 px-4 py-10">
      <h1 className="flex items-center gap-3 text-xl font-semibold">
        <Mark /> Runwright console
      </h1>
      {notice && (
        <p role="status" className="rounded-md border border-warn/40 bg-warn/10 px-3 py-2">
          {notice}
        </p>
      )}
      <form onSubmit={submit} noValidate className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5">
        <Field
          label="API key"
          hint="Stored in this tab until you sign out or close it, and sent only to this service."
          error={isMalformed ? 'An API key has the form key_id:secret, without spaces.' : undefined}
        >
          {(field) => (
            <input
              {...field}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder="key_…:…"
              className={`${inputClass} font-mono`}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        {problem !== undefined && <Problem error={problem} />}
        <Button type="submit" variant="primary" disabled={isTrying}>
          {isTrying ? 'Checking the key…' : 'Sign in'}
        </Button>
      </form>
    </main>
  )
}
