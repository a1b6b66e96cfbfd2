// The settings of the HTTP server.
import { decimal, hostName, httpUrl, oneOf, origins, wholeNumber } from './parsers.ts'
import { setting } from './setting.ts'

export const httpSettings = {
  http: {
    host: setting({
      name: 'RUNWRIGHT_HOST',
      parse: hostName,
      default: '127.0.0.1',
      meaning: 'The address to listen on.',
    }),
    port: setting({
      name: 'RUNWRIGHT_PORT',
      parse: wholeNumber({ min: 0, max: 65_535 }),
      default: 8080,
      meaning: 'The port to listen on; 0 selects a free port.',
    }),
    publicUrl: setting({
      name: 'RUNWRIGHT_PUBLIC_URL',
      parse: httpUrl,
      default: undefined,
      emptyIsUnset: true,
      meaning:
        'The address at which people reach the service, such as `https://agents.example.com`: for links in messages and in the log. Unset: the log and webhooks link to this machine, and messages to chats and mails have no links.',
    }),
    decisionLinks: setting({
      name: 'RUNWRIGHT_DECISION_LINKS',
      parse: oneOf('off', 'on'),
      default: 'off',
      meaning:
        '`on`: keys with the scope `links:create` make [links with which a person decides](reaching-people.md#decision-links) without signing in. Needs `RUNWRIGHT_PUBLIC_URL`.',
    }),
    rateLimitPerSecond: setting({
      name: 'RUNWRIGHT_RATE_LIMIT_PER_SECOND',
      parse: decimal({ min: 0, max: 1_000_000_000 }),
      default: 1000,
      meaning: 'Requests per second and API key, with bursts of twice that; 0 means no limit.',
    }),
    customerRateLimitPerSecond: setting({
      name: 'RUNWRIGHT_CUSTOMER_RATE_LIMIT_PER_SECOND',
      parse: decimal({ min: 0, max: 1_000_000_000 }),
      default: undefined,
      shownDefault: '4 times that of a key',
      meaning:
        'Requests per second and customer, over all of its API keys, with bursts of twice that; 0 means no limit.',
    }),
    maxConnections: setting({
      name: 'RUNWRIGHT_MAX_CONNECTIONS',
      parse: wholeNumber({ min: 0, max: 1_000_000 }),
      default: 10_000,
      meaning:
        'Open connections of a process, streams included; 0 means no limit. Fewer if the system lets the process have fewer open files.',
    }),
    maxConnectionsPerAddress: setting({
      name: 'RUNWRIGHT_MAX_CONNECTIONS_PER_ADDRESS',
      parse: wholeNumber({ min: 0, max: 1_000_000 }),
      default: 0,
      meaning:
        'Open connections of a process from one address, or one IPv6 network of 64 bits; 0 means no limit. Behind a proxy, all clients have its address.',
    }),
    headersTimeoutSeconds: setting({
      name: 'RUNWRIGHT_HEADERS_TIMEOUT_SECONDS',
      parse: decimal({ min: 1, max: 3_600 }),
      default: 10,
      meaning: 'How long a client may take to send the headers of a request.',
    }),
    requestTimeoutSeconds: setting({
      name: 'RUNWRIGHT_REQUEST_TIMEOUT_SECONDS',
      parse: decimal({ min: 1, max: 3_600 }),
      default: 30,
      meaning:
        'How long a client may take to send a whole request, with its body; not less than for the headers. Answers and streams are not limited.',
    }),
    corsOrigins: setting({
      name: 'RUNWRIGHT_CORS_ORIGINS',
      parse: origins,
      default: [],
      shownDefault: 'unset',
      emptyIsUnset: true,
      meaning: 'Origins whose web pages may call the API, separated by commas, such as `https://app.example.com`.',
    }),
  },
}
