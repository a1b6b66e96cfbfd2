// The supported HTTP methods, and which of them are safe to repeat.

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof methods)[number]

/** Only these two: with any other method a server may change something. */
export const isSafe = (method: Method): boolean => method === 'GET' || method === 'HEAD'
