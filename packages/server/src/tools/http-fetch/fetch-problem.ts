// Why a fetch failed, in words for the one who asked for it: no address, no header value, no word of the libraries below.

export class FetchProblem extends Error {}
