import { describe, expect, test } from 'vitest'
import { findSensitiveKeys, isSensitiveKey } from './sensitive-keys.ts'

const eachKey = (keys: string) => keys.trim().split(/\s*\n\s*/)

describe('a key that names a secret is sensitive', () => {
  test.each(
    eachKey(`
      password
      passwd
      passphrase
      pwd
      secret
      token
      apikey
      api key
      access key
      private key
      credential
      authorization
      cookie
      ssn
      social security
      credit
      card number
      cvv
      cvc
      iban
      account number
      passport
      tax id
    `),
  )('as the list has it: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })

  test.each(
    eachKey(`
      user_password
      user-password
      user.password
      user password
      userPassword
      UserPassword
      USER_PASSWORD
      Password
      PASSWORD
      passwordHash
      old_password_2
      __secret__
      apiKey
      APIKey
      API_KEY
      api-key
      myAPIKeyId
      access_key_id
      AWSSecretAccessKey
      privateKey
      clientSecret
      accessToken
      refresh-token
      userSSN
      SSNNumber
      ssn_last4
      socialSecurityNumber
      creditCard
      credit_score
      cardNumber
      card_number_masked
      CVV
      IBANCode
      bankAccountNumber
      passportNo
      taxId
      TaxID
      Set-Cookie
      x-api-key
      Authorization
      proxy-authorization
      übersetzungsÄPassword
    `),
  )('among other words, in any spelling of the words: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })

  test.each(
    eachKey(`
      passwords
      passphrases
      secrets
      apikeys
      api_keys
      accessKeys
      private keys
      credentials
      authorizations
      cookies
      ssns
      userSSNs
      social securities
      card_numbers
      cvvs
      IBANs
      accountNumbers
      passports
      taxIDs
      tax_ids
    `),
  )('in the plural: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })

  test.each(
    eachKey(`
      apikey
      accesskey
      privatekey
      socialsecurity
      cardnumber
      accountnumber
      taxid
      taxids
      user_accesskeys
    `),
  )('when two words of an entry are written together: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })

  test.each(eachKey('password2 \n cvv2 \n oldPassword1 \n token_1 \n token1'))('with a number after it: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })
})

describe('a key that only resembles one is not', () => {
  test.each(
    eachKey(`
      name
      secretary
      tokenizer
      tokenized
      passwordless
      discredit
      accredited
      accreditation
      passage
      key
      keys
      keyboard
      monkey
      public_key
      primaryKey
      access
      card
      card_type
      number
      phone_number
      order_number
      account
      account_id
      account_manager_number
      number_card
      key_api
      tax
      tax_rate
      identity
      social
      security
      socialNetworkSecurity
      cookiecutter
      urban
      ssnake
      class
      author
      authorized
      compass
      pass
      port
    `),
  )('%s', (key) => {
    expect(isSensitiveKey(key)).toBe(false)
  })

  test('nor is the empty key or one of separators only', () => {
    expect(isSensitiveKey('')).toBe(false)
    expect(isSensitiveKey('_-. ')).toBe(false)
  })
})

describe('words for counts are not secrets', () => {
  test.each(
    eachKey(`
      max_tokens
      maxTokens
      token_count
      tokenCount
      token_counts
      token_limit
      token_limits
      token_budget
      TOKEN_USAGE
      access_token_count
      tokens
      total_tokens
      promptTokens
      tokens_used
      tokens_per_minute
      credits
      user_credits
      remainingCredits
    `),
  )('%s', (key) => {
    expect(isSensitiveKey(key)).toBe(false)
  })

  test.each(
    eachKey(`
      access_tokens
      apiTokens
      auth-tokens
      refreshTokens
      bearer tokens
      session.tokens
      id_tokens
      user_id_tokens
      access_tokens_by_user
    `),
  )('but plural tokens of a kind that opens doors are: %s', (key) => {
    expect(isSensitiveKey(key)).toBe(true)
  })

  test.each(eachKey('max_token \n token_counter \n token_count_token \n token_limit_password \n counttoken_token'))(
    'and other company does not excuse a token: %s',
    (key) => {
      expect(isSensitiveKey(key)).toBe(true)
    },
  )
})

test('the same answer comes from memory, and memory is bounded', () => {
  const keys = Array.from({ length: 25_000 }, (_, n) => `secret_${n}`)
  expect(keys.every(isSensitiveKey)).toBe(true)
  expect(isSensitiveKey('secret_0')).toBe(true)
  expect(isSensitiveKey(`${'x'.repeat(100_000)}_password`)).toBe(true)
})

describe('findSensitiveKeys', () => {
  test('looks at every depth and inside arrays, in document order', () => {
    const document = { users: [{ name: 'a' }, { login: { pwd: 1 } }], secret: null, list: [[{ iban: '' }]] }
    expect(findSensitiveKeys(document)).toEqual([['users', 1, 'login', 'pwd'], ['secret'], ['list', 0, 0, 'iban']])
  })

  test('does not look below a sensitive key', () => {
    expect(findSensitiveKeys({ credentials: { password: 'x' } })).toEqual([['credentials']])
  })

  test('looks at keys, not at values', () => {
    expect(findSensitiveKeys({ label: 'password', list: ['token', 'secret'] })).toEqual([])
  })

  test.each([[null], ['password'], [1], [[]], [{}]])('finds nothing in %j', (document) => {
    expect(findSensitiveKeys(document)).toEqual([])
  })

  test('stops at the limit', () => {
    const documents = Array.from({ length: 10 }, () => ({ password: 1, token: 2 }))
    expect(findSensitiveKeys(documents, 3)).toEqual([
      [0, 'password'],
      [0, 'token'],
      [1, 'password'],
    ])
  })
})
