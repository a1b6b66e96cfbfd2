import { expect, test } from 'vitest'
import { operatorSecrets } from './operator-secrets.ts'

test('finds secrets in the lists of settings and by the names of variables', () => {
  const { scrub } = operatorSecrets({
    RUNWRIGHT_BOOTSTRAP_KEYS: 'acme=key_one:first-secret,other=key_two:second-secret',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20third-secret,x-team=search',
    DATABASE_URL: 'postgres://me:fourth-secret@db/runwright',
    OPENAI_API_KEY: 'fifth-secret',
    HOME: '/home/somebody',
  })
  const said = 'first-secret second-secret third-secret fourth-secret fifth-secret key_one /home/somebody search'
  expect(scrub(said)).toBe('*** *** *** *** *** key_one /home/somebody search')
})
