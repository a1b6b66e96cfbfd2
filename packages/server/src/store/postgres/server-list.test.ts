import { describe, expect, test } from 'vitest'
import { listServers, withDatabase } from './server-list.ts'

const namesAndUrls = (connectionString: string) =>
  listServers({ connectionString }).servers.map(({ name, connection }) => [name, connection.connectionString])

describe('the servers of a URL', () => {
  test('each gets the user, the database and the options', () => {
    expect(namesAndUrls('postgres://u:p%40@first:5432,second:5433/db?sslmode=require')).toEqual([
      ['first:5432', 'postgres://u:p%40@first:5432/db?sslmode=require'],
      ['second:5433', 'postgres://u:p%40@second:5433/db?sslmode=require'],
    ])
  })

  test.each([
    ['without a user', 'postgresql://a,b/db', ['postgresql://a/db', 'postgresql://b/db']],
    ['IPv6 addresses', 'postgres://u@[::1]:1,[::2]/db', ['postgres://u@[::1]:1/db', 'postgres://u@[::2]/db']],
    ['folders of sockets', 'postgres://u@%2Fa,%2Fb/db', ['postgres://u@%2Fa/db', 'postgres://u@%2Fb/db']],
    ['a comma in the password', 'postgres://u:a,b@c/db', ['postgres://u:a,b@c/db']],
    ['a comma in an option', 'postgres://u@c/db?options=a,b', ['postgres://u@c/db?options=a,b']],
  ])('%s', (_, url, urls) => {
    expect(namesAndUrls(url).map(([, one]) => one)).toEqual(urls)
  })

  test('a connection without a URL is one server', () => {
    const connection = { host: '/tmp', port: 1 }
    expect(listServers(connection).servers).toEqual([{ name: '', connection }])
  })

  test.each([
    ['postgres://a,b/db', true],
    ['postgres://a,b/db?target_session_attrs=any', true],
    ['postgres://a/db?target_session_attrs=read-write', true],
    ['postgres://a/db?sslmode=require&target_session_attrs=primary', true],
    ['postgres://a/db?target_session_attrs=any', false],
    ['postgres://a/db', false],
  ])('%s: it must accept writes: %s', (connectionString, mustAcceptWrites) => {
    expect(listServers({ connectionString }).mustAcceptWrites).toBe(mustAcceptWrites)
  })
})

test.each([
  ['postgres://u:p@a:1,b:2/db?sslmode=require', 'postgres://u:p@a:1,b:2/other?sslmode=require'],
  ['postgres://u@a', 'postgres://u@a/other'],
  ['postgres://u@a?sslmode=require', 'postgres://u@a/other?sslmode=require'],
])('another database on the same servers: %s', (connectionString, other) => {
  expect(withDatabase({ connectionString }, 'other')).toEqual({ connectionString: other })
})
