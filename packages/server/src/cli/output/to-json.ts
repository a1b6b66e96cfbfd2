// A JSON document for `--json`.
export const toJson = (value: object): string => JSON.stringify(value, null, 2)
