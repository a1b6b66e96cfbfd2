// Which ids a key can have at all. Anything else need not, and must not, be asked for in the database.

const pattern = /^[A-Za-z0-9._-]{1,128}$/

export const isKeyId = (text: string): boolean => pattern.test(text)
