// Generates an idempotency key: 128 random bits. Unlike `randomUUID`, `getRandomValues` also works without HTTPS.
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
