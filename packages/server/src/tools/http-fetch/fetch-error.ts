// Why a fetch failed, as a message for the caller. It contains no addresses, header values or messages of libraries.

export class FetchError extends Error {}
