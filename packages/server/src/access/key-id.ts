// The form of a key id. Anything else is refused without a query: PostgreSQL would reject some of it, such as U+0000.

const pattern = /^[A-Za-z0-9._-]{1,128}$/

export const isKeyId = (text: string): boolean => pattern.test(text)
