// The methods that can be asked for, and which of them are safe to repeat.

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof methods)[number]

/** These two alone: whatever a server does on any other method may be more than reading. */
export const isSafe = (method: Method): boolean => method === 'GET' || method === 'HEAD'
