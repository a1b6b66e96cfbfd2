// Sensitive keys and sensitivity tags: which keys must be tagged, which paths are paths, which of them are the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const tagged = (path: string, more: object = {}) => ({ path, classification: 'pii', ...more })
const createTagged = (...sensitivity_tags: object[]) => acme.create({ ...emptyRun, sensitivity_tags })

const sensitiveKeys = [
  ...['password', 'Password', 'PASSWORD', 'passwords', 'user_password', 'userPassword', 'password_hash', 'db.password'],
  ...['passwd', 'passphrase', 'passphrases', 'pwd', 'dbPwd', 'secret', 'secrets', 'clientSecret', 'client-secret'],
  ...['token', 'accessToken', 'access_token', 'x-auth-token', 'csrfToken', 'TOKEN', 'my token'],
  ...['access_tokens', 'apiTokens', 'auth-tokens', 'refreshTokens', 'bearer_tokens', 'session_tokens', 'idTokens'],
  ...['apikey', 'apikeys', 'apiKey', 'APIKey', 'api_key', 'api-key', 'api.key', 'api key', 'API_KEYS', 'openaiApiKey'],
  ...['access key', 'accessKey', 'access_key_id', 'aws_access_keys', 'private key', 'privateKey', 'private_keys'],
  ...['credential', 'credentials', 'dbCredentials', 'authorization', 'Authorization', 'cookie', 'cookies', 'setCookie'],
  ...['ssn', 'SSN', 'userSSN', 'social_security', 'socialSecurityNumber', 'social-security'],
  ...['credit', 'creditCard', 'credit_card', 'card_number', 'cardNumber', 'cardNumbers', 'cvv', 'cvc', 'card.cvv'],
  ...['iban', 'IBAN', 'ibans', 'account_number', 'accountNumber', 'account-numbers', 'passport', 'passportNo'],
  ...['tax_id', 'taxId', 'tax id', 'taxIds'],
]

const harmlessKeys = [
  ...['max_tokens', 'maxTokens', 'token_count', 'tokenCount', 'token_limit', 'token_budget', 'token_usage', 'credits'],
  ...['tokens', 'total_tokens', 'promptTokens', 'secretary', 'tokenizer', 'passwordless', 'accreditation', 'creditor'],
  ...['key', 'keys', 'keyboard', 'card', 'number', 'account', 'tax', 'id', 'social', 'security', 'access', 'private'],
  ...['api', 'monkey', 'name', 'email', 'cookiecutter', 'ibanez', 'number_card', 'id_tax', 'text', 'taxi_driver'],
]

describe('sensitive keys', () => {
  test.each(sensitiveKeys)('%s must be tagged', async (key) => {
    expectRefusal(await acme.create({ input: { [key]: 'x' }, metadata: {} }), 400, 'INPUT_SENSITIVITY_TAG_REQUIRED')
  })

  test.each(harmlessKeys)('%s need not be tagged', async (key) => {
    expect((await acme.create({ input: { [key]: 'x' }, metadata: {} })).status).toBe(201)
  })

  test.each([
    ['in metadata', { input: {}, metadata: { token: 'x' } }],
    ['deep inside', { input: { a: { b: { c: { token: 'x' } } } }, metadata: {} }],
    ['inside arrays', { input: { a: [1, [{ token: 'x' }]] }, metadata: {} }],
    ['with the value null', { input: { token: null }, metadata: {} }],
    ['with a number', { input: {}, metadata: { a: { ssn: 1 } } }],
    ['over an object', { input: { credentials: { user: 'x' } }, metadata: {} }],
    ['with an empty list of tags', { input: { token: 'x' }, metadata: {}, sensitivity_tags: [] }],
  ])('are found %s', async (_case, body) => {
    expectRefusal(await acme.create(body), 400, 'INPUT_SENSITIVITY_TAG_REQUIRED')
  })

  test.each([
    ['are values', { input: { a: 'password', b: ['token'] }, metadata: {} }],
    ['stand in the labels', { input: {}, metadata: {}, workspace_id: 'password' }],
    ['stand in a plan', { ...emptyRun, plan: { steps: [{ tool: 'json_query', input: { token: 1 } }] } }],
  ])('are none when they %s', async (_case, body) => {
    expect((await acme.create(body)).status).toBe(201)
  })

  test.each([
    ['selects the key', '$.input.password'],
    ['selects another key', '$.input.name'],
    ['selects nothing', '$.metadata.nothing.here'],
  ])('pass with a tag that %s', async (_case, path) => {
    const input = { password: 'x', name: 'y' }
    expect((await acme.create({ input, metadata: {}, sensitivity_tags: [tagged(path)] })).status).toBe(201)
  })

  test('are named by the refusal, their values are not', async () => {
    const reply = await acme.create({ input: { bank: { apiKey: 'canary-value' } }, metadata: {} })
    expect(reply.json().message).toContain('apiKey')
    expect(reply.text).not.toContain('canary-value')
  })
})

describe('a tag', () => {
  test.each([
    ...[
      '$.input',
      '$.metadata',
      '$.input.a',
      '$.input.a.b',
      "$.input['a']",
      '$.input["a b"]',
      '$.input[0]',
      '$.input[-1]',
    ],
    ...['$.input.*', '$.input[*]', '$.input..a', '$.input..*', '$.input[0:2]', '$.input[::2]', '$.input[0,1]'],
    ...["$.input['a','b']", '$.input[?@.a]', "$.input[?@.a=='x']", '$.input[?@.a>1 && @.b]', '$.input.ü', '$.input._a'],
    ...['$.metadata..a', '$.input[?length(@.a)>1]', '$.input[?count(@.*)>1]', '$.input.a [0]', '$.input[ 0 ]'],
  ])('may have the path %s', async (path) => {
    const reply = await createTagged(tagged(path))
    expect(reply.status, reply.text).toBe(201)
  })

  test.each([
    ...[
      '',
      ' ',
      '$',
      '$.',
      '$.inputs',
      '$.input2',
      '$.input_a',
      '$.metadatas',
      "$['input']",
      '$["input"].a',
      '$..input',
    ],
    ...[
      '$.Input',
      '$.INPUT',
      '$.output',
      'input',
      'input.a',
      '.input',
      '@.input',
      ' $.input',
      '$ .input',
      '$.*',
      '$[0]',
    ],
    ...[
      '$.input.',
      '$.input..',
      '$.input[',
      '$.input[]',
      '$.input]',
      "$.input['a",
      '$.input[a]',
      '$.input.1a',
      '$.input.a b',
    ],
    ...[
      '$.input ',
      '$.input\n',
      '$.input [0]',
      '$.input[01]',
      '$.input[-0]',
      '$.input[1.5]',
      '$.input[?]',
      '$.input[?@.a=]',
    ],
    ...['$.input[9007199254740992]', '$.input[?nosuch(@.a)]', '$.input[?@.a==1', '$.input$.metadata', '$.input()'],
  ])('may not have the path "%s"', async (path) => {
    expectRefusal(await createTagged(tagged(path)), 400, 'INPUT_SENSITIVITY_TAG_INVALID_PATH')
  })

  test.each(['pii', 'financial', 'health', 'credential', 'proprietary'])('may be %s', async (classification) => {
    expect((await createTagged(tagged('$.input', { classification }))).status).toBe(201)
  })

  test.each(['', 'PII', 'pii ', 'secret', 'personal'])('may not be "%s"', async (classification) => {
    const reply = await createTagged(tagged('$.input', { classification }))
    expectRefusal(reply, 400, 'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION')
  })

  test.each([
    [{ redaction: 'mask' }],
    [{ redaction: 'drop' }],
    [{ retention_hint_days: 0 }],
    [{ retention_hint_days: 3650, redaction: 'drop' }],
  ])('may have %o', async (more) => {
    expect((await createTagged(tagged('$.input', more))).status).toBe(201)
  })

  test('may be one of a hundred', async () => {
    const tags = Array.from({ length: 100 }, (_, n) => tagged(`$.input.a${n}`))
    expect((await createTagged(...tags)).status).toBe(201)
  })
})

describe('two tags', () => {
  test.each([
    ['$.input.a', '$.input.a'],
    ['$.input.a', "$.input['a']"],
    ['$.input.a', '$.input["a"]'],
    ["$.input['a']", '$.input["a"]'],
    ['$.input.a', '$.input["\\u0061"]'],
    ['$.input.a.b', "$.input['a']['b']"],
    ['$.input[0]', '$.input[ 0 ]'],
    ['$.input.*', '$.input[*]'],
    ['$.input', '$.input'],
  ])('%s and %s are the same path', async (one, other) => {
    const reply = await createTagged(tagged(one), tagged('$.metadata.between'), tagged(other, { redaction: 'drop' }))
    expectRefusal(reply, 400, 'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH')
  })

  test.each([
    ['$.input.a', '$.input.b'],
    ['$.input.a', '$.input.A'],
    ['$.input.a', '$.metadata.a'],
    ['$.input[0]', "$.input['0']"],
    ['$.input.a', '$.input..a'],
    ['$.input', '$.input.*'],
  ])('%s and %s are not', async (one, other) => {
    expect((await createTagged(tagged(one), tagged(other))).status).toBe(201)
  })
})

test('a tagged value is in no answer and in no log line', async () => {
  const input = { password: 'canary-4711', list: [{ token: 'canary-4712' }] }
  const reply = await acme.create({ input, metadata: {}, sensitivity_tags: [tagged('$.input.password')] })
  const { id } = reply.json<{ id: string }>()
  const answers = await Promise.all(
    ['', '?include=plan,limits,usage', '/events'].map((rest) => acme.get(`/v1/runs/${id}${rest}`)),
  )
  expect([reply, ...answers].map(({ text }) => text).join()).not.toContain('canary')
  expect(service.log.all.join()).not.toContain('canary')
})
