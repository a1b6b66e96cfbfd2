// Limits that apply before the body of a response is read.

export const connectSeconds = 10
export const maxResponseHeaderBytes = 16 * 1024
