// A made-up idempotency key: 128 random bits, from what browsers have also on pages without HTTPS.
export const randomKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
