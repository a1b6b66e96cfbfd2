// What a server may take of us before it has answered.

export const connectSeconds = 10
export const maxAnswerHeaderBytes = 16 * 1024
