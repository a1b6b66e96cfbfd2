// What decides about waits: the same parts for the API and for the page of a decision link.
import type { Core } from './core.ts'

export const decisionsIn = ({ database, runLog, keys, schemas, secrets }: Core) => ({
  database,
  runLog,
  hashBody: keys.hashBody,
  keys,
  schemas: schemas.requests,
  keyPepper: secrets.keyPepper,
})
