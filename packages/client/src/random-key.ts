// Idempotency keys made up by the client: 128 random bits, from what every runtime has, also on pages without HTTPS.
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
