// Generates an idempotency key: 128 random bits. Unlike `randomUUID`, `getRandomValues` also works without HTTPS.
export const randomKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
