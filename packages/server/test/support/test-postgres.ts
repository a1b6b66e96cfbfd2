// The PostgreSQL server of the tests, for those that need one.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'
import type { Answer } from './postgres.ts'

let asking: Promise<ConnectionOptions> | undefined

/** The server for tests. The first test that asks waits until it has started. */
export function testPostgres(): Promise<ConnectionOptions> {
  asking ??= ask()
  return asking
}

async function ask(): Promise<ConnectionOptions> {
  const answer = JSON.parse(await text(connect(inject('postgresPort'), '127.0.0.1'))) as Answer
  if ('problem' in answer) throw new Error(`PostgreSQL for the tests did not start: ${answer.problem}`)
  return answer.connection
}
