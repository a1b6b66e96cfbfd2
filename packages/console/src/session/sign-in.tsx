// The sign-in page: asks for an API key and checks it before it is kept.
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Mark } from '../parts/controls/mark.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { useTitle } from '../parts/layout/use-title.ts'
import { isWellFormedKey } from './api-key.ts'
import { ProviderLink } from './provider-link.tsx'
import { type Credential, checkKey, openSession, type SignedInKey } from './signed-in-key.ts'

type OnSignedIn = (credential: Credential, signedInKey: SignedInKey) => void

interface SignInProps {
  readonly notice: string | undefined
  /** Why the page could not sign in by itself. */
  readonly problem: unknown
  readonly onSignedIn: OnSignedIn
}

type KeptFor = Credential['keptFor']

const useSignIn = (firstProblem: unknown, onSignedIn: OnSignedIn) => {
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState(firstProblem)
  const [isMalformed, setMalformed] = useState(false)
  const signIn = async (apiKey: string, keptFor: KeptFor) => {
    setProblem(undefined)
    setMalformed(!isWellFormedKey(apiKey))
    if (!isWellFormedKey(apiKey)) return
    setTrying(true)
    try {
      if (keptFor === 'tab') onSignedIn({ keptFor, apiKey }, await checkKey(apiKey))
      else onSignedIn({ keptFor }, await openSession({ api_key: apiKey }))
    } catch (error) {
      setProblem(error)
      setTrying(false)
    }
  }
  return { signIn, isTrying, problem, isMalformed }
}

export function SignIn({ notice, problem: firstProblem, onSignedIn }: SignInProps) {
  useTitle('Sign in')
  const { signIn, isTrying, problem, isMalformed } = useSignIn(firstProblem, onSignedIn)
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
      <ProviderLink />
      <SignInForm isTrying={isTrying} isMalformed={isMalformed} onSubmit={signIn}>
        {problem !== undefined && <Problem error={problem} />}
      </SignInForm>
      <p className="text-sm text-muted">
        A start on your own machine prints a link that signs you in. To create another key, run{' '}
        <code className="rounded-sm bg-sunken px-1 font-mono text-xs">runwright keys create</code>.
      </p>
    </main>
  )
}

interface SignInFormProps {
  readonly isTrying: boolean
  readonly isMalformed: boolean
  readonly onSubmit: (apiKey: string, keptFor: KeptFor) => Promise<void>
  readonly children: ReactNode
}

function SignInForm({ isTrying, isMalformed, onSubmit, children }: SignInFormProps) {
  const [key, setKey] = useState('')
  const [keptFor, setKeptFor] = useState<KeptFor>('tab')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void onSubmit(key.trim(), keptFor)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5">
      <Field label="API key" error={isMalformed ? 'An API key has the form key_id:secret, without spaces.' : undefined}>
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
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-1 size-4 accent-accent"
          checked={keptFor === 'browser'}
          onChange={(event) => setKeptFor(event.target.checked ? 'browser' : 'tab')}
        />
        <span>
          Keep me signed in on this browser
          <span className="block text-sm text-muted">{hints[keptFor]}</span>
        </span>
      </label>
      {children}
      <Button type="submit" variant="primary" disabled={isTrying}>
        {isTrying ? 'Checking the key…' : 'Sign in'}
      </Button>
    </form>
  )
}

const hints: Readonly<Record<KeptFor, string>> = {
  tab: 'Off: the key is stored in this tab until you sign out or close it.',
  browser: 'On: the service sets a cookie for up to 30 days, for all tabs. The key itself is not stored.',
}
